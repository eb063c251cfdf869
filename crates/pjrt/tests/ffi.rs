//! Rust code inside programs, on the CPU plugin.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hloom_pjrt::extension::ffi::{
    Attribute, CallFrame, Deferred, Ffi, Handler, HandlerError, Handlers, Stage, StatefulHandler,
};
use hloom_pjrt::{
    Buffer, Client, CompileOptions, DType, Error, ErrorCode, ExecuteContext, ExecuteOptions, LoadedExecutable, Plugin,
    Program,
};

type Outcome = Result<(), HandlerError>;

fn plugin() -> Plugin {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| match std::env::var_os("HLOOM_PLUGIN_CPU") {
        Some(path) => PathBuf::from(path),
        None => pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed"),
    });
    Plugin::load(path).expect("the CPU plugin loads")
}

fn client() -> Client {
    plugin()
        .client_builder()
        .option("cpu_device_count", 1i64)
        .build()
        .expect("a client of the CPU plugin")
}

fn ffi() -> Ffi {
    plugin().ffi().expect("the CPU plugin has an FFI")
}

/// A program of one custom call; `config` is what stands in its `backend_config`.
fn call(client: &Client, target: &str, inputs: &[&str], output: &str, config: &str) -> Result<LoadedExecutable, Error> {
    let names: Vec<String> = (0..inputs.len()).map(|index| format!("%a{index}")).collect();
    let arguments: Vec<String> = names
        .iter()
        .zip(inputs)
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    let text = format!(
        "func.func @main({}) -> {output} {{\n  \
           %0 = stablehlo.custom_call @{target}({}) {{api_version = 4 : i32, backend_config = {{{config}}}}} : ({}) -> {output}\n  \
           return %0 : {output}\n}}\n",
        arguments.join(", "),
        names.join(", "),
        inputs.join(", "),
    );
    client.compile(&Program::mlir(text), &CompileOptions::default())
}

fn run(executable: &LoadedExecutable, arguments: &[&Buffer]) -> Result<Buffer, Error> {
    let outputs = executable.execute(arguments, &ExecuteOptions::new())?;
    let output = outputs.into_iter().next().expect("the program has a result");
    output.wait()?;
    Ok(output)
}

struct Double;

impl Handler for Double {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        assert_eq!(frame.stage(), Stage::Execute);
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        assert_eq!(input.dims(), output.dims());
        for (y, x) in output.as_mut_slice::<f32>()?.iter_mut().zip(input.as_slice::<f32>()?) {
            *y = 2.0 * x;
        }
        Ok(())
    }
}

#[test]
fn a_handler_works_on_the_programs_memory() {
    ffi()
        .register("test.double", &Handlers::new::<Double>())
        .expect("a new name");
    // The same again changes nothing.
    ffi()
        .register("test.double", &Handlers::new::<Double>())
        .expect("the same handler");
    let client = client();
    let shapes: [(&str, &[i64]); 5] = [
        ("tensor<f32>", &[]),
        ("tensor<0xf32>", &[0]),
        ("tensor<1xf32>", &[1]),
        ("tensor<3x5x7xf32>", &[3, 5, 7]),
        ("tensor<4x0x2xf32>", &[4, 0, 2]),
    ];
    for (shape, dims) in shapes {
        let count = dims.iter().product::<i64>() as usize;
        let mut values: Vec<f32> = (0..count).map(|i| i as f32 - 1.5).collect();
        values.iter_mut().take(1).for_each(|first| *first = f32::NAN);
        let input = client.buffer(&values, dims).expect("a buffer");
        let executable = call(&client, "test.double", &[shape], shape, "").expect("it compiles");
        let output = run(&executable, &[&input])
            .expect("it runs")
            .to_vec::<f32>()
            .expect("it is read");
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let doubled: Vec<f32> = values.iter().map(|v| 2.0 * v).collect();
        assert_eq!(bits(&output), bits(&doubled), "{shape}");
    }
}

struct Other;

impl Handler for Other {
    fn call(_: &mut CallFrame<'_>) -> Outcome {
        Err("never called".into())
    }
}

#[test]
fn two_handlers_cannot_share_a_name() {
    ffi()
        .register("test.taken", &Handlers::new::<Double>())
        .expect("a new name");
    let error = ffi()
        .register("test.taken", &Handlers::new::<Other>())
        .expect_err("the name is taken");
    assert!(error.to_string().contains("test.taken"), "{error}");
    assert!(
        matches!(
            error,
            Error::Call {
                function: "XLA_FFI_Handler_Register",
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn an_unknown_target_is_an_error_of_the_compiler() {
    let error = call(&client(), "test.unknown", &["tensor<f32>"], "tensor<f32>", "").expect_err("it is not there");
    assert!(error.to_string().contains("test.unknown"), "{error}");
}

struct Reads;

impl Handler for Reads {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let attributes = frame.attributes();
        assert_eq!(attributes.len(), 8);
        assert!(!attributes.is_empty());
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "d", "f", "h", "i", "list", "s", "z"]);
        assert!(attributes.scalar::<bool>("b")?);
        assert_eq!(attributes.scalar::<i32>("i")?, -7);
        assert_eq!(attributes.scalar::<f32>("f")?, 0.5);
        assert_eq!(attributes.scalar::<half::bf16>("h")?, half::bf16::from_f32(1.5));
        assert_eq!(attributes.array::<i64>("list")?, [1, -2, 3]);
        assert_eq!(attributes.array::<f32>("z")?, [0.0f32; 0]);
        assert_eq!(attributes.string("s")?, "grüße");
        let inner = attributes.dictionary("d")?;
        assert_eq!(inner.scalar::<i64>("deep")?, i64::MIN);
        assert_eq!(inner.dictionary("deeper")?.string("t")?, "");
        assert!(matches!(attributes.get("i"), Some(Attribute::Scalar(DType::S32, _))));
        assert!(attributes.get("none").is_none());
        let missing = attributes.scalar::<i32>("none").expect_err("it is not there");
        assert!(
            missing.message.contains("no attribute `none`") && missing.message.contains("list"),
            "{missing}"
        );
        let wrong = attributes.scalar::<u32>("i").expect_err("it is signed");
        assert!(
            wrong.message.contains("`i`") && wrong.message.contains("u32") && wrong.message.contains("s32"),
            "{wrong}"
        );
        assert!(attributes.string("i").is_err() && attributes.array::<i32>("i").is_err());
        assert!(attributes.dictionary("s").is_err());
        assert!(format!("{frame:?}").contains("grüße"));
        Ok(())
    }
}

#[test]
fn attributes_of_every_kind_arrive() {
    ffi()
        .register("test.reads", &Handlers::new::<Reads>())
        .expect("a new name");
    let client = client();
    let config = r#"b = true, i = -7 : i32, f = 0.5 : f32, h = 1.5 : bf16, list = array<i64: 1, -2, 3>,
        z = array<f32>, s = "grüße", d = {deep = -9223372036854775808 : i64, deeper = {t = ""}}"#;
    let executable = call(&client, "test.reads", &[], "tensor<0xf32>", config).expect("it compiles");
    run(&executable, &[]).expect("the handler's own assertions hold");
}

/// Fails in the way that its attribute says.
struct Fails;

impl Handler for Fails {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        match frame.attributes().string("how")? {
            "error" => Err(HandlerError::new(ErrorCode::ResourceExhausted, "no more \0 patience")),
            "panic" => panic!("at argument {}", 3),
            "argument" => frame.argument(7).map(drop),
            "result" => frame.result(1).map(drop),
            "twice" => {
                let _first = frame.result(0)?;
                frame.result(0).map(drop)
            }
            "dtype" => frame.argument(0)?.as_slice::<i32>().map(drop),
            "stream" => match frame.stream() {
                None => frame.allocate(64, 16).map(drop),
                Some(_) => Ok(()),
            },
            other => Err(HandlerError::invalid(other)),
        }
    }
}

#[test]
fn errors_and_panics_become_the_error_of_the_execution() {
    ffi()
        .register("test.fails", &Handlers::new::<Fails>())
        .expect("a new name");
    let client = client();
    let input = client.buffer(&[1.0f32], &[1]).expect("a buffer");
    let cases = [
        ("error", Some(ErrorCode::ResourceExhausted), "no more \u{fffd} patience"),
        ("panic", Some(ErrorCode::Internal), "Fails panicked: at argument 3"),
        (
            "argument",
            Some(ErrorCode::InvalidArgument),
            "no argument 7: the call has 1",
        ),
        (
            "result",
            Some(ErrorCode::InvalidArgument),
            "no result 1: the call has 1",
        ),
        (
            "twice",
            Some(ErrorCode::InvalidArgument),
            "result 0 was given out before",
        ),
        (
            "dtype",
            Some(ErrorCode::InvalidArgument),
            "argument 0: expected elements of s32, found f32",
        ),
        ("stream", None, ""),
    ];
    for (how, code, text) in cases {
        let config = format!("how = \"{how}\"");
        let executable =
            call(&client, "test.fails", &["tensor<1xf32>"], "tensor<1xf32>", &config).expect("it compiles");
        for _ in 0..3 {
            let error = run(&executable, &[&input]).expect_err(how);
            assert!(error.to_string().contains(text), "{how}: {error}");
            assert!(code.is_none_or(|code| error.code() == code), "{how}: {error:?}");
        }
    }
    assert_eq!(input.to_vec::<f32>().expect("untouched"), [1.0]);
    drop(input);
    assert_eq!(client.alive().buffers, 0);
}

struct Flips;

impl Handler for Flips {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        match input.dtype() {
            DType::Pred => {
                for (y, x) in output.as_mut_slice::<bool>()?.iter_mut().zip(input.as_slice::<bool>()?) {
                    *y = !x;
                }
            }
            DType::S4 => {
                assert_eq!((input.len(), input.byte_len()), (5, 3));
                let message = input.as_slice::<hloom_pjrt::I4>().expect_err("packed").message;
                assert!(message.contains("packed"), "{message}");
                output
                    .as_mut_bytes()
                    .iter_mut()
                    .zip(input.as_bytes()?)
                    .for_each(|(y, x)| *y = !x);
            }
            other => return Err(HandlerError::invalid(other.to_string())),
        }
        Ok(())
    }
}

#[test]
fn booleans_are_checked_and_narrow_integers_are_bytes() {
    ffi()
        .register("test.flips", &Handlers::new::<Flips>())
        .expect("a new name");
    let client = client();
    let executable = call(&client, "test.flips", &["tensor<3xi1>"], "tensor<3xi1>", "").expect("it compiles");
    let input = client.buffer(&[true, false, true], &[3]).expect("a buffer");
    let output = run(&executable, &[&input]).expect("it runs");
    assert_eq!(output.to_vec::<bool>().expect("it is read"), [false, true, false]);
    let odd = client
        .host_buffer(DType::Pred, &[3])
        .copy(&[0, 1, 2])
        .expect("any byte is taken");
    assert!(
        run(&executable, &[&odd])
            .expect_err("2 is no boolean")
            .to_string()
            .contains("neither 0 nor 1")
    );

    let executable = call(&client, "test.flips", &["tensor<5xi4>"], "tensor<5xi4>", "").expect("it compiles");
    let values = [-8, -1, 0, 1, 7].map(hloom_pjrt::I4);
    let input = client.buffer(&values, &[5]).expect("a buffer");
    let output = run(&executable, &[&input])
        .expect("it runs")
        .to_vec::<hloom_pjrt::I4>()
        .expect("it is read");
    assert_eq!(output, [7, 0, -1, -2, -8].map(hloom_pjrt::I4));
}

struct InPlace;

impl Handler for InPlace {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let input = frame.argument(0)?;
        let mut output = frame.result(0)?;
        assert_eq!(input.as_ptr(), output.as_mut_ptr().cast_const());
        assert_eq!(input.aliased(), Some(0));
        assert!(
            input
                .as_slice::<i32>()
                .expect_err("aliased")
                .message
                .contains("result 0")
        );
        output.as_mut_slice::<i32>()?.iter_mut().for_each(|value| *value += 1);
        Ok(())
    }
}

#[test]
fn a_result_may_take_the_memory_of_an_argument() {
    ffi()
        .register("test.in_place", &Handlers::new::<InPlace>())
        .expect("a new name");
    let client = client();
    let text = "func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
        %0 = stablehlo.custom_call @test.in_place(%a) {api_version = 4 : i32, output_operand_aliases = [
            #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
        ]} : (tensor<3xi32>) -> tensor<3xi32>
        return %0 : tensor<3xi32>
    }";
    let executable = client
        .compile(&Program::mlir(text), &CompileOptions::default())
        .expect("it compiles");
    let input = client.buffer(&[1i32, 2, 3], &[3]).expect("a buffer");
    assert_eq!(
        run(&executable, &[&input])
            .expect("it runs")
            .to_vec::<i32>()
            .expect("it is read"),
        [2, 3, 4]
    );
    assert_eq!(input.to_vec::<i32>().expect("not donated"), [1, 2, 3]);
}

struct Seen(Mutex<Vec<(i64, i32)>>);

struct Label(&'static str);

struct Remembers;

impl Handler for Remembers {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        if frame.attributes().get("label").is_some() {
            assert_eq!(frame.user_data::<Label>()?.0, "of this execution");
        }
        let seen = frame.user_data::<Seen>()?;
        seen.0
            .lock()
            .expect("no panic")
            .push((frame.run_id()?, frame.device_ordinal()?));
        let input = frame.argument(0)?.as_slice::<f32>()?.to_vec();
        frame.result(0)?.as_mut_slice::<f32>()?.copy_from_slice(&input);
        Ok(())
    }
}

#[test]
fn an_execution_carries_data_to_its_handlers() {
    ffi()
        .register("test.remembers", &Handlers::new::<Remembers>())
        .expect("a new name");
    let client = client();
    let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.custom_call @test.remembers(%a) {api_version = 4 : i32, backend_config = {label}} : (tensor<2xf32>) -> tensor<2xf32>
        %1 = stablehlo.custom_call @test.remembers(%0) {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>
        return %1 : tensor<2xf32>
    }";
    let text = text.replace("{label}", "{label = 1 : i32}");
    let executable = client
        .compile(&Program::mlir(text), &CompileOptions::default())
        .expect("it compiles");
    let input = client.buffer(&[1.0f32, 2.0], &[2]).expect("a buffer");

    let seen = Arc::new(Seen(Mutex::default()));
    let context = ExecuteContext::new(&client).expect("a context");
    context.insert(Arc::clone(&seen)).expect("the first of its type");
    context
        .insert(Arc::new(Label("of this execution")))
        .expect("the first of its type");
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

    // Without the data it is an error that names the type; the plugin lives.
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
    ffi()
        .register("test.scales", &Handlers::stateful::<Scales>())
        .expect("a new name");
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
    let (triple, half) = (
        compile("3.0").expect("it compiles"),
        compile("0.5").expect("it compiles"),
    );
    for _ in 0..5 {
        assert_eq!(
            run(&triple, &[&input])
                .expect("it runs")
                .to_vec::<f32>()
                .expect("it is read"),
            [3.0, -6.0]
        );
        assert_eq!(
            run(&half, &[&input])
                .expect("it runs")
                .to_vec::<f32>()
                .expect("it is read"),
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

struct Sums;

impl Handler for Sums {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let pool = frame.thread_pool();
        assert!(pool.num_threads()? >= 1);
        let input = frame.argument(0)?.as_slice::<i64>()?;
        for count in [0, 1, 2, 3, input.len()] {
            let calls: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            pool.for_each(count, |index| {
                calls[index].fetch_add(1, Ordering::SeqCst);
            })?;
            assert!(
                calls.iter().all(|calls| calls.load(Ordering::SeqCst) == 1),
                "each piece once"
            );
        }
        let total = AtomicUsize::new(0);
        pool.for_each(input.len(), |index| {
            // A pool that is busy with the outer work cannot lock up the inner.
            let inner = pool.for_each(3, |_| {});
            assert!(inner.is_ok());
            total.fetch_add(input[index] as usize, Ordering::SeqCst);
        })?;
        let error = pool
            .for_each(100, |index| assert_ne!(index, 50))
            .expect_err("a piece panics");
        assert!(error.message.contains("panicked"), "{error}");
        frame.result(0)?.as_mut_slice::<i64>()?[0] = total.into_inner() as i64;
        Ok(())
    }
}

#[test]
fn work_is_shared_with_the_runtimes_threads() {
    ffi()
        .register("test.sums", &Handlers::new::<Sums>())
        .expect("a new name");
    let client = client();
    let executable = call(&client, "test.sums", &["tensor<1000xi64>"], "tensor<1xi64>", "").expect("it compiles");
    let values: Vec<i64> = (0..1000).collect();
    let input = client.buffer(&values, &[1000]).expect("a buffer");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let output = run(&executable, &[&input]).expect("it runs");
                    assert_eq!(output.to_vec::<i64>().expect("it is read"), [499_500]);
                }
            });
        }
    });
}

struct Later;

fn finish(mut deferred: Deferred) {
    std::thread::sleep(std::time::Duration::from_millis(20));
    let outcome = (|| {
        let (inputs, mut outputs) = deferred.arrays()?;
        for (y, x) in outputs[0]
            .as_mut_slice::<f32>()?
            .iter_mut()
            .zip(inputs[0].as_slice::<f32>()?)
        {
            if *x < 0.0 {
                return Err(HandlerError::new(ErrorCode::OutOfRange, "a negative number"));
            }
            *y = x.sqrt();
        }
        Ok(())
    })();
    deferred.complete(outcome);
}

impl Handler for Later {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let first = frame.argument(0)?.as_slice::<f32>()?[0];
        let deferred = frame.defer()?;
        assert!(frame.defer().is_err() && frame.argument(0).is_err() && frame.result(0).is_err());
        match first {
            // Dropped without being completed.
            99.0 => drop(deferred),
            // The handler fails after all.
            98.0 => return Err(HandlerError::new(ErrorCode::Aborted, "changed its mind")),
            _ => drop(std::thread::spawn(|| finish(deferred))),
        }
        Ok(())
    }
}

#[test]
fn a_call_may_complete_later() {
    ffi()
        .register("test.later", &Handlers::new::<Later>())
        .expect("a new name");
    let client = client();
    let executable = call(&client, "test.later", &["tensor<2xf32>"], "tensor<2xf32>", "").expect("it compiles");
    let run_on = |values: [f32; 2]| {
        let input = client.buffer(&values, &[2]).expect("a buffer");
        run(&executable, &[&input]).and_then(|output| output.to_vec::<f32>())
    };
    assert_eq!(run_on([4.0, 9.0]).expect("it runs"), [2.0, 3.0]);
    for (value, text) in [
        (-1.0, "a negative number"),
        (99.0, "without completing it"),
        (98.0, "changed its mind"),
    ] {
        let error = run_on([value, 1.0]).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(run_on([0.0, 1.0]).expect("it still runs"), [0.0, 1.0]);
}

#[test]
fn threads_call_one_executable() {
    ffi()
        .register("test.many", &Handlers::new::<Double>())
        .expect("a new name");
    let client = client();
    let executable = call(&client, "test.many", &["tensor<16xf32>"], "tensor<16xf32>", "").expect("it compiles");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (client, executable) = (&client, &executable);
            scope.spawn(move || {
                for round in 0..250 {
                    let value = (thread * 1000 + round) as f32;
                    let input = client.buffer(&[value; 16], &[16]).expect("a buffer");
                    let output = run(executable, &[&input]).expect("it runs");
                    assert_eq!(output.to_vec::<f32>().expect("it is read"), [2.0 * value; 16]);
                }
            });
        }
    });
    assert_eq!(client.alive().buffers, 0);
}

#[test]
fn the_registry_says_its_version_and_is_one() {
    let (major, minor) = ffi().version();
    assert_eq!(major, 0);
    assert!(minor >= 1, "0.{minor}");
    assert_eq!(ffi().plugin(), plugin());
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| ffi().version())).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(all.iter().all(|version| *version == (major, minor)));
}
