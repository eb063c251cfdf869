//! The start of a child: it loads the plugin, and gives up everything else.

use super::{
    confine::{filter_system_calls, limit_resources},
    linear_algebra,
};
use crate::message::Answer;
use hloom_pjrt::{Client, CompileOptions, ExecuteOptions, LogLevel, Plugin, Program};
use std::path::Path;

/// A program for which the plugin makes what it makes once: pools of threads, and the description
/// of the processor, which it reads from files.
const WARM_UP: &str = "
func.func @main(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %dot = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %exp = stablehlo.exponential %dot : tensor<64x64xf32>
  %sorted = \"stablehlo.sort\"(%exp) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %sum = stablehlo.reduce(%sorted init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %sorted, %sum : tensor<64x64xf32>, tensor<64xf32>
}";

/// Creates a client of the plugin, after which this process can do nothing but compute.
///
/// # Errors
/// The answer to the parent: the plugin's error, or what the system lacks.
pub fn start(plugin: &Path, devices: usize, memory: u64) -> Result<Client, Answer> {
    let client =
        client(plugin, devices).map_err(|error| Answer::Failed { message: error.to_string() })?;
    limit_resources(memory)
        .and_then(|()| filter_system_calls())
        .map_err(|missing| Answer::Unsupported { missing })?;
    Ok(client)
}

fn client(plugin: &Path, devices: usize) -> hloom_pjrt::Result<Client> {
    let plugin = Plugin::load_with_log_level(plugin, LogLevel::Fatal)?;
    linear_algebra::register(plugin);
    let devices = i64::try_from(devices).unwrap_or(i64::MAX);
    let client = plugin.client_builder().option("cpu_device_count", devices).build()?;
    // SAFETY: the program is the one above.
    let program = unsafe { client.compile(&Program::mlir(WARM_UP), &CompileOptions::new())? };
    let argument = client.buffer(&[0.0f32; 64 * 64], &[64, 64])?;
    for result in program.execute(&[&argument], &ExecuteOptions::new())? {
        result.to_bytes()?;
    }
    Ok(client)
}
