//! The kernels in programs that a plugin compiles for a GPU, without one.

use super::replaced;
use crate::{Topology, trace_function};
use hloom_graph::{BackendConfig, DType, Graph, Op, Spec, Tensor, Tree};
use hloom_nn::{Activation, KvCache, LayerCache, Linear, RmsNorm, attention, causal_mask};

#[derive(Tree, Clone)]
struct Layer<T = Tensor> {
    norm: RmsNorm<T>,
    query: Linear<T>,
    key: Linear<T>,
    value: Linear<T>,
    output: Linear<T>,
    second: RmsNorm<T>,
    gate: Linear<T>,
    up: Linear<T>,
    down: Linear<T>,
}

const HIDDEN: usize = 512;
const HEADS: usize = 2;
const GROUP: usize = 2;
const DIM: usize = 128;
const POSITIONS: usize = 96;

fn layer_spec() -> Layer<Spec> {
    let norm = || RmsNorm::new(HIDDEN, 1e-5, DType::BF16);
    let linear = |inputs, outputs| Linear::new(inputs, outputs, false, DType::BF16);
    Layer {
        norm: norm(),
        query: linear(HIDDEN, HEADS * GROUP * DIM),
        key: linear(HIDDEN, HEADS * DIM),
        value: linear(HIDDEN, HEADS * DIM),
        output: linear(HEADS * GROUP * DIM, HIDDEN),
        second: norm(),
        gate: linear(HIDDEN, 1000),
        up: linear(HIDDEN, 1000),
        down: linear(1000, HIDDEN),
    }
}

/// A layer of a decoder, and the logits of another weight.
fn layer(x: Tensor, layer: Layer, cache: LayerCache, start: Tensor) -> (Tensor, LayerCache) {
    let heads = [("kv_head", HEADS), ("group", GROUP), ("dim", DIM)];
    let of_cache = [("kv_head", HEADS), ("dim", DIM)];
    let h = layer.norm.forward(x);
    let query = layer.query.forward(h).unflatten("in", heads);
    let key = layer.key.forward(h).unflatten("in", of_cache);
    let value = layer.value.forward(h).unflatten("in", of_cache);
    let cache = cache.append(key, value, start);
    let mask = causal_mask(start, x.size("seq"), POSITIONS, None);
    let mixed = attention(query, cache.key, cache.value, Some(mask), 0.25);
    let x = x + layer.output.forward(mixed.merge(["kv_head", "group", "dim"], "in"));
    let h = layer.second.forward(x);
    let gate = Activation::Silu.forward(layer.gate.forward(h));
    (x + layer.down.forward(gate * layer.up.forward(h)), cache)
}

fn graph(rows: usize) -> Graph {
    let cache = KvCache::new(1, HEADS, POSITIONS, DIM, DType::BF16).layers.remove(0);
    let x = Spec::f32([("seq", rows), ("in", HIDDEN)]);
    let arguments = (x, layer_spec(), cache, Spec::scalar(DType::I32));
    trace_function(layer, arguments).unwrap_or_else(|error| panic!("{error}"))
}

/// The kernels that a graph calls, in order.
fn called(graph: &Graph) -> Vec<String> {
    let live = graph.nodes().filter_map(|(_, node)| match &node.op {
        Op::CustomCall(call) => match &call.config {
            BackendConfig::Opaque { config, .. } => config.split('"').nth(1).map(str::to_owned),
            BackendConfig::Typed(_) => None,
        },
        _ => None,
    });
    live.collect()
}

#[test]
fn a_step_of_one_token_is_five_kernels_a_layer() {
    let rewritten = graph(1).rewrite(replaced).unwrap_or_else(|error| panic!("{error}"));
    let expected = [
        "hloom_norm_linear3",
        "hloom_attend",
        "hloom_linear_add",
        "hloom_norm_gated",
        "hloom_linear_add",
    ];
    assert_eq!(called(&rewritten), expected);
    let other = graph(2).rewrite(replaced).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(called(&other), [""; 0], "two rows are left to the plugin");
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_compiles_the_kernels_of_a_step() {
    let path = pjrt_plugins::ensure("cuda13").expect("the plugin can be installed");
    hloom_pjrt::Plugin::load(path).unwrap_or_else(|error| panic!("{error}"));
    let rewritten = graph(1).rewrite(replaced).unwrap_or_else(|error| panic!("{error}"));
    let topology = Topology::cuda("h200").unwrap_or_else(|error| panic!("{error}"));
    let program = topology.compiler().compile_graph(&rewritten);
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    assert!(program.to_bytes().len() > 10_000);
}
