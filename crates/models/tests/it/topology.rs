//! The tensor-parallel model, compiled for four TPU chips that this machine need not have. The plugin is large, so this runs only
//! where `HLOOM_TEST_PLUGINS` names `tpu`.

use hloom_graph::{DType, MeshShape, Partition, Spec, Tensor, TraceScope, Tree};
use hloom_models::llama::{Config, Llama};
use hloom_nn::{KvCache, Rope};
use hloom_pjrt::{CompileOptions, NamedValues, Plugin, Program, Topology};
use hloom_stablehlo::{Context, LowerOptions, lower};

#[test]
fn the_split_model_compiles_for_four_chips() {
    let wanted = std::env::var("HLOOM_TEST_PLUGINS").unwrap_or_default();
    if !wanted.split(',').any(|wanted| wanted.trim() == "tpu") {
        eprintln!("skipped: HLOOM_TEST_PLUGINS does not name tpu");
        return;
    }
    let config = Config::read(crate::fixture::path("llama/grouped/config.json")).unwrap();
    let mesh = MeshShape::new([("kv", 2), ("group", 2)]).unwrap();
    let trace = TraceScope::begin_over("llama", mesh);
    let parameter = |group: &str, path: String, spec: Spec| trace.parameter(format!("{group}.{path}"), &spec, false);
    let weights = Llama::new(&config, DType::BF16).tensor_parallel();
    let weights = weights.map(&mut |path, spec| parameter("weights", path.to_string(), spec));
    let rope = Rope::new(&config.rope, 64).map(&mut |path, spec| parameter("rope", path.to_string(), spec));
    let cache = KvCache::new(config.layers(), config.kv_heads, 64, config.head_dim, DType::BF16);
    let cache = cache.map(&mut |path, spec: Spec| parameter("cache", path.to_string(), spec.shard("kv_head", "kv")));
    let scalar = || Spec::scalar(DType::I32);
    let tokens = trace.parameter("tokens", &Spec::i32([("seq", 16)]), false);
    let (start, length) = (
        trace.parameter("start", &scalar(), false),
        trace.parameter("length", &scalar(), false),
    );
    let (hidden, cache) = weights.forward(tokens, start, length, &rope, &cache);
    let logits = weights.logits(hidden).constrain(Partition::replicated());
    let mut results = vec![("logits".to_owned(), logits)];
    cache.visit(&mut |path, &part: &Tensor| {
        results.push((path.to_string(), part.constrain([("kv_head", "kv")])));
    });
    let graph = trace.finish(results).unwrap();
    let context = Context::new();
    let code = lower(&context, &graph, &LowerOptions::default()).unwrap().bytecode();

    let path = pjrt_plugins::ensure("tpu").expect("the plugin can be installed");
    let plugin = Plugin::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let topology = Topology::new(plugin, "v5e:2x2x1", &NamedValues::default()).unwrap();
    let options = CompileOptions::partitioned(4);
    let executable = topology
        .compile(&Program::mlir(code), &options, None)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(executable.num_partitions().unwrap(), 4);
    println!("memory on each chip: {:?}", executable.memory_stats());
    println!("{} bytes", executable.serialize().unwrap().len());
}
