//! The plugins for devices that this machine need not have: they load, describe themselves, compile
//! ahead of time, and refuse a client with a clear error.
//!
//! Their packages are large, so the tests are ignored unless `cargo xtask test --plugins
//! cuda13,cuda12,tpu` runs them.

use hloom_pjrt::{
    Client, CompileOptions, DType, Error, Executable, NamedValue, NamedValues, Plugin, Program,
    Result, Topology,
    extension::{
        abi_version::ExecutableAbiVersion,
        ffi::{CallFrame, Handler, HandlerError, Handlers},
    },
};
use hloom_test_support::CompileOwn;

const DOT: &str = "func.func @main(%a: tensor<128x256xbf16>, %b: tensor<256x64xbf16>) -> \
                   tensor<128x64xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, \
                   tensor<256x64xbf16>) -> tensor<128x64xbf16>
  return %0 : tensor<128x64xbf16>
}";

/// The description of an H200 that the CUDA plugin needs to compile for it.
const H200: &str = include_str!("h200.txtpb");

/// The plugin, which is installed if it is missing.
fn plugin(name: &str) -> Plugin {
    let path = pjrt_plugins::ensure(name).expect("the plugin can be installed");
    let plugin = Plugin::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let extensions: Vec<_> = plugin
        .api()
        .extensions()
        .iter()
        .map(|extension| {
            format!("{} ({})", extension.name().unwrap_or("unknown"), extension.size())
        })
        .collect();
    println!("{name}: API {:?}, {} functions", plugin.version(), plugin.api().functions().count());
    println!("{name}: extensions {}", extensions.join(", "));
    println!("{name}: attributes {:?}", plugin.attributes());
    assert_eq!(plugin.version().0, 0);
    let oldest = plugin.stablehlo_minimum_version().expect("the plugin says");
    let newest = plugin.stablehlo_current_version().expect("the plugin says");
    assert!(oldest < newest, "{oldest:?} {newest:?}");
    plugin
}

/// The properties of a topology, and a dot product compiled for it: executable and its bytes.
fn compile_ahead(name: &str, topology: &Topology) -> (Executable, Vec<u8>) {
    let devices = topology.devices().expect("the plugin knows");
    println!("{name}: topology of {} x {}", devices.len(), devices[0].kind());
    println!("{name}: device attributes {:?}", devices[0].attributes());
    println!("{name}: topology attributes {:?}", topology.attributes().expect("the plugin knows"));
    let kinds = topology.memory_kinds().expect("the plugin knows");
    println!(
        "{name}: memory kinds {:?}",
        kinds[0].iter().map(|kind| &kind.name).collect::<Vec<_>>()
    );
    assert_eq!(kinds.len(), devices.len());
    let layout = topology.default_layout(DType::BF16, &[128, 256]);
    println!("{name}: layout of bf16[128,256] {:?}", layout.as_ref().map(|layout| layout.as_str()));

    let executable = topology
        .compile_own(&Program::mlir(DOT), &CompileOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let bytes = executable.serialize().expect("it is serialized");
    println!("{name}: one product compiled ahead of time: {} bytes", bytes.len());
    assert!(bytes.len() > 1000);
    assert_eq!(executable.num_outputs().expect("the plugin knows"), 1);
    println!("{name}: memory {:?}", executable.memory_stats());
    println!("{name}: output layouts {:?}", executable.output_layouts());
    println!("{name}: parameter layouts {:?}", executable.parameter_layouts());
    println!("{name}: shardings {:?}", executable.parameter_shardings());
    (executable, bytes)
}

/// The error of a client, or the client where the machine has the device.
fn expect_no_client(name: &str, outcome: Result<Client>) {
    match outcome {
        Ok(client) => println!("{name}: a client of {} devices", client.devices().len()),
        Err(error) => {
            println!("{name}: no client: {error}");
            assert!(
                matches!(error, Error::Call { function: "PJRT_Client_Create", .. }),
                "{error:?}"
            );
            assert!(
                error.to_string().contains(name.trim_end_matches(|c: char| c.is_ascii_digit())),
                "{error}"
            );
        }
    }
}

/// Only registered: this machine cannot run it.
struct Never;

impl Handler for Never {
    fn call(_: &mut CallFrame<'_>) -> std::result::Result<(), HandlerError> {
        Err("never called".into())
    }
}

struct NeverEither;

impl Handler for NeverEither {
    fn call(_: &mut CallFrame<'_>) -> std::result::Result<(), HandlerError> {
        Err("never called either".into())
    }
}

fn cuda(name: &str) {
    let plugin = plugin(name);
    let mut options = NamedValues::new();
    options.insert("topology".into(), NamedValue::String("1x1x1".into()));
    options.insert("target_config".into(), NamedValue::String(H200.into()));
    let topology = Topology::new(plugin, "", &options).unwrap_or_else(|error| panic!("{error}"));
    let (executable, _) = compile_ahead(name, &topology);

    // Whether the executable runs elsewhere can be checked where it was made.
    let version = executable.abi_version().expect("the plugin has the extension");
    let bytes = version.to_bytes().expect("it is serialized");
    let again = ExecutableAbiVersion::from_bytes(plugin, &bytes).expect("its own bytes");
    assert_eq!(again.to_bytes().expect("it is serialized"), bytes);
    assert_eq!(again.platform_id().ok(), version.platform_id().ok());
    println!("{name}: ABI version of {} bytes, platform {:x?}", bytes.len(), version.platform_id());
    assert!(ExecutableAbiVersion::from_bytes(plugin, b"\xff\xff").is_err());

    // Handlers are registered with real errors, though there is no device to run them.
    let ffi = plugin.ffi().unwrap_or_else(|error| panic!("{error}"));
    println!("{name}: XLA FFI {:?}", ffi.version());
    // SAFETY: the handlers are never called, and touch no memory.
    unsafe {
        ffi.register_for("test.never", "CUDA", &Handlers::new::<Never>()).expect("a new name");
        ffi.register_for("test.never", "CUDA", &Handlers::new::<Never>())
            .expect("the same handler");
        let error = ffi.register_for("test.never", "CUDA", &Handlers::new::<NeverEither>());
        println!("{name}: {}", error.expect_err("the name is taken"));
    }
    plugin.register_batch_partitionable("test.never").expect("a new name");
    let call = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @test.never(%a) {api_version = 4 : i32} : (tensor<4xf32>) -> \
                tensor<4xf32>
      return %0 : tensor<4xf32>
    }";
    let compiled = topology.compile_own(&Program::mlir(call), &CompileOptions::default());
    assert!(compiled.unwrap_or_else(|error| panic!("{error}")).serialize().is_ok());

    let broken = Topology::new(
        plugin,
        "",
        &NamedValues::from([("target_config".into(), "nonsense {".into())]),
    );
    println!("{name}: {}", broken.expect_err("it is not a message"));
    expect_no_client(name, plugin.client());
}

/// X3: a program is compiled for a GPU on a machine without one.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_compiles_for_a_device_that_is_not_here() {
    cuda("cuda13");
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda12"]
fn plugin_cuda12_compiles_for_a_device_that_is_not_here() {
    cuda("cuda12");
}

/// X3: a program is compiled for TPUs on a machine without one.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_compiles_for_devices_that_are_not_here() {
    let plugin = plugin("tpu");
    let topology = Topology::new(plugin, "v5e:2x2x1", &NamedValues::new())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(topology.devices().expect("the plugin knows").len(), 4);
    compile_ahead("tpu", &topology);
    let copy = topology.serialize().and_then(|bytes| Topology::deserialize(plugin, &bytes));
    println!(
        "tpu: topology read again: {:?}",
        copy.map(|copy| copy.devices().map(|devices| devices.len()))
    );
    println!("tpu: {:?}", plugin.ffi().map(|ffi| ffi.version()));
    for wrong in ["v5e:0x0", "v5e:2x2x0", "v5e:nonsense", "no such chip:2x2x1"] {
        let error =
            Topology::new(plugin, wrong, &NamedValues::new()).expect_err("there is no such slice");
        println!("tpu: {error}");
    }
    expect_no_client("tpu", plugin.client());
}
