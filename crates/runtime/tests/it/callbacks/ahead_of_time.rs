//! Programs with callbacks, compiled ahead of time for devices that this machine lacks.
//!
//! The plugins are large, so the tests are ignored unless `cargo xtask test --plugins cuda13,tpu`
//! runs them.

use hloom_graph::{Effect, Graph, Spec, Tensor, custom_call};
use hloom_pjrt::{CompileOptions, NamedValue, NamedValues, Plugin, Program, Topology};
use hloom_runtime::{
    CallbackBuilder, NO_RESULTS, TensorAssert, TensorPrint, callback, host_fn,
    register_callback_targets, trace_function,
};
use hloom_stablehlo::{Context, LowerOptions, lower};
use hloom_test_support::CompileOwn;

/// The plugin; installs it if it is missing.
fn plugin(name: &str) -> Plugin {
    let path = pjrt_plugins::ensure(name).expect("the plugin can be installed");
    Plugin::load(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn compile(topology: &Topology, graph: &Graph) -> hloom_pjrt::Result<Vec<u8>> {
    let context = Context::new();
    let module = lower(&context, graph, &LowerOptions::default()).expect("the graph is sound");
    let program = Program::mlir(module.code());
    topology.compile_own(&program, &CompileOptions::default())?.serialize()
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
    let [] = CallbackBuilder::new("later", y, NO_RESULTS).run_deferred(|_, call| {
        call.complete(Ok(()));
        Ok(())
    });
    let half = host_fn("half", |x: f32| x / 2.0);
    half(y.print("y").print_stats("y")).assert(|y| y.is_finite(), "too much")
}

/// C8: callbacks on device memory, which read the stream, are compiled for CUDA.
///
/// C6: so are callbacks on host copies.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_takes_callbacks_of_every_kind() {
    let plugin = plugin("cuda13");
    let options = NamedValues::from([
        ("topology".to_owned(), NamedValue::String("1x1x1".into())),
        (
            "target_config".to_owned(),
            NamedValue::String(include_str!("../../../../pjrt/tests/it/h200.txtpb").into()),
        ),
    ]);
    let topology = Topology::new(plugin, "", &options).unwrap_or_else(|error| panic!("{error}"));
    let graph = trace_function(program, (Spec::f32([("row", 4), ("column", 8)]),))
        .expect("the program is sound");
    register_callback_targets(plugin, "cuda").unwrap_or_else(|error| panic!("{error}"));
    register_callback_targets(plugin, "cuda").expect("once more changes nothing");
    let bytes = compile(&topology, &graph).unwrap_or_else(|error| panic!("{error}"));
    println!("cuda13: a program with callbacks compiled ahead of time: {} bytes", bytes.len());
    assert!(bytes.len() > 1000);

    // The plugin looks the names up.
    let unknown = |x: Tensor| {
        let call = custom_call("acme.callback.v0", x, Spec::of(x.shape()));
        call.effect(Effect::Unordered).call()
    };
    let graph = trace_function(unknown, (Spec::f32([4]),)).expect("the program is sound");
    let error = compile(&topology, &graph).expect_err("nobody registered it").to_string();
    println!("cuda13: {error}");
    assert!(error.contains("acme.callback.v0"), "{error}");
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_runs_no_code_of_others() {
    let plugin = plugin("tpu");
    let error = register_callback_targets(plugin, "tpu").expect_err("it has no FFI").to_string();
    println!("tpu: {error}");
    assert!(error.contains("registering callbacks for `tpu`"), "{error}");
}
