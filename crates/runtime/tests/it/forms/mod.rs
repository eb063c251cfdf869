//! The forms in which functions, their arguments and dims are written.

use hloom_graph::{DType, IntoDims, Shape, Spec, Tensor, Tree};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::CPU;

#[derive(Tree, Clone)]
struct Scale<T = Tensor> {
    by: T,
}

impl Scale {
    fn by_reference(&self, x: Tensor) -> Tensor {
        x * self.by
    }

    fn twice(&self, x: Tensor, y: Tensor) -> (Tensor, Tensor) {
        (self.by_reference(x), self.by_reference(y))
    }

    fn alone(&self) -> Tensor {
        self.by + 1
    }

    fn by_value(self, x: Tensor) -> Tensor {
        self.by_reference(x)
    }
}

fn scale() -> Scale<Spec> {
    Scale { by: Spec::f32([2]) }
}

/// E3: methods and closures are compiled by one function, with `self` by value or by reference.
#[test]
fn methods_take_self_by_reference_or_by_value() {
    let x = Buffer::from_slice(&CPU, &[3f32, 4.0], [2]).unwrap();
    let by = Buffer::from_slice(&CPU, &[10f32, 100.0], [2]).unwrap();
    let weights = Scale { by };
    let inputs = || (scale(), Spec::f32([2]));
    let exe = CPU.compile(Scale::by_reference, inputs()).unwrap().bind(&weights).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [30.0, 400.0]);
    let exe = CPU.compile(Scale::by_value, inputs()).unwrap();
    assert_eq!(exe.call((&weights, &x)).unwrap().to_vec::<f32>().unwrap(), [30.0, 400.0]);
    let exe = CPU.compile(Scale::alone, (scale(),)).unwrap();
    assert_eq!(exe.call((&weights,)).unwrap().to_vec::<f32>().unwrap(), [11.0, 101.0]);
    let exe = CPU.compile(|scale: &Scale, x: Tensor| scale.by_reference(x), inputs()).unwrap();
    assert_eq!(exe.any().signature().inputs[1].name, "arg1");
    let three = (scale(), Spec::f32([2]), Donated(Spec::f32([2])));
    let exe = CPU.compile(Scale::twice, three).unwrap();
    let y = Buffer::zeros(&CPU, &x).unwrap();
    let (first, second) = exe.call((&weights, &x, y)).unwrap();
    assert_eq!(first.to_vec::<f32>().unwrap(), [30.0, 400.0]);
    assert_eq!(second.to_vec::<f32>().unwrap(), [0.0, 0.0]);
}

#[test]
fn arguments_have_the_names_that_the_compiler_is_told() {
    let compile = |names| {
        let inputs = (scale(), Spec::f32([2]));
        CPU.compiler().inputs(names).compile(Scale::by_reference, inputs)
    };
    let exe = compile(["model", "x"]).unwrap();
    let names: Vec<&str> = exe.signature().inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["model.by", "x"]);
    let x = exe.buffer_for("x", &[1f32, 2.0]).unwrap();
    let error = exe.call((&Scale { by: Buffer::scalar(&CPU, 1f32).unwrap() }, &x)).unwrap_err();
    assert!(error.to_string().contains("`model.by`: f32[2] expected, f32[] found"), "{error}");
    let twice = compile(["x", "x"]).map(drop).unwrap_err().to_string();
    assert!(twice.starts_with("inputs: two arguments are called `x`\n  at "), "{twice}");
    let (compiler, inputs) = (CPU.compiler().inputs(["model"]), (scale(), Spec::f32([2])));
    let line = line!() + 1;
    let few = compiler.compile(Scale::by_reference, inputs);
    let few = few.map(drop).unwrap_err().to_string();
    let expected = format!("inputs: 1 names for 2 arguments\n  at {}:{line}:", file!());
    assert!(few.starts_with(&expected), "{few}");
}

#[test]
fn a_buffer_is_made_for_an_input_by_name() {
    let exe = CPU.compile(Scale::by_reference, (scale(), Spec::f32([2]))).unwrap();
    let by = exe.buffer_for("by", &[2f32, 3.0]).unwrap();
    let x = exe.any().buffer_for("arg1", &[5f32, 7.0]).unwrap();
    let y = exe.call((&Scale { by }, &x)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [10.0, 21.0]);
    for (error, expected) in [
        (exe.buffer_for("by", &[2i32, 3]), "`by`: f32[2] expected, i32[2] found"),
        (exe.buffer_for("b", &[2i32, 3]), "`b`: no such input; there are `by`, `arg1`"),
        (
            exe.buffer_for("by", &[2f32]),
            "1 elements of type f32 do not fill f32[2], which has 2 of type f32",
        ),
    ] {
        let error = error.map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn shapes_specs_and_buffers_are_dims() {
    let spec = Spec::f32([("a", 2), ("b", 3)]);
    let buffer = Buffer::from_slice(&CPU, &[1f32; 6], &spec).unwrap();
    assert_eq!(buffer.shape(), spec.shape());
    assert_eq!(
        Buffer::from_slice(&CPU, &[1i32; 6], &buffer).unwrap().shape().to_string(),
        "i32[a=2, b=3]"
    );
    assert_eq!(Spec::i32(&buffer).shape().to_string(), "i32[a=2, b=3]");
    assert_eq!(Shape::new(DType::U8, spec.shape()).unwrap().to_string(), "u8[a=2, b=3]");
    for zeros in [
        Buffer::zeros(&CPU, spec.shape()),
        Buffer::zeros(&CPU, &spec),
        Buffer::zeros(&CPU, spec.clone()),
        Buffer::zeros(&CPU, &buffer),
        Buffer::zeros_tree(&CPU, spec.clone()),
    ] {
        let zeros = zeros.unwrap();
        assert_eq!((zeros.shape(), zeros.to_vec::<f32>().unwrap()), (spec.shape(), vec![0.0; 6]));
    }
    let invalid = Spec::f32([("a", 2), ("a", 3)]);
    assert!((&invalid).into_dims().is_err());
    let error = Buffer::zeros(&CPU, &invalid).map(drop).unwrap_err().to_string();
    assert!(error.contains("duplicate axis `a`"), "{error}");
}

#[test]
fn a_buffer_is_named_anew_where_the_count_stays() {
    let buffer = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [6]).unwrap();
    let named = buffer.named([("row", 2), ("column", 3)]).unwrap();
    assert_eq!(named.to_string(), "[[1. 2. 3.]\n [4. 5. 6.]]");
    let error = named.named([4]).map(drop).unwrap_err().to_string();
    assert_eq!(error, "f32[row=2, column=3] cannot be named as f32[4]: 6 elements are expected");
}

#[test]
fn buffers_are_arrays_and_arrays_are_buffers() {
    let array = ndarray::Array::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as i32);
    for (array, expected) in [
        (array.clone(), "[[ 0  1  2]\n [10 11 12]]"),
        (array.clone().reversed_axes(), "[[ 0 10]\n [ 1 11]\n [ 2 12]]"),
    ] {
        let buffer = Buffer::from_array(&CPU, &array).unwrap();
        assert_eq!(buffer.to_string(), expected);
        assert_eq!(buffer.to_array::<i32>().unwrap(), array.into_dyn());
    }
    let every_second = array.slice(ndarray::s![.., ..;2]);
    let buffer = Buffer::from_array(&CPU, &every_second).unwrap();
    assert_eq!(buffer.to_vec::<i32>().unwrap(), [0, 2, 10, 12]);
    let scalar = Buffer::from_array(&CPU, &ndarray::arr0(7u8)).unwrap();
    assert_eq!(scalar.to_array::<u8>().unwrap(), ndarray::arr0(7u8).into_dyn());
    let empty = ndarray::Array2::<f32>::zeros((0, 3));
    assert_eq!(
        Buffer::from_array(&CPU, &empty).unwrap().to_array::<f32>().unwrap().shape(),
        [0, 3]
    );
    assert!(buffer.to_array::<f32>().is_err());
}
