use super::{floats, graph};
use hloom_graph::{DType, Shape, Spec, Tensor, composite, while_loop};
use hloom_interpret::{Array, InterpretError, Interpreter, interpret};

#[test]
fn inputs_of_another_shape_are_refused() {
    let graph = graph(&Spec::f32([3]), |x| x + x);
    for inputs in [vec![], vec![floats(&[1.0, 2.0])], vec![floats(&[1.0; 3]), floats(&[1.0; 3])]] {
        let error = interpret(&graph, &inputs).expect_err("it takes three numbers").to_string();
        assert!(error.starts_with("`test` takes [f32[3]], not ["), "{error}");
    }
    let shape = Shape::new(DType::F32, [2]).expect("it is small");
    let error = Array::from_bytes(shape, &[0; 7]).expect_err("f32[2] has 8 bytes");
    assert_eq!(error.to_string(), "f32[2] has 8 bytes, not 7");
    assert!(Array::new(shape, &[1i32, 2]).is_err(), "the elements are f32");
}

#[test]
fn a_loop_without_an_end_stops_at_the_limit() {
    let graph =
        graph(&Spec::f32([1]), |x| while_loop(x, |_| Tensor::scalar(true, DType::Bool), |x| x + 1));
    let error = Interpreter::new().limit(1000).run(&graph, &[floats(&[0.0])]);
    assert!(matches!(error, Err(InterpretError::Limit { limit: 1000, .. })), "{error:?}");
}

#[test]
fn steps_that_a_shape_multiplies_are_counted_before_they_are_taken() {
    let graph = graph(&Spec::f32([10]), |x| {
        let ones = Tensor::ones(DType::F32, [1usize << 20, 10]);
        ones.matmul(x)
    });
    let error = Interpreter::new().limit(1 << 20).run(&graph, &[floats(&[0.0; 10])]);
    assert!(matches!(error, Err(InterpretError::Limit { .. })), "{error:?}");
}

#[test]
fn a_tensor_beyond_memory_is_refused() {
    let graph = graph(&Spec::f32([1]), |x| {
        Tensor::zeros(DType::F32, [1usize << 40]).sum(0).reshape([1usize]) + x
    });
    let error = interpret(&graph, &[floats(&[0.0])]).expect_err("it is too large").to_string();
    assert!(error.starts_with("f32[1099511627776] has more than the 134217728"), "{error}");
}

#[test]
fn nested_bodies_are_evaluated() {
    fn nested(x: Tensor, depth: usize) -> Tensor {
        match depth {
            0 => x * 2,
            depth => {
                composite("acme.nested", 1, Default::default(), x, |x| nested(x, depth - 1) + 1)
            }
        }
    }
    let graph = graph(&Spec::f32([1]), |x| nested(x, 50));
    let results = interpret(&graph, &[floats(&[3.0])]).expect("it is evaluated");
    assert_eq!(results[0].to_vec::<f32>(), Some(vec![56.0]));
}
