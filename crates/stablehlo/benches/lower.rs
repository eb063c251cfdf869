//! Times the steps of lowering a decoder of 22 layers, about 1,000 ops, and of 10 times as many
//! layers.

#[path = "../../../benches/common/mod.rs"]
mod common;

use common::Measurement;
use hloom_graph::{DType, Graph, Op, Spec, Tensor, TraceScope, concatenate};
use hloom_stablehlo::{Context, LowerOptions, ModuleForm, lower};
use std::time::{Duration, Instant};

const WIDTH: usize = 2048;
const HEADS: usize = 32;
const SEQUENCE: usize = 32;

fn norm(x: Tensor, weight: Tensor) -> Tensor {
    let mean = (x * x).mean_keep("width");
    x * (mean + 1e-5).rsqrt() * weight
}

fn rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
    let half = (WIDTH / HEADS / 2) as isize;
    let (a, b) = (x.slice("head_dim", ..half), x.slice("head_dim", half..));
    x * cos + concatenate(&[-b, a], "head_dim") * sin
}

fn decoder(layers: usize) -> Graph {
    let trace = TraceScope::begin("decoder");
    let weight = |layer: usize, name: &str, out: (&str, usize), inner: (&str, usize)| {
        let name = format!("layers.{layer}.{name}.weight");
        trace.parameter(name, &Spec::bf16([out, inner]), false)
    };
    let head = WIDTH / HEADS;
    let mut x = trace.parameter("x", &Spec::bf16([("seq", SEQUENCE), ("width", WIDTH)]), false);
    let angles = Tensor::iota(DType::F32, [("seq", SEQUENCE), ("head_dim", head)], "seq");
    let (cos, sin) = (angles.cos().convert(DType::BF16), angles.sin().convert(DType::BF16));
    for layer in 0..layers {
        let scale = |name: &str| {
            trace.parameter(
                format!("layers.{layer}.{name}.weight"),
                &Spec::bf16([("width", WIDTH)]),
                false,
            )
        };
        let normed = norm(x, scale("input_norm"));
        let project = |name: &str| {
            let y = normed.dot(weight(layer, name, ("hidden", WIDTH), ("width", WIDTH)), "width");
            y.unflatten("hidden", [("heads", HEADS), ("head_dim", head)])
        };
        let query = rotate(project("query"), cos, sin);
        let key = rotate(project("key"), cos, sin).rename("seq", "past");
        let value = project("value").rename("seq", "past");
        let scores = query.dot(key, "head_dim") * (head as f32).powf(-0.5);
        let row = Tensor::iota(DType::I32, [("seq", SEQUENCE), ("past", SEQUENCE)], "seq");
        let column = Tensor::iota(DType::I32, [("seq", SEQUENCE), ("past", SEQUENCE)], "past");
        let scores = row.ge(column).select(scores, -1e38).convert(DType::F32);
        let attended = scores.softmax("past").convert(DType::BF16).dot(value, "past");
        let attended =
            attended.transpose(["seq", "heads", "head_dim"]).merge(["heads", "head_dim"], "hidden");
        x = x + attended
            .dot(weight(layer, "output", ("width", WIDTH), ("hidden", WIDTH)), "hidden");
        let normed = norm(x, scale("post_norm"));
        let gate =
            normed.dot(weight(layer, "gate", ("ffn", 5632), ("width", WIDTH)), "width").silu();
        let up = normed.dot(weight(layer, "up", ("ffn", 5632), ("width", WIDTH)), "width");
        x = x + (gate * up).dot(weight(layer, "down", ("width", WIDTH), ("ffn", 5632)), "ffn");
    }
    trace.finish(vec![(String::new(), x)]).expect("the decoder's shapes fit")
}

/// The shortest of several runs.
fn shortest<R>(mut run: impl FnMut() -> R) -> Duration {
    let times = (0..40).map(|_| {
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        drop(result);
        time
    });
    times.min().unwrap_or_default()
}

fn main() {
    measure(22);
    measure(220);
}

fn measure(layers: usize) {
    let report = |step: &str, value: f64, unit: &str| {
        Measurement::new(&format!("lower/{layers} layers/{step}"), value, unit).report();
    };
    let time = |step: &str, time: Duration| report(step, 1e3 * time.as_secs_f64(), "ms");
    let options = LowerOptions::default();
    let graph = decoder(layers);
    let live = graph.live();
    let counted = |op: &Op| !matches!(op, Op::Parameter(_));
    let nodes = graph.root().nodes.iter();
    let ops = nodes.filter(|n| live[n.index()] && counted(&graph.node(**n).op)).count();
    report("ops", ops as f64, "ops");
    time("trace", shortest(|| decoder(layers)));
    time("context", shortest(Context::new));
    time("context, lower, drop", shortest(|| drop(lower(&Context::new(), &graph, &options))));
    let context = Context::new();
    time("lower in the same context", shortest(|| lower(&context, &graph, &options)));
    let module = lower(&context, &graph, &options).expect("the decoder lowers");
    time("verify", shortest(|| module.verify()));
    let (text, bytecode) = (module.text_with_locations(), module.code());
    time("text", shortest(|| module.text_with_locations()));
    report("text/size", text.len() as f64, "bytes");
    time("bytecode", shortest(|| module.code()));
    report("bytecode/size", bytecode.len() as f64, "bytes");
    if let Ok(folder) = std::env::var("HLOOM_DUMP") {
        let file = |end: &str| format!("{folder}/decoder{layers}.{end}");
        std::fs::write(file("mlir"), text).expect("the folder can be written to");
        std::fs::write(file("mlirbc"), bytecode).expect("the folder can be written to");
    }
    let as_text = LowerOptions { form: ModuleForm::Text, ..LowerOptions::default() };
    time(
        "lower and code as text",
        shortest(|| lower(&context, &graph, &as_text).map(|module| module.code())),
    );
    let all = shortest(|| {
        let graph = decoder(layers);
        let context = Context::new();
        let module = lower(&context, &graph, &options).expect("the decoder lowers");
        module.code()
    });
    time("trace, context, lower, bytecode", all);
}
