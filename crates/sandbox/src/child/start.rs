//! The start of a child: it loads the plugin, and gives up everything else.

use super::{
    confine::{Resources, filter_system_calls, limit_resources},
    files::{Files, limit_files},
    filter::Calls,
    linear_algebra,
};
use crate::{Target, message::Answer};
use hloom_pjrt::{
    Client, CompileOptions, ExecuteOptions, LogLevel, NamedValue, Plugin, Program, Topology,
};
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
    let client = client(plugin, devices).map_err(failed)?;
    limit_resources(&Resources::of_computing(memory))
        .and_then(|()| filter_system_calls(Calls::Compute))
        .map_err(missing)?;
    Ok(client)
}

/// Describes the devices of a target, after which this process can only compile: it reads files of
/// the plugin and of the system's libraries, starts programs of the plugin's companions, and writes
/// into `scratch`.
///
/// # Errors
/// The answer to the parent: the plugin's error, or what the system lacks.
pub fn start_ahead(
    plugin: &Path,
    target: &Target,
    scratch: &Path,
    resources: &Resources,
) -> Result<Topology, Answer> {
    // Threads inherit it: the plugin, which starts some, is loaded later.
    limit_files(&Files { plugin, companions: &target.companions, scratch }).map_err(missing)?;
    let topology = topology(plugin, target).map_err(failed)?;
    limit_resources(resources)
        .and_then(|()| filter_system_calls(Calls::Compile))
        .map_err(missing)?;
    Ok(topology)
}

fn missing(missing: String) -> Answer {
    Answer::Unsupported { missing }
}

fn failed(error: hloom_pjrt::Error) -> Answer {
    Answer::Failed { message: error.to_string() }
}

fn topology(plugin: &Path, target: &Target) -> hloom_pjrt::Result<Topology> {
    let plugin = Plugin::load_with_log_level(plugin, LogLevel::Fatal)?;
    let options = target.options.iter();
    let options = options.map(|(name, value)| (name.clone(), NamedValue::String(value.clone())));
    Topology::new(plugin, &target.name, &options.collect())
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
