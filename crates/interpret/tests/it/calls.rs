use super::{floats, graph};
use hloom_graph::{CustomCall, DType, Graph, Op, Shape, Spec, Tensor, record};
use hloom_interpret::{Array, InterpretError, Interpreter, interpret};

/// A call of `acme.twice`, plus one.
fn twice() -> Graph {
    graph(&Spec::f32([2]), |x| {
        let call = CustomCall::new("acme.twice", [x.shape()]);
        record(Op::CustomCall(Box::new(call)), &[x])[0] + 1
    })
}

#[test]
fn a_call_without_an_evaluator_is_refused_by_name() {
    let error = interpret(&twice(), &[floats(&[1.0, 2.0])]).expect_err("nothing evaluates it");
    let InterpretError::CustomCall { target, .. } = &error else { panic!("{error}") };
    assert_eq!(target, "acme.twice");
    assert!(error.to_string().contains("calls.rs"), "{error}");
}

#[test]
fn a_call_is_evaluated_by_the_function_given_for_its_target() {
    let mut interpreter = Interpreter::new().custom_call("acme.twice", |call, operands| {
        assert_eq!(call.target, "acme.twice");
        let x = operands[0].to_vec::<f32>().ok_or("takes f32")?;
        let doubled: Vec<f32> = x.iter().map(|x| x * 2.0).collect();
        Array::new(operands[0].shape(), &doubled)
            .map_err(|error| error.to_string())
            .map(|result| vec![result])
    });
    let results = interpreter.run(&twice(), &[floats(&[1.0, 2.0])]).expect("it is evaluated");
    assert_eq!(results[0].to_vec::<f32>(), Some(vec![3.0, 5.0]));
}

#[test]
fn what_an_evaluator_returns_is_checked() {
    let run = |results: Result<Vec<Array>, String>| {
        let mut interpreter =
            Interpreter::new().custom_call("acme.twice", move |_, _| results.clone());
        let error = interpreter.run(&twice(), &[floats(&[1.0, 2.0])]);
        error.expect_err("the results do not fit").to_string()
    };
    assert_eq!(run(Err("no".into())), "the evaluator of `acme.twice`: no");
    assert!(run(Ok(vec![])).contains("it returned [], not [f32[2]]"));
    assert!(run(Ok(vec![floats(&[1.0])])).contains("it returned [f32[1]], not [f32[2]]"));
}

/// A call of a target of linear algebra on `f32` of these sizes.
fn called(target: &str, sizes: &[usize], results: &[Shape]) -> Result<Vec<Array>, InterpretError> {
    let graph = graph(&Spec::f32(sizes), |x| {
        let call = CustomCall::new(target, results.to_vec());
        record(Op::CustomCall(Box::new(call)), &[x])[0]
    });
    let shape = Shape::new(DType::F32, sizes).expect("it is small");
    let values: Vec<f32> = (0..shape.element_count()).map(|i| (i * i % 7) as f32 + 1.0).collect();
    interpret(&graph, &[Array::new(shape, &values).expect("they are f32")])
}

#[test]
fn linear_algebra_is_evaluated_without_an_evaluator() {
    let shape = |dtype, sizes: &[usize]| Shape::new(dtype, sizes).expect("it is small");
    let results = [shape(DType::F32, &[2, 2])];
    // The inverse of [[1, 2], [5, 3]].
    let found = called("hloom.inv.v1", &[2, 2], &results).expect("it is evaluated");
    let found = found[0].to_vec::<f32>().expect("it is f32");
    for (found, expected) in found.iter().zip([-3.0 / 7.0, 2.0 / 7.0, 5.0 / 7.0, -1.0 / 7.0]) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    // A permutation, which QR steps without a moved shift leave as it is.
    let cycle = graph(&Spec::f32([3, 3]), |x| x.eigvals().abs());
    let x = Array::new(shape(DType::F32, &[3, 3]), &[0f32, 0., 1., 1., 0., 0., 0., 1., 0.]);
    let found = interpret(&cycle, &[x.expect("they are f32")]).expect("it is evaluated");
    for size in found[0].to_vec::<f32>().expect("it is f32") {
        assert!((size - 1.0).abs() < 1e-6, "{size}");
    }
}

#[test]
fn calls_of_linear_algebra_that_do_not_fit_are_errors() {
    let shape = |dtype, sizes: &[usize]| Shape::new(dtype, sizes).expect("it is small");
    let f32s = |sizes: &[usize]| shape(DType::F32, sizes);
    let wrong = |target: &str, sizes: &[usize], results: &[Shape]| {
        called(target, sizes, results).expect_err("it does not fit").to_string()
    };
    let text = wrong("hloom.inv.v1", &[4], &[f32s(&[4])]);
    assert_eq!(
        text,
        "the evaluator of `hloom.inv.v1`: it takes 1 tensors of matrices, not [f32[4]]"
    );
    assert!(wrong("hloom.inv.v1", &[2, 3], &[f32s(&[2, 3])]).contains("do not fit"));
    assert!(wrong("hloom.solve.v1", &[2, 2], &[f32s(&[2, 2])]).contains("it takes 2 tensors"));
    assert!(wrong("hloom.lu.v1", &[2, 2], &[f32s(&[2, 3])]).contains("4 elements do not fill"));
    let bools = shape(DType::Bool, &[2, 2]);
    assert!(wrong("hloom.lu.v1", &[2, 2], &[bools]).contains("no elements that are numbers"));
    assert!(
        wrong("hloom.svd.v1", &[2, 3], &[f32s(&[2]), f32s(&[2, 9]), f32s(&[9, 3])])
            .contains("fill")
    );
    assert!(wrong("hloom.qr.v1", &[2, 2], &[f32s(&[2, 5]), f32s(&[5, 2])]).contains("fill"));
    let most = [f32s(&[2, 2]), shape(DType::I32, &[2]), shape(DType::I32, &[2]), f32s(&[1])];
    assert!(wrong("hloom.lu.v1", &[2, 2], &most).contains("0 elements do not fill"));
}

#[test]
fn right_sides_of_another_rank_are_errors() {
    let sizes = [2, 2, 2, 2];
    let solve = |right: fn(Tensor) -> Tensor| {
        let graph = graph(&Spec::f32(sizes), |x| {
            let call = CustomCall::new("hloom.solve.v1", [x.shape()]);
            record(Op::CustomCall(Box::new(call)), &[x, right(x)])[0]
        });
        let x = Array::new(Shape::new(DType::F32, sizes).expect("it is small"), &[1f32; 16]);
        interpret(&graph, &[x.expect("they are f32")])
    };
    for right in [|x: Tensor| x.sum([2, 3]), |x: Tensor| x.sum(3), |x: Tensor| x.sum([0, 3])] {
        let error = solve(right).expect_err("it does not fit").to_string();
        assert!(error.contains("do not fit"), "{error}");
    }
}
