use super::{floats, graph};
use hloom_graph::{CustomCall, Graph, Op, Spec, record};
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
