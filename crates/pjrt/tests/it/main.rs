//! The crate on a real plugin: the CPU plugin of the `pjrt-plugins` package, installed if it is
//! missing.

mod alias;
mod child;
mod client;
mod donation;
mod event;
mod executable;
mod execute;
mod extensions;
mod fork;
mod fuzz_corpus;
mod host_buffer;
mod hostile;
mod layouts;
mod leak;
mod lifetime;
mod other_plugins;
mod plugin;
mod program;
mod shared;
mod shared_costs;
mod threads;
mod transfer;

use hloom_pjrt::{
    Alive, Client, CompileOptions, LoadedExecutable, Program,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers},
};
use hloom_test_support::{
    Child, CompileOwn, client as client_with, plugin, plugin_path, unless_unimplemented,
};
use std::{
    sync::Once,
    time::{Duration, Instant},
};

/// A client of its own with one device.
fn client() -> Client {
    client_with(1)
}

/// Compiles StableHLO text for one device.
fn compile(client: &Client, text: &str) -> LoadedExecutable {
    let options = CompileOptions::default();
    client.compile_own(&Program::mlir(text), &options).expect("the program compiles")
}

/// The sum of two vectors of two `f32`.
const ADD: &str = r#"
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"#;

/// The same, with the result aliased to the first argument.
const ADD_IN_PLACE: &str = r#"
func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"#;

/// Sleeps for the number of milliseconds in its argument, and returns the argument.
const SLEEP: &str = r#"
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.custom_call @hloom_test_sleep(%a) {api_version = 4 : i32} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
"#;

/// Always fails.
const FAIL: &str = r#"
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @hloom_test_fail(%a) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"#;

struct Sleep;

impl Handler for Sleep {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let time = frame.argument(0)?.as_slice::<i32>()?[0];
        std::thread::sleep(Duration::from_millis(time as u64));
        frame.result(0)?.as_mut_slice::<i32>()?[0] = time;
        Ok(())
    }
}

struct Fail;

impl Handler for Fail {
    fn call(_: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        Err(HandlerError::from("this handler always fails"))
    }
}

/// Registers the handlers of the programs above.
fn with_handlers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ffi = plugin().ffi().expect("the CPU plugin has custom calls");
        ffi.register("hloom_test_sleep", &Handlers::new::<Sleep>()).expect("registers");
        ffi.register("hloom_test_fail", &Handlers::new::<Fail>()).expect("registers");
    });
}

/// Waits until a client has only these objects: the plugin's threads free some of them.
fn expect_alive(client: &Client, expected: Alive) {
    let start = Instant::now();
    while client.alive() != expected && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(client.alive(), expected);
}

/// Waits for a condition that other threads fulfill.
fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs an ignored test of this binary in a process of its own, with this environment, and returns
/// its output.
fn in_child(test: &str, environment: &[(&str, &std::ffi::OsStr)]) -> String {
    // Eight threads take minutes where other programs use the processors.
    let child = Child::ignored(test).limit(Duration::from_secs(600));
    let child = environment.iter().fold(child, |child, (name, value)| child.env(name, value));
    child.run().passed().text()
}
