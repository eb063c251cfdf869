//! Programs with callbacks, compiled for devices that are not here.
//!
//! The plugins are large, so the tests run only for those that `HLOOM_TEST_PLUGINS` names:
//! `HLOOM_TEST_PLUGINS=cuda13,tpu cargo test -p hloom-runtime --test it ahead_of_time -- --nocapture`

use hloom_graph::{Effect, Graph, Spec, Tensor, custom_call};
use hloom_pjrt::{CompileOptions, NamedValue, NamedValues, Plugin, Program, Topology};
use hloom_runtime::{
    CallbackBuilder, NOTHING, TensorAssert, TensorPrint, callback, host_fn, register_callback_targets, trace_function,
};
use hloom_stablehlo::{Context, LowerOptions, lower};

/// The plugin, if the tests for it are asked for.
fn plugin(name: &str) -> Option<Plugin> {
    let wanted = std::env::var("HLOOM_TEST_PLUGINS").unwrap_or_default();
    if !wanted.split(',').any(|wanted| wanted.trim() == name) {
        println!("{name}: skipped; HLOOM_TEST_PLUGINS does not name it");
        return None;
    }
    let path = pjrt_plugins::ensure(name).expect("the plugin can be installed");
    Some(Plugin::load(&path).unwrap_or_else(|error| panic!("{error}")))
}

fn compile(topology: &Topology, graph: &Graph) -> hloom_pjrt::Result<Vec<u8>> {
    let context = Context::new();
    let module = lower(&context, graph, &LowerOptions::default()).expect("the graph is sound");
    let program = Program::mlir(module.bytecode());
    topology
        .compile(&program, &CompileOptions::default(), None)?
        .serialize()
}

/// A program with a callback of every kind.
fn program(x: Tensor) -> Tensor {
    let spec = || Spec::of(x.shape());
    let y = callback("on the device", x, spec(), |context, x, mut y| {
        assert!(context.stream().is_some() && !x.as_ptr().is_null() && !y.as_mut_ptr().is_null());
        Ok(())
    });
    let y = CallbackBuilder::new("copied to the host", y, spec())
        .on_host()
        .attribute("factor", 2f32)
        .run(|_, x, mut y| {
            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        });
    let y = CallbackBuilder::new("recorded and replayed", y, spec())
        .command_buffer_compatible()
        .alias(0, 0)
        .run(|_, _, _| Ok(()));
    let [] = CallbackBuilder::new("later", y, NOTHING).run_deferred(|_, call| {
        call.complete(Ok(()));
        Ok(())
    });
    let half = host_fn("half", |x: f32| x / 2.0);
    half(y.print("y").print_stats("y")).assert(|y| y.is_finite(), "too much")
}

#[test]
fn cuda_takes_callbacks_of_every_kind() {
    let Some(plugin) = plugin("cuda13") else { return };
    let options = NamedValues::from([
        ("topology".to_owned(), NamedValue::String("1x1x1".into())),
        (
            "target_config".to_owned(),
            NamedValue::String(include_str!("../../../pjrt/tests/h200.txtpb").into()),
        ),
    ]);
    let topology = Topology::new(plugin, "", &options).unwrap_or_else(|error| panic!("{error}"));
    let graph = trace_function(program, (Spec::f32([("row", 4), ("column", 8)]),)).expect("the program is sound");
    register_callback_targets(plugin, "cuda").unwrap_or_else(|error| panic!("{error}"));
    register_callback_targets(plugin, "cuda").expect("once more changes nothing");
    let bytes = compile(&topology, &graph).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "cuda13: a program with callbacks compiled ahead of time: {} bytes",
        bytes.len()
    );
    assert!(bytes.len() > 1000);

    // The names are what the plugin looks for.
    let unknown = |x: Tensor| {
        let call = custom_call("hloom.callback.v0", x, Spec::of(x.shape()));
        call.effect(Effect::Unordered).call()
    };
    let graph = trace_function(unknown, (Spec::f32([4]),)).expect("the program is sound");
    let error = compile(&topology, &graph)
        .expect_err("nobody registered it")
        .to_string();
    println!("cuda13: {error}");
    assert!(error.contains("hloom.callback.v0"), "{error}");
}

#[test]
fn tpu_runs_no_code_of_others() {
    let Some(plugin) = plugin("tpu") else { return };
    let error = register_callback_targets(plugin, "tpu")
        .expect_err("it has no FFI")
        .to_string();
    println!("tpu: {error}");
    assert!(error.contains("registering callbacks for `tpu`"), "{error}");
}
