//! User data of executions and states of executables, for handlers.

use crate::{Outcome, call, client, ffi, run};
use hloom_pjrt::{
    CompileOptions, ErrorCode, ExecuteContext, ExecuteOptions, Program,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers, Stage, StatefulHandler},
};
use hloom_test_support::CompileOwn;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

struct Seen(Mutex<Vec<(i64, i32)>>);

struct Label(&'static str);

struct Remembers;

impl Handler for Remembers {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        if frame.attributes().get("label").is_some() {
            assert_eq!(frame.user_data::<Label>()?.0, "of this execution");
        }
        let seen = frame.user_data::<Seen>()?;
        seen.0.lock().expect("no panic").push((frame.run_id()?, frame.device_ordinal()?));
        let input = frame.argument(0)?.as_slice::<f32>()?.to_vec();
        frame.result(0)?.as_mut_slice::<f32>()?.copy_from_slice(&input);
        Ok(())
    }
}

#[test]
fn an_execution_carries_data_to_its_handlers() {
    ffi().register("test.remembers", &Handlers::new::<Remembers>()).expect("a new name");
    let client = client();
    let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.custom_call @test.remembers(%a) {api_version = 4 : i32, backend_config = \
                {label}} : (tensor<2xf32>) -> tensor<2xf32>
        %1 = stablehlo.custom_call @test.remembers(%0) {api_version = 4 : i32, backend_config = \
                {}} : (tensor<2xf32>) -> tensor<2xf32>
        return %1 : tensor<2xf32>
    }";
    let text = text.replace("{label}", "{label = 1 : i32}");
    let executable =
        client.compile_own(&Program::mlir(text), &CompileOptions::default()).expect("it compiles");
    let input = client.buffer(&[1.0f32, 2.0], &[2]).expect("a buffer");

    let seen = Arc::new(Seen(Mutex::default()));
    let context = ExecuteContext::new(&client).expect("a context");
    context.insert(Arc::clone(&seen)).expect("the first of its type");
    context.insert(Arc::new(Label("of this execution"))).expect("the first of its type");
    context.insert(Arc::clone(&seen)).expect_err("the second of its type");
    let options = ExecuteOptions::new().context(&context);
    for _ in 0..2 {
        let outputs = executable.execute(&[&input], &options).expect("it runs");
        assert_eq!(outputs[0].to_vec::<f32>().expect("it is read"), [1.0, 2.0]);
    }
    let runs = seen.0.lock().expect("no panic").clone();
    assert_eq!(runs.len(), 4);
    assert!(
        runs[0] == runs[1] && runs[2] == runs[3],
        "calls of one execution share its id: {runs:?}"
    );
    assert!(runs.iter().all(|(_, device)| *device == 0));

    // Without the data it is an error that names the type; the plugin survives.
    let error = run(&executable, &[&input]).expect_err("there is no context");
    assert!(error.to_string().contains("Label"), "{error}");
    assert_eq!(error.code(), ErrorCode::FailedPrecondition);

    // The context, not the plugin, owns the data.
    drop(context);
    drop(input);
    assert_eq!(Arc::strong_count(&seen), 1);
}

static STATES: AtomicUsize = AtomicUsize::new(0);
static MADE: AtomicUsize = AtomicUsize::new(0);

struct Scale(f32);

impl Drop for Scale {
    fn drop(&mut self) {
        STATES.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Scales;

impl StatefulHandler for Scales {
    type State = Scale;

    fn instantiate(frame: &mut CallFrame<'_>) -> Result<Scale, HandlerError> {
        assert_eq!(frame.stage(), Stage::Instantiate);
        assert_eq!((frame.num_arguments(), frame.num_results()), (0, 0));
        let factor = frame.attributes().scalar::<f32>("factor")?;
        if factor == 0.0 {
            return Err(HandlerError::invalid("a factor of zero"));
        }
        STATES.fetch_add(1, Ordering::SeqCst);
        MADE.fetch_add(1, Ordering::SeqCst);
        Ok(Scale(factor))
    }

    fn call(frame: &mut CallFrame<'_>, state: &Scale) -> Outcome {
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        for (y, x) in output.as_mut_slice::<f32>()?.iter_mut().zip(input.as_slice::<f32>()?) {
            *y = state.0 * x;
        }
        Ok(())
    }
}

#[test]
fn state_is_made_once_for_each_executable_and_dropped_with_it() {
    ffi().register("test.scales", &Handlers::stateful::<Scales>()).expect("a new name");
    let client = client();
    let input = client.buffer(&[1.0f32, -2.0], &[2]).expect("a buffer");
    let compile = |factor: &str| {
        call(
            &client,
            "test.scales",
            &["tensor<2xf32>"],
            "tensor<2xf32>",
            &format!("factor = {factor} : f32"),
        )
    };
    let (triple, half) =
        (compile("3.0").expect("it compiles"), compile("0.5").expect("it compiles"));
    for _ in 0..5 {
        assert_eq!(
            run(&triple, &[&input]).expect("it runs").to_vec::<f32>().expect("it is read"),
            [3.0, -6.0]
        );
        assert_eq!(
            run(&half, &[&input]).expect("it runs").to_vec::<f32>().expect("it is read"),
            [0.5, -1.0]
        );
    }
    assert_eq!((MADE.load(Ordering::SeqCst), STATES.load(Ordering::SeqCst)), (2, 2));
    let error = compile("0.0").expect_err("it refuses");
    assert!(error.to_string().contains("a factor of zero"), "{error}");
    drop(triple);
    assert_eq!(STATES.load(Ordering::SeqCst), 1);
    drop(half);
    assert_eq!(STATES.load(Ordering::SeqCst), 0);
}
