//! The cost of a call in a sandbox beyond the call in process, with two arguments of 1 KiB, which
//! are copied in both.
//!
//! The two alternate in one process, whose program is also the child.

#[path = "../../../benches/common/mod.rs"]
mod common;

use common::{Measurement, interleaved};
use hloom_pjrt::{CompileOptions, DType, ExecuteOptions, Program};
use hloom_sandbox::{Argument, Sandbox};
use hloom_test_support::{CompileOwn, client, plugin_path};
use std::time::Duration;

const SAMPLES: usize = 1_000;
const ADD: &str = "func.func @main(%a: tensor<256xf32>, %b: tensor<256xf32>) -> tensor<256xf32> {
  %c = stablehlo.add %a, %b : tensor<256xf32>
  return %c : tensor<256xf32>
}";

fn main() {
    hloom_sandbox::enter();
    let session = Sandbox::new().start(plugin_path(), 1).expect("the child starts");
    let options = CompileOptions::new();
    let program = session.compile(ADD.as_bytes(), &options).expect("the program compiles");
    let client = client(1);
    let here = client.compile_own(&Program::mlir(ADD), &options).expect("the program compiles");
    let argument = [0; 1024];
    let buffer = || client.host_buffer(DType::F32, &[256]).copy(&argument).expect("a buffer");
    let in_process = || {
        let results = here.execute(&[&buffer(), &buffer()], &ExecuteOptions::new());
        results.expect("the call returns")[0].to_bytes().expect("the result is read");
    };
    let in_sandbox = || {
        program.call(&[Argument::Bytes(&argument); 2]).expect("the call returns");
    };
    let (here, there) = interleaved(SAMPLES, in_process, in_sandbox);
    let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
    let (here, there) = (microseconds(here), microseconds(there));
    Measurement::new("a call in process", here, "us").report();
    Measurement::new("a call in a sandbox adds", there - here, "us").target(100.0).report();
}
