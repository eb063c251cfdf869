//! The tensor-parallel model, compiled ahead of time for several devices that this machine need not
//! have. The plugins are large, so the tests are ignored unless `cargo xtask test --plugins
//! cuda13,tpu` runs them.

use hloom_graph::{DType, MeshShape, PartitionSpec, Spec, Tensor, TraceScope, Tree};
use hloom_models::llama::{Config, Llama};
use hloom_nn::{KvCache, Rope};
use hloom_pjrt::{CompileOptions, NamedValue, NamedValues, Plugin, Program, Topology};
use hloom_runtime::legalize;
use hloom_stablehlo::{Context, LowerOptions, lower};

/// The number of devices that the model is split over, as a mesh of two times two.
const DEVICES: usize = 4;

/// The description of an H200 that the CUDA plugin needs to compile for it.
const H200: &str = r#"gpu_device_info {
  cuda_compute_capability { major: 9 minor: 0 }
  threads_per_block_limit: 1024 threads_per_warp: 32
  shared_memory_per_block: 49152 shared_memory_per_core: 233472 shared_memory_per_block_optin: 232448
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 4800000000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98
  device_memory_size: 150000000000
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 }
device_description_str: "NVIDIA H200""#;

/// The module of sixteen tokens through the model, sharded as by `--devices 4` of the example.
fn module(platform: &str) -> Vec<u8> {
    let config = Config::read(crate::fixture::path("llama/grouped/config.json")).unwrap();
    let mesh = MeshShape::new([("kv", 2), ("group", 2)]).unwrap();
    let trace = TraceScope::begin_over("llama", mesh);
    let parameter = |group: &str, path: String, spec: Spec| {
        trace.parameter(format!("{group}.{path}"), &spec, false)
    };
    let weights = Llama::new(&config, DType::BF16).tensor_parallel();
    let weights = weights.map(&mut |path, spec| parameter("weights", path.to_string(), spec));
    let rope = Rope::new(&config.rope, 64)
        .map(&mut |path, spec| parameter("rope", path.to_string(), spec));
    let cache = KvCache::new(config.layers(), config.kv_heads, 64, config.head_dim, DType::BF16);
    let cache = cache.map(&mut |path, spec: Spec| {
        parameter("cache", path.to_string(), spec.shard("kv_head", "kv"))
    });
    let scalar = || Spec::scalar(DType::I32);
    let tokens = trace.parameter("tokens", &Spec::i32([("seq", 16)]), false);
    let (start, length) =
        (trace.parameter("start", &scalar(), false), trace.parameter("length", &scalar(), false));
    let (hidden, cache) = weights.forward(tokens, start, length, &rope, &cache);
    let logits = weights.logits(hidden).constrain(PartitionSpec::replicated());
    let mut results = vec![("logits".to_owned(), logits)];
    cache.visit(&mut |path, &part: &Tensor| {
        results.push((path.to_string(), part.constrain([("kv_head", "kv")])));
    });
    let graph = trace.finish(results).unwrap();
    let graph = legalize(&graph, platform, None).unwrap();
    lower(&Context::new(), &graph, &LowerOptions::default()).unwrap().code()
}

fn compiles(name: &str, platform: &str, topology: &str, attributes: &NamedValues) {
    let path = pjrt_plugins::ensure(name).expect("the plugin can be installed");
    let plugin = Plugin::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let topology =
        Topology::new(plugin, topology, attributes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(topology.devices().expect("the plugin knows").len(), DEVICES);
    let executable = topology
        .compile(&Program::mlir(module(platform)), &CompileOptions::partitioned(DEVICES), None)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(executable.num_partitions().unwrap(), DEVICES);
    println!("{name}: memory on each device: {:?}", executable.memory_stats());
    println!("{name}: {} bytes", executable.serialize().unwrap().len());
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_compiles_the_split_model_for_four_chips() {
    compiles("tpu", "tpu", "v5e:2x2x1", &NamedValues::new());
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_compiles_the_split_model_for_four_devices() {
    // Slices, hosts of a slice, devices of a host.
    let topology = ("topology".into(), NamedValue::String("1x1x4".into()));
    let target = ("target_config".into(), NamedValue::String(H200.into()));
    compiles("cuda13", "cuda", "", &NamedValues::from([topology, target]));
}
