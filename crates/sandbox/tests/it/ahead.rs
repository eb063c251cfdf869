//! Children that compile for devices that are not here. The plugins are large, so the tests are
//! ignored unless `cargo xtask test --plugins cuda13,tpu` runs them.

use super::sandbox;
use hloom_pjrt::CompileOptions;
use hloom_sandbox::{Argument, Error, Limits, Session, Target};
use std::collections::BTreeMap;

const DOT: &str = "
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = stablehlo.tanh %y : tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}";

fn text(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn started(plugin: &str, target: &Target) -> Session {
    let plugin = pjrt_plugins::ensure(plugin).expect("the plugin can be installed");
    let started = sandbox().limits(Limits::default()).start_ahead(plugin, target);
    started.unwrap_or_else(|error| panic!("{error}"))
}

/// A program is compiled and serialized, and is not run.
fn compiles(session: &Session) {
    let program = session.compile(DOT.as_bytes(), &CompileOptions::new());
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.description().parameters.len(), 1);
    assert!(!program.serialize().unwrap().is_empty());
    let error = program.call(&[Argument::Bytes(&[0; 64 * 64 * 4])]).unwrap_err().to_string();
    assert!(error.contains("devices that need not be here"), "{error}");
    let wrong = session.compile(b"func.func @main() { return 1 }", &CompileOptions::new());
    assert!(wrong.is_err());
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_programs_are_compiled_in_a_sandbox() {
    let session = started(
        "tpu",
        &Target {
            name: "v5e:2x2x1".into(),
            devices: 4,
            environment: text(&[
                ("TPU_SKIP_MDS_QUERY", "1"),
                ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1"),
                ("TPU_LOG_DIR", "disabled"),
            ]),
            ..Target::default()
        },
    );
    compiles(&session);
}

/// The description of an H200.
const H200: &str = "gpu_device_info {
  cuda_compute_capability { major: 9 minor: 0 }
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152
  shared_memory_per_core: 233472 threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 4800000000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98
  device_memory_size: 150000000000 shared_memory_per_block_optin: 232448
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: \"CUDA\" dnn_version_info { major: 9 minor: 10 }
device_description_str: \"NVIDIA H200\"";

/// `ptxas` is started in the sandbox too.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_programs_are_compiled_in_a_sandbox() {
    let plugin = pjrt_plugins::ensure("cuda13").expect("the plugin can be installed");
    let installed = plugin.ancestors().nth(3).expect("its packages");
    let target = Target {
        options: text(&[("topology", "1x1x1"), ("target_config", H200)]),
        devices: 1,
        companions: vec![installed.join("nvidia")],
        ..Target::default()
    };
    compiles(&started("cuda13", &target));
    // Without it, there is none elsewhere.
    let session = started("cuda13", &Target { companions: Vec::new(), ..target });
    let error = session.compile(DOT.as_bytes(), &CompileOptions::new()).map(drop).unwrap_err();
    assert!(matches!(error, Error::Plugin { .. }), "{error}");
}
