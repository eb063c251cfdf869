//! The crate on a real plugin: the CPU plugin of the `pjrt-plugins` package, installed if it is
//! not there.

mod smoke;

use hloom_pjrt::{Client, CompileOptions, LoadedExecutable, Plugin, Program};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The CPU plugin's file: the one that the environment names, else the pinned package's.
fn plugin_path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match std::env::var_os("HLOOM_PLUGIN_CPU") {
        Some(path) => PathBuf::from(path),
        None => pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed"),
    })
}

fn plugin() -> Plugin {
    Plugin::load(plugin_path()).expect("the CPU plugin loads")
}

/// A client of its own with this many devices.
fn client_with(devices: i64) -> Client {
    let builder = plugin().client_builder().option("cpu_device_count", devices);
    builder.build().expect("a client of the CPU plugin")
}

/// A client of its own with one device.
fn client() -> Client {
    client_with(1)
}

/// Compiles StableHLO text for one device.
fn compile(client: &Client, text: &str) -> LoadedExecutable {
    let options = CompileOptions::default();
    client
        .compile(&Program::mlir(text), &options)
        .expect("the program compiles")
}

/// The sum of two vectors of two `f32`.
const ADD: &str = r#"
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"#;
