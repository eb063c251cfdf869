//! Each layer and function, compared with values by JAX and NumPy (`tests/oracle/layers.py`).

use half::bf16;
use hloom_graph::{DType, Key, Shape, Spec, Tensor, stack};
use hloom_nn::{
    Activation, AttentionOptions, Distribution, Embedding, Fan, Gru, Initializer, Interpolation,
    LayerCache, LayerNorm, Linear, Lstm, Resize, RmsNorm, Rope, RopeConfig, RopeScaling, Routing,
    RoutingOptions, attention, attention_with, causal_mask, dropout,
    loss::{
        CrossEntropyOptions, absolute_error, bce_with_logits, cross_entropy_with, hinge, huber,
        kl_divergence, soft_cross_entropy, squared_error,
    },
    ring_mask,
};
use hloom_runtime::Buffer;
use hloom_test_support::{CPU, Optimization};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub struct Array {
    dtype: String,
    axes: Vec<(String, usize)>,
    values: Vec<f64>,
}

#[derive(Deserialize)]
pub struct Case {
    name: String,
    pub layer: String,
    pub attributes: Value,
    inputs: Vec<Array>,
    expected: Array,
}

impl Array {
    fn shape(&self) -> Shape {
        let dtype = match self.dtype.as_str() {
            "f32" => DType::F32,
            "bf16" => DType::BF16,
            "i32" => DType::I32,
            "bool" => DType::Bool,
            other => panic!("unknown element type {other}"),
        };
        let axes = self.axes.iter().map(|(name, size)| (name.as_str(), *size));
        Shape::new(dtype, axes.collect::<Vec<_>>()).unwrap()
    }

    fn buffer(&self) -> Buffer {
        let (values, axes) = (&self.values, self.shape());
        let axes = axes.axes();
        match self.shape().dtype() {
            DType::F32 => Buffer::from_slice(&CPU, &values.each(|v| v as f32), axes),
            DType::BF16 => Buffer::from_slice(&CPU, &values.each(bf16::from_f64), axes),
            DType::I32 => Buffer::from_slice(&CPU, &values.each(|v| v as i32), axes),
            _ => Buffer::from_slice(&CPU, &values.each(|v| v != 0.0), axes),
        }
        .unwrap()
    }

    /// The largest difference that rounding explains: a part of the largest value.
    fn tolerance(&self) -> f64 {
        let largest = self.values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        match self.dtype.as_str() {
            "f32" => 4e-6 * largest,
            "bf16" => largest / 128.0,
            _ => 0.0,
        }
    }
}

/// The values as elements of a type.
trait Each {
    fn each<T>(&self, convert: impl Fn(f64) -> T) -> Vec<T>;
}

impl Each for Vec<f64> {
    fn each<T>(&self, convert: impl Fn(f64) -> T) -> Vec<T> {
        self.iter().map(|&value| convert(value)).collect()
    }
}

impl Case {
    pub fn number(&self, name: &str) -> f64 {
        number(&self.attributes, name)
    }

    pub fn size(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    /// The program of the case, on its inputs.
    fn program(&self, inputs: &[Tensor]) -> Tensor {
        let optional = inputs.get(2).copied();
        match self.layer.as_str() {
            "linear" => {
                let linear = Linear { weight: inputs[1], bias: optional };
                match self.attributes["to"].as_str() {
                    Some(name) => linear.to(name).forward(inputs[0]),
                    None => linear.forward(inputs[0]),
                }
            }
            "embedding" => Embedding { weight: inputs[1] }.forward(inputs[0]),
            "embedding as linear" => Embedding { weight: inputs[1] }.as_linear().forward(inputs[0]),
            "rms_norm" => {
                let norm = RmsNorm { weight: inputs[1], epsilon: self.number("epsilon") };
                norm.forward(inputs[0])
            }
            "layer_norm" => {
                let epsilon = self.number("epsilon");
                LayerNorm { weight: inputs[1], bias: optional, epsilon }.forward(inputs[0])
            }
            "attention" => {
                let mask = inputs.get(3).copied();
                attention(inputs[0], inputs[1], inputs[2], mask, self.number("scale"))
            }
            "causal_mask" => {
                let window = self.attributes["window"].as_u64().map(|window| window as usize);
                causal_mask(inputs[0], self.size("queries"), self.size("positions"), window)
            }
            "kv_cache" => {
                let cache = LayerCache { key: inputs[0], value: inputs[0] };
                let cache = cache.append(inputs[1], inputs[2], inputs[3]);
                stack(&[cache.key, cache.value], "both")
            }
            "attention_with" => self.attended(inputs),
            "cross_entropy" => {
                let ignore_index = self.attributes["ignore_index"].as_i64();
                let label_smoothing = self.number("label_smoothing");
                let options = CrossEntropyOptions { label_smoothing, ignore_index };
                cross_entropy_with(inputs[0], inputs[1], "vocab", options)
            }
            "soft_cross_entropy" => soft_cross_entropy(inputs[0], inputs[1], "vocab"),
            "loss" => match self.attributes["function"].as_str().unwrap() {
                "squared_error" => squared_error(inputs[0], inputs[1]),
                "absolute_error" => absolute_error(inputs[0], inputs[1]),
                "huber" => huber(inputs[0], inputs[1], 0.7),
                "bce_with_logits" => bce_with_logits(inputs[0], inputs[1]),
                "kl_divergence" => kl_divergence(inputs[0], inputs[1]),
                "hinge" => hinge(inputs[0], inputs[1]),
                other => panic!("unknown loss {other}"),
            },
            "lstm" => {
                let lstm = Lstm {
                    weight_ih: inputs[1],
                    weight_hh: inputs[2],
                    bias_ih: Some(inputs[3]),
                    bias_hh: Some(inputs[4]),
                };
                let start = lstm.zero_state(inputs[0].index("time", 0));
                lstm.forward(inputs[0], "time", start).1
            }
            "gru" => {
                let gru = Gru {
                    weight_ih: inputs[1],
                    weight_hh: inputs[2],
                    bias_ih: Some(inputs[3]),
                    bias_hh: Some(inputs[4]),
                };
                let start = gru.zero_state(inputs[0].index("time", 0));
                gru.forward(inputs[0], "time", start).1
            }
            "resize" => self.resized(inputs[0]),
            "mixture" => {
                let (x, router, up, down) = (inputs[0], inputs[1], inputs[2], inputs[3]);
                let capacity =
                    self.attributes["capacity"].as_u64().map(|capacity| capacity as usize);
                let normalize = self.attributes["normalize"].as_bool().unwrap();
                let options = RoutingOptions { normalize, capacity };
                let logits = x.dot(router, "in");
                Routing::top_k(logits, "expert", self.size("k"), options).apply(x, |x, sizes| {
                    let hidden = x.ragged_dot(up, sizes, ("in", "in")).silu();
                    hidden.ragged_dot(down, sizes, ("hidden", "hidden"))
                })
            }
            "ring" => {
                let cache = LayerCache { key: inputs[0], value: inputs[0] };
                cache.append_ring(inputs[1], inputs[1], inputs[2]).key
            }
            "ring_mask" => {
                let positions = inputs[0].size("position");
                let queries = self.size("queries");
                let mask = ring_mask(inputs[1], queries, positions, self.size("window"));
                let seen = mask.convert(DType::F32).dot(inputs[0], "position");
                seen.transpose(["seq", "kv_head", "dim"])
            }
            "rope layout" => {
                let (dim, theta) = (self.size("rotated"), 1000.0);
                let config = RopeConfig { dim, theta, scaling: RopeScaling::Default };
                let (cos, sin) = config.tables(16);
                let table =
                    |values: &[f32]| Tensor::constant(values, [("position", 16), ("dim", dim / 2)]);
                let rope = Rope::Table { cos: table(&cos), sin: table(&sin) };
                let zero = Tensor::scalar(0, DType::I32);
                let angles = rope.angles(5, Tensor::scalar(2, DType::I32), zero);
                if self.attributes["interleaved"].as_bool().unwrap() {
                    Rope::rotate_interleaved(inputs[0], angles)
                } else {
                    Rope::rotate(inputs[0], angles)
                }
            }
            "initializer" => {
                let (deviation, scale) = (0.5, 0.5);
                let initializer = match self.attributes["kind"].as_str().unwrap() {
                    "normal" => Initializer::Normal { deviation },
                    "truncated_normal" => Initializer::TruncatedNormal { deviation },
                    "uniform" => Initializer::Uniform { scale },
                    "glorot_uniform" => Initializer::GLOROT_UNIFORM,
                    "glorot_normal" => Initializer::GLOROT_NORMAL,
                    "he_uniform" => Initializer::HE_UNIFORM,
                    "he_normal" => Initializer::HE_NORMAL,
                    "lecun_uniform" => Initializer::LECUN_UNIFORM,
                    "lecun_normal" => Initializer::LECUN_NORMAL,
                    "constant" => Initializer::Constant(0.25),
                    "ones" => Initializer::Ones,
                    "zeros" => Initializer::Zeros,
                    _ => Initializer::VarianceScaling {
                        scale: 3.0,
                        fan: Fan::Out,
                        distribution: Distribution::Normal,
                    },
                };
                initializer.sample(Key::new(7), &Spec::of(inputs[0].shape()))
            }
            "rope" => self.rotated(inputs),
            "activation" => {
                let name = self.attributes["function"].as_str().unwrap();
                Activation::from_name(name).expect("a name of models").forward(inputs[0])
            }
            other => panic!("unknown layer {other}"),
        }
    }

    fn attended(&self, inputs: &[Tensor]) -> Tensor {
        let mut more = inputs[3..].iter().copied();
        let mut given =
            |name: &str| self.attributes[name].as_bool().unwrap().then(|| more.next().unwrap());
        let options = AttentionOptions {
            mask: given("mask"),
            bias: given("bias"),
            sinks: given("sinks"),
            soft_cap: self.attributes["soft_cap"].as_f64(),
            chunk: self.attributes["chunk"].as_u64().map(|chunk| chunk as usize),
        };
        attention_with(inputs[0], inputs[1], inputs[2], 0.37, &options)
    }

    fn resized(&self, x: Tensor) -> Tensor {
        let interpolation = match self.attributes["kind"].as_str().unwrap() {
            "nearest" => Interpolation::Nearest,
            "linear" => Interpolation::Linear,
            _ => Interpolation::Cubic(self.number("cubic")),
        };
        let is = |name: &str| self.attributes[name].as_bool().unwrap();
        let mut resize = if self.attributes["of"] == "torch" {
            Resize::torch(interpolation)
        } else {
            Resize::jax(interpolation)
        };
        resize = resize.antialias(is("antialias"));
        resize.from_start &= self.attributes["mode"] != "nearest-exact";
        if is("align_corners") {
            resize = resize.align_corners();
        }
        let to = |i: usize| self.attributes["to"][i].as_u64().unwrap() as usize;
        resize.forward(x, &[("height", to(0)), ("width", to(1))])
    }

    fn rotated(&self, inputs: &[Tensor]) -> Tensor {
        const POSITIONS: usize = 32;
        let (dim, theta) = (self.size("dim"), self.number("theta"));
        let config = RopeConfig { dim, theta, scaling: scaling(&self.attributes["scaling"]) };
        let rope = match Rope::new(&config, POSITIONS) {
            Rope::Table { .. } => {
                let (cos, sin) = config.tables(POSITIONS);
                let table = |values: &[f32]| {
                    Tensor::constant(values, [("position", POSITIONS), ("dim", dim / 2)])
                };
                Rope::Table { cos: table(&cos), sin: table(&sin) }
            }
            Rope::Dynamic { dim, theta, factor, positions } => {
                Rope::Dynamic { dim, theta, factor, positions }
            }
        };
        Rope::rotate(inputs[0], rope.angles(self.size("count"), inputs[1], inputs[2]))
    }
}

fn number(attributes: &Value, name: &str) -> f64 {
    attributes[name].as_f64().unwrap_or_else(|| panic!("no number `{name}`: {attributes}"))
}

fn scaling(value: &Value) -> RopeScaling {
    let (kind, attributes) = value.as_object().unwrap().iter().next().unwrap();
    let number = |name| number(attributes, name);
    let factor = || number("factor");
    let positions = || number("positions") as usize;
    match kind.as_str() {
        "default" => RopeScaling::Default,
        "linear" => RopeScaling::Linear { factor: factor() },
        "dynamic" => RopeScaling::Dynamic { factor: factor(), positions: positions() },
        "llama3" => RopeScaling::Llama3 {
            factor: factor(),
            low_freq_factor: number("low_freq_factor"),
            high_freq_factor: number("high_freq_factor"),
            positions: positions(),
        },
        "yarn" => RopeScaling::Yarn {
            factor: factor(),
            attention_factor: number("attention_factor"),
            beta_fast: number("beta_fast"),
            beta_slow: number("beta_slow"),
            positions: positions(),
            truncate: attributes["truncate"].as_bool().unwrap(),
        },
        other => panic!("unknown scaling {other}"),
    }
}

/// The cases of a file.
pub fn read(file: &str) -> Vec<Case> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/nn");
    let file = format!("{folder}/{file}.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// The first difference from what the reference computes.
fn difference(case: &Case, found: &Buffer, values: &[f32]) -> Option<String> {
    let expected = &case.expected;
    if found.shape() != expected.shape() {
        return Some(format!("{} instead of {}", found.shape(), expected.shape()));
    }
    let tolerance = expected.tolerance();
    let mut pairs = values.iter().map(|&value| f64::from(value)).zip(&expected.values).enumerate();
    // NaN is not near any number.
    let (at, (value, expected)) = pairs.find(|(_, (value, expected))| {
        let near = (value - *expected).abs() <= tolerance;
        !near
    })?;
    Some(format!("element {at} is {value} instead of {expected}"))
}

/// The cases of some layers.
fn check(layers: &[&str], least: usize) {
    let cases = read("layers").into_iter().filter(|case| layers.contains(&case.layer.as_str()));
    check_each(cases.collect(), least, Case::program);
}

/// Compares cases, of which there are some, with a program for each chunk of them: compiling takes
/// most of the time.
pub fn check_each(cases: Vec<Case>, least: usize, program: fn(&Case, &[Tensor]) -> Tensor) {
    assert!(cases.len() >= least, "{} cases", cases.len());
    let mut differences = Vec::new();
    for cases in cases.chunks(32) {
        let specs: Vec<Vec<Spec>> = cases
            .iter()
            .map(|case| case.inputs.iter().map(|input| Spec::of(input.shape())).collect())
            .collect();
        let programs = |inputs: Vec<Vec<Tensor>>| -> Vec<(Tensor, Tensor)> {
            let results = cases.iter().zip(&inputs).map(|(case, inputs)| program(case, inputs));
            results.map(|result| (result, result.convert(DType::F32))).collect()
        };
        let compiler = Optimization::of(&cases[0].name).set(CPU.compiler());
        let exe = compiler.compile(programs, (specs,)).unwrap_or_else(|error| panic!("{error}"));
        let inputs: Vec<Vec<Buffer>> =
            cases.iter().map(|case| case.inputs.iter().map(Array::buffer).collect()).collect();
        for (case, (found, wide)) in cases.iter().zip(exe.call((&inputs,)).unwrap()) {
            let difference = difference(case, &found, &wide.to_vec::<f32>().unwrap());
            differences.extend(difference.map(|found| format!("{}: {found}", case.name)));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {}:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
}

#[test]
fn linear_layers_and_embeddings_match() {
    check(&["linear", "embedding", "embedding as linear"], 50);
}

#[test]
fn norms_match() {
    check(&["rms_norm", "layer_norm"], 50);
}

#[test]
fn attention_and_its_masks_match() {
    check(&["attention", "causal_mask"], 24);
}

#[test]
fn caches_are_written_at_their_start_or_as_near_as_fits() {
    check(&["kv_cache"], 10);
}

#[test]
fn rotations_match_for_each_scaling() {
    check(&["rope"], 30);
}

#[test]
fn activations_match_by_their_names_in_models() {
    check(&["activation"], 40);
}

#[test]
fn attention_with_options_matches() {
    check(&["attention_with"], 100);
}

#[test]
fn losses_match() {
    check(&["cross_entropy", "soft_cross_entropy", "loss"], 30);
}

#[test]
fn recurrent_layers_match() {
    check(&["lstm", "gru"], 8);
}

#[test]
fn resampling_matches() {
    check(&["resize"], 100);
}

#[test]
fn mixtures_of_experts_match() {
    check(&["mixture"], 15);
}

#[test]
fn rings_keep_the_last_positions() {
    check(&["ring", "ring_mask"], 10);
}

#[test]
fn rotations_of_neighbours_and_of_a_part_match() {
    check(&["rope layout"], 10);
}

#[test]
fn long_rope_divides_each_frequency() {
    let scaling = RopeScaling::LongRope { factors: vec![1.0, 2.0, 4.0], attention_factor: 1.25 };
    let config = RopeConfig { dim: 6, theta: 1000.0, scaling };
    let plain = RopeConfig { scaling: RopeScaling::Default, ..config.clone() };
    let expected: Vec<f64> =
        plain.inverse_frequencies().iter().zip([1.0, 2.0, 4.0]).map(|(f, by)| f / by).collect();
    assert_eq!(config.inverse_frequencies(), expected);
    assert_eq!(config.tables(1).0, [1.25; 3]);
}

#[test]
fn initial_values_are_those_of_jax() {
    check(&["initializer"], 26);
}

#[test]
fn dropout_keeps_the_mean_and_the_rate() {
    const COUNT: usize = 100_000;
    let program = |x: Tensor| {
        let drop = |rate| dropout(x, Key::new(3), rate);
        (drop(0.25), drop(0.0), drop(1.0))
    };
    let exe = CPU.compile(program, (Spec::f32([COUNT]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[3f32; COUNT], [COUNT]).unwrap();
    let (some, all, none) = exe.call((&x,)).unwrap();
    let some = some.to_vec::<f32>().unwrap();
    assert!(some.iter().all(|&y| y == 0.0 || y == 4.0));
    let dropped = some.iter().filter(|&&y| y == 0.0).count() as f64 / COUNT as f64;
    // Five standard deviations of the share.
    assert!((dropped - 0.25).abs() < 5.0 * (0.25f64 * 0.75 / COUNT as f64).sqrt(), "{dropped}");
    assert_eq!(all.to_vec::<f32>().unwrap(), [3.0; COUNT]);
    assert_eq!(none.to_vec::<f32>().unwrap(), [0.0; COUNT]);
    let wrong = CPU.compile(|x: Tensor| dropout(x, Key::new(0), 1.5), (Spec::f32([2]),));
    let error = wrong.map(drop).unwrap_err().to_string();
    assert!(error.starts_with("nn::dropout: the rate is 1.5, not from 0 to 1"), "{error}");
}
