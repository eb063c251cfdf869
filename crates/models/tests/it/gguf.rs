//! Models in GGUF files, against `transformers` in float64: the cases of the folders, converted by
//! the rules of the format.

use crate::fixture::{Case, distance, platform};
use half::f16;
use hloom_graph::{BlockKind, DType};
use hloom_io::{
    Checkpoint,
    gguf::{Array, Gguf, GgufType, GgufWriter, Value},
};
use hloom_models::{
    ModelSource,
    llama::{Config, Dtype, Family, Generator, Options},
};
use hloom_nn::{Activation, Sampling};
use hloom_runtime::{BlockLinearKernel, Kernels};
use hloom_test_support::cpus;
use serde_json::Value as Json;
use std::{
    collections::BTreeMap,
    f64::consts::TAU,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A model in memory that is written as a GGUF file.
#[derive(Clone)]
struct File {
    metadata: BTreeMap<String, Value>,
    tensors: BTreeMap<String, (GgufType, Vec<usize>, Vec<u8>)>,
}

impl File {
    /// The conversion of a case; `None` if the format cannot express its configuration.
    fn of(case: &Case) -> Option<File> {
        let config = Config::read(case.folder.config()).unwrap();
        let fields: Json =
            serde_json::from_slice(&fs::read(case.folder.config()).unwrap()).unwrap();
        let scaling = &fields["rope_scaling"];
        let kind = scaling["rope_type"].as_str().or(scaling["type"].as_str());
        let windows: Vec<Option<usize>> = config.windows.clone();
        let qwen_window = windows[0].is_some() && architecture(&config) != "llama";
        if config.activation != Activation::Silu
            || kind == Some("dynamic")
            || fields.get("rope_parameters").is_some()
            || scaling.get("mscale").is_some()
            || windows.iter().any(|window| *window != windows[0])
            || qwen_window
        {
            return None;
        }
        let mut file = File { metadata: BTreeMap::new(), tensors: BTreeMap::new() };
        file.sizes(&config, &fields);
        file.rope(&config, scaling, kind);
        let checkpoint = Checkpoint::open(case.folder.path()).unwrap();
        for name in checkpoint.names().filter(|name| !name.ends_with("inv_freq")) {
            if config.tied && name == "lm_head.weight" {
                continue;
            }
            let tensor = checkpoint.get(name).unwrap();
            let kind = GgufType::from_dtype(tensor.shape().dtype()).unwrap();
            let sizes = tensor.shape().sizes().to_vec();
            let bytes = interleaved(name, &config, sizes[0], tensor.bytes().unwrap());
            file.tensors.insert(renamed(name), (kind, sizes, bytes));
        }
        Some(file)
    }

    fn set(&mut self, key: &str, value: Value) {
        let Some(Value::String(architecture)) = self.metadata.get("general.architecture") else {
            panic!("the architecture is set first")
        };
        self.metadata.insert(format!("{architecture}.{key}"), value);
    }

    fn sizes(&mut self, config: &Config, fields: &Json) {
        let name = Value::String(architecture(config).into());
        self.metadata.insert("general.architecture".into(), name);
        let size = |size: usize| Value::U32(size as u32);
        for (key, value) in [
            ("block_count", config.layers()),
            ("context_length", config.max_positions),
            ("embedding_length", config.hidden_size),
            ("feed_forward_length", config.intermediate_size),
            ("attention.head_count", config.heads),
            ("attention.head_count_kv", config.kv_heads),
            ("attention.key_length", config.head_dim),
            ("attention.value_length", config.head_dim),
            ("rope.dimension_count", config.head_dim),
        ] {
            self.set(key, size(value));
        }
        self.set("attention.layer_norm_rms_epsilon", Value::F64(config.rms_norm_eps));
        self.set("rope.freq_base", Value::F64(config.rope.theta));
        if let Some(window) = config.windows[0] {
            self.set("attention.sliding_window", size(window));
        }
        let number = |name: &str| fields[name].as_u64().map(|value| Value::U32(value as u32));
        for (key, fields) in [
            ("expert_count", ["num_local_experts", "num_experts"]),
            ("expert_used_count", ["num_experts_per_tok", ""]),
            ("expert_feed_forward_length", ["moe_intermediate_size", ""]),
            ("expert_shared_feed_forward_length", ["shared_expert_intermediate_size", ""]),
        ] {
            if let Some(value) = number(fields[0]).or(number(fields[1])) {
                self.set(key, value);
            }
        }
        if let Some(norm) = fields["norm_topk_prob"].as_bool() {
            self.set("expert_weights_norm", Value::Bool(norm));
        }
    }

    fn rope(&mut self, config: &Config, scaling: &Json, kind: Option<&str>) {
        let number = |name: &str| scaling[name].as_f64();
        match kind {
            None => {}
            Some("llama3") => {
                let original = number("original_max_position_embeddings").unwrap();
                let (low, high) = ("low_freq_factor", "high_freq_factor");
                let (low, high) = (number(low).unwrap(), number(high).unwrap());
                let factor = number("factor").unwrap();
                let half = config.head_dim / 2;
                let divisor = |at: usize| {
                    let frequency = config.rope.theta.powf(-(at as f64) / half as f64);
                    let length = TAU / frequency;
                    if length < original / high {
                        1.0
                    } else if length > original / low {
                        factor
                    } else {
                        let smooth = (original / length - low) / (high - low);
                        1.0 / ((1.0 - smooth) / factor + smooth)
                    }
                };
                let bytes = (0..half).flat_map(|at| (divisor(at) as f32).to_le_bytes()).collect();
                self.tensors.insert("rope_freqs.weight".into(), (GgufType::F32, vec![half], bytes));
            }
            Some(kind @ ("linear" | "yarn")) => {
                self.set("rope.scaling.type", Value::String(kind.into()));
                for (key, field) in [
                    ("rope.scaling.factor", "factor"),
                    ("rope.scaling.yarn_attn_factor", "attention_factor"),
                    ("rope.scaling.yarn_beta_fast", "beta_fast"),
                    ("rope.scaling.yarn_beta_slow", "beta_slow"),
                ] {
                    if let Some(value) = number(field) {
                        self.set(key, Value::F64(value));
                    }
                }
                let original = "original_max_position_embeddings";
                if let Some(length) = scaling[original].as_u64() {
                    let length = Value::U32(length as u32);
                    self.set("rope.scaling.original_context_length", length);
                }
            }
            Some(other) => panic!("no case has the scaling {other}"),
        }
    }

    /// The file in which the experts of a layer are one tensor, as newer files have them.
    fn stacked(mut self) -> File {
        let mut stacks: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        for name in self.tensors.keys() {
            let parts: Vec<&str> = name.split('.').collect();
            if let ["blk", layer, part, expert, "weight"] = parts.as_slice() {
                let stack = format!("blk.{layer}.{part}_exps.weight");
                let expert = expert.parse().unwrap();
                stacks.entry(stack).or_default().push((expert, name.clone()));
            }
        }
        assert!(!stacks.is_empty(), "the model has experts");
        for (stack, mut parts) in stacks {
            parts.sort();
            let (kind, sizes, _) = self.tensors[&parts[0].1].clone();
            let bytes = parts.iter().flat_map(|(_, name)| self.tensors[name].2.clone()).collect();
            parts.iter().for_each(|(_, name)| drop(self.tensors.remove(name)));
            let sizes = [&[parts.len()], sizes.as_slice()].concat();
            self.tensors.insert(stack, (kind, sizes, bytes));
        }
        self
    }

    fn write(&self) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        let mut writer = GgufWriter::new();
        for (key, value) in &self.metadata {
            writer.metadata(key, value.clone()).unwrap();
        }
        for (name, (kind, sizes, bytes)) in &self.tensors {
            writer.tensor(name, *kind, sizes, bytes.as_slice()).unwrap();
        }
        writer.save(&path).unwrap();
        (folder, path)
    }

    /// The error of opening the file as a model.
    fn refused(&self) -> String {
        let (_folder, path) = self.write();
        let source = ModelSource::open(&path).unwrap();
        match source.llama_config().and_then(|config| source.llama_weights(&config)) {
            Ok(_) => open(&path).err().map_or("no error".into(), |error| error.to_string()),
            Err(error) => error.to_string(),
        }
    }
}

fn architecture(config: &Config) -> &'static str {
    match config.family {
        Family::Llama | Family::Mistral | Family::Mixtral => "llama",
        Family::Qwen2 => "qwen2",
        Family::Qwen3 => "qwen3",
        Family::Qwen2Moe => "qwen2moe",
        Family::Qwen3Moe => "qwen3moe",
    }
}

/// The name of a tensor of a folder in GGUF files.
fn renamed(name: &str) -> String {
    let (path, kind) = name.rsplit_once('.').unwrap();
    let Some(path) = path.strip_prefix("model.layers.") else {
        let path = match path {
            "model.embed_tokens" => "token_embd",
            "model.norm" => "output_norm",
            "lm_head" => "output",
            other => panic!("no place for {other}"),
        };
        return format!("{path}.{kind}");
    };
    let (layer, path) = path.split_once('.').unwrap();
    let path = path.replace("block_sparse_moe", "mlp");
    let part = match path.as_str() {
        "input_layernorm" => "attn_norm",
        "post_attention_layernorm" => "ffn_norm",
        "self_attn.q_proj" => "attn_q",
        "self_attn.k_proj" => "attn_k",
        "self_attn.v_proj" => "attn_v",
        "self_attn.o_proj" => "attn_output",
        "self_attn.q_norm" => "attn_q_norm",
        "self_attn.k_norm" => "attn_k_norm",
        "mlp.gate_proj" => "ffn_gate",
        "mlp.up_proj" => "ffn_up",
        "mlp.down_proj" => "ffn_down",
        "mlp.gate" => "ffn_gate_inp",
        "mlp.shared_expert_gate" => "ffn_gate_inp_shexp",
        "mlp.shared_expert.gate_proj" => "ffn_gate_shexp",
        "mlp.shared_expert.up_proj" => "ffn_up_shexp",
        "mlp.shared_expert.down_proj" => "ffn_down_shexp",
        expert => {
            let expert = expert.strip_prefix("mlp.experts.").unwrap();
            let (expert, matrix) = expert.split_once('.').unwrap();
            let matrix = match matrix {
                "w1" | "gate_proj" => "ffn_gate",
                "w3" | "up_proj" => "ffn_up",
                "w2" | "down_proj" => "ffn_down",
                other => panic!("no place for {other}"),
            };
            return format!("blk.{layer}.{matrix}.{expert}.{kind}");
        }
    };
    format!("blk.{layer}.{part}.{kind}")
}

/// The bytes of a tensor whose rows are, for queries and keys of this architecture, in pairs.
fn interleaved(name: &str, config: &Config, rows: usize, bytes: Vec<u8>) -> Vec<u8> {
    let heads = match name.rsplit('.').nth(1) {
        Some("q_proj") => config.heads,
        Some("k_proj") => config.kv_heads,
        _ => return bytes,
    };
    if architecture(config) != "llama" {
        return bytes;
    }
    let (dim, row) = (rows / heads, bytes.len() / rows);
    let order = (0..heads).flat_map(|head| {
        (0..dim / 2).flat_map(move |pair| [0, 1].map(|half| head * dim + half * dim / 2 + pair))
    });
    order.flat_map(|at| bytes[at * row..][..row].to_vec()).collect()
}

fn open(path: &Path) -> hloom_models::Result<Generator> {
    let options = Options {
        dtype: Dtype::As(DType::F32),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        ..Options::default()
    };
    Generator::open(&platform(), ModelSource::open(path)?, options)
}

/// The differences of a file's results from those of the reference.
fn differences(case: &Case, file: &File) -> Vec<String> {
    let (_folder, path) = file.write();
    let generator = match open(&path) {
        Ok(generator) => generator,
        Err(error) => return vec![format!("{}: {error}", case.name)],
    };
    let mut failures = Vec::new();
    let logits = generator.session().logits(&case.prompt).unwrap();
    let off = distance(&logits, &case.logits);
    if off > 1e-5 {
        failures.push(format!("{}: logits are off by {off:.1e}", case.name));
    }
    // Decoding is another program of the same weights: of each architecture, one is compiled.
    if !["grouped", "qwen2", "qwen3", "mixtral", "qwen3_moe"].contains(&case.name.as_str()) {
        return failures;
    }
    let mut session = generator.session();
    let answer = session.generate(&case.prompt, case.greedy.len()).unwrap();
    let tokens: Vec<u32> = answer.map(Result::unwrap).collect();
    if tokens != case.greedy {
        failures.push(format!("{}: tokens {tokens:?}, not {:?}", case.name, case.greedy));
    }
    failures
}

#[test]
fn models_of_each_architecture_are_those_of_their_folders() {
    let (mut failures, mut compared) = (Vec::new(), Vec::new());
    for name in Case::names() {
        let case = Case::open(&name);
        let Some(file) = File::of(&case) else { continue };
        failures.extend(differences(&case, &file));
        if file.metadata.keys().any(|key| key.ends_with(".expert_count")) {
            failures.extend(differences(&case, &file.stacked()));
        }
        compared.push(name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for name in [
        "attention_bias",
        "bf16",
        "mistral_window",
        "mixtral",
        "qwen2",
        "qwen2_moe",
        "qwen3",
        "qwen3_moe",
        "rope_linear",
        "rope_llama3",
        "rope_yarn",
        "qwen2_tied_bf16",
    ] {
        assert!(compared.iter().any(|known| known == name), "{name} is compared");
    }
}

#[test]
fn a_folder_with_one_file_is_a_model() {
    let case = Case::open("grouped");
    let (folder, path) = File::of(&case).unwrap().write();
    let source = ModelSource::open(folder.path()).unwrap();
    assert_eq!(source.path(), path);
    fs::copy(&path, folder.path().join("other.gguf")).unwrap();
    let error = ModelSource::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("several GGUF files here"), "{error}");
    assert!(error.contains("`model.gguf`, `other.gguf`"), "{error}");
}

#[test]
fn metadata_that_is_not_a_model_s_is_refused_by_its_key() {
    let sound = File::of(&Case::open("grouped")).unwrap();
    let text = |text: &str| Value::String(text.to_owned());
    for (key, value) in [
        ("block_count", Some(Value::U32(0))),
        ("block_count", Some(Value::U32(60_000))),
        ("block_count", Some(Value::U64(u64::MAX))),
        ("block_count", Some(text("two"))),
        ("block_count", None),
        ("context_length", None),
        ("context_length", Some(Value::I32(-1))),
        ("embedding_length", None),
        ("embedding_length", Some(Value::U32(u32::MAX))),
        ("feed_forward_length", Some(Value::Array(Array::U32(vec![40, 48])))),
        ("feed_forward_length", Some(Value::Array(Array::U32(vec![])))),
        ("attention.head_count", Some(Value::U32(0))),
        ("attention.head_count", Some(Value::Array(Array::U32(vec![4, 2])))),
        ("attention.value_length", Some(Value::U32(8))),
        ("attention.layer_norm_rms_epsilon", Some(Value::F32(f32::NAN))),
        ("attention.layer_norm_rms_epsilon", None),
        ("rope.dimension_count", Some(Value::U32(4))),
        ("rope.freq_base", Some(Value::F32(-1.0))),
        ("rope.scaling.type", Some(text("spiral"))),
        ("attention.causal", Some(Value::Bool(false))),
        ("final_logit_softcapping", Some(Value::F32(30.0))),
        ("some.new.key", Some(Value::U32(1))),
    ] {
        let mut file = sound.clone();
        file.metadata.remove(&format!("llama.{key}"));
        if let Some(value) = &value {
            file.set(key, value.clone());
        }
        let error = file.refused();
        assert!(error.contains(key), "{key} {value:?}: {error}");
    }
    for (key, size, expected) in [
        ("attention.head_count_kv", 3, "4 query heads cannot be divided among 3 heads"),
        ("attention.key_length", 5, "heads have 5 elements"),
    ] {
        let mut file = sound.clone();
        file.set(key, Value::U32(size));
        let error = file.refused();
        assert!(error.contains(expected), "{error}");
    }
    let mut file = sound.clone();
    file.metadata.insert("general.architecture".into(), text("t5"));
    let error = file.refused();
    assert!(error.contains("\"t5\"") && error.contains("`qwen3moe`"), "{error}");
}

#[test]
fn equal_sizes_of_layers_are_one_size() {
    let case = Case::open("grouped");
    let mut file = File::of(&case).unwrap();
    for key in ["feed_forward_length", "attention.head_count", "attention.head_count_kv"] {
        let Value::U32(size) = file.metadata[&format!("llama.{key}")] else { panic!("{key}") };
        file.set(key, Value::Array(Array::U32(vec![size; 2])));
    }
    assert_eq!(differences(&case, &file), [""; 0]);
}

#[test]
fn tensors_without_a_place_are_refused_by_name() {
    let mut file = File::of(&Case::open("grouped")).unwrap();
    let norm = file.tensors["output_norm.weight"].clone();
    file.tensors.insert("blk.0.attn_sinks.weight".into(), norm.clone());
    let error = file.refused();
    assert!(error.contains("`blk.0.attn_sinks.weight`"), "{error}");
    file.tensors.remove("blk.0.attn_sinks.weight");
    file.tensors.insert("rope_freqs.weight".into(), norm);
    let error = file.refused();
    assert!(error.contains("`rope_freqs.weight` has sizes [24]; expected [3]"), "{error}");
    file.tensors.remove("rope_freqs.weight");
    file.tensors.remove("blk.1.ffn_up.weight");
    let error = file.refused();
    assert!(error.contains("model.layers.1.mlp.up_proj.weight"), "{error}");
}

#[test]
fn answers_end_with_the_tokens_that_the_file_names() {
    let case = Case::open("grouped");
    let mut file = File::of(&case).unwrap();
    let tokens = Gguf::open(crate::fixture::path("gguf_tokenizers/pieces.gguf")).unwrap();
    for (key, value) in tokens.metadata() {
        file.metadata.entry(key.clone()).or_insert(value.clone());
    }
    file.metadata.insert("tokenizer.ggml.eos_token_id".into(), Value::U32(2));
    file.metadata.insert("tokenizer.ggml.eot_token_id".into(), Value::U32(5));
    file.metadata.insert("general.sampling.temp".into(), Value::F32(0.5));
    let (_folder, path) = file.write();
    let generation = ModelSource::open(&path).unwrap().generation().unwrap();
    let ends = generation.eos_tokens();
    assert!(ends.starts_with(&[2, 5]), "{ends:?}");
    assert_eq!(generation.temperature, Some(0.5));
}

/// Cases whose rows are divided by blocks.
const BLOCKS: [&str; 2] = ["rope_llama3", "qwen2_yarn"];

/// Blocks of 32 numbers of 8 bits with a scale of 16 bits, and their values.
fn q8_0(values: &[f32]) -> (Vec<u8>, Vec<f32>) {
    let (mut bytes, mut rounded) = (Vec::new(), Vec::new());
    for block in values.chunks_exact(32) {
        let largest = block.iter().fold(0.0, |max: f32, value| max.max(value.abs()));
        let scale = f16::from_f32(largest / 127.0);
        bytes.extend(scale.to_le_bytes());
        for value in block {
            let code = (value / scale.to_f32()).round() as i8;
            bytes.push(code as u8);
            rounded.push(f32::from(code) * scale.to_f32());
        }
    }
    (bytes, rounded)
}

/// The matrices of a model in blocks of 8 bits where these divide their rows, and the same values
/// in `f32`.
fn quantised(case: &Case) -> [File; 2] {
    let mut blocks = File::of(case).unwrap();
    let mut values = blocks.clone();
    for (name, (kind, sizes, bytes)) in &mut blocks.tensors {
        if sizes.len() > 1 && sizes[sizes.len() - 1].is_multiple_of(32) {
            assert_eq!(*kind, GgufType::F32);
            let stored = bytes.chunks_exact(4);
            let stored = stored.map(|value| f32::from_le_bytes(value.try_into().unwrap()));
            let (codes, rounded) = q8_0(&stored.collect::<Vec<f32>>());
            (*kind, *bytes) = (GgufType::Q8_0, codes);
            values.tensors.get_mut(name).unwrap().2 =
                rounded.iter().flat_map(|value| value.to_le_bytes()).collect();
        }
    }
    [blocks, values]
}

/// A file with the blocks of `Q8_0` as those of `Q8_1`, which have the sum of a block after the
/// scale.
fn with_sums(mut blocks: File) -> File {
    for (kind, _, bytes) in blocks.tensors.values_mut() {
        if *kind == GgufType::Q8_0 {
            let with_sum = |block: &[u8]| [&block[..2], &[0; 2], &block[2..]].concat();
            (*kind, *bytes) = (GgufType::Q8_1, bytes.chunks_exact(34).flat_map(with_sum).collect());
        }
    }
    blocks
}

#[test]
fn blocks_without_kernels_are_kept_on_request() {
    let case = Case::open(BLOCKS[0]);
    let [blocks, values] = quantised(&case);
    let [(_blocks, blocks), (_values, values)] = [with_sums(blocks), values].map(|f| f.write());
    let open = |path: &Path, dtype| {
        let source = ModelSource::open(path).unwrap();
        let options = Options { dtype, cache_dtype: Dtype::As(DType::F32), ..Options::default() };
        Generator::open(&cpus(1), &source, options).unwrap()
    };
    let logits = |generator: &Generator| generator.session().logits(&case.prompt).unwrap();
    let expected: Vec<f64> =
        logits(&open(&values, Dtype::Stored)).into_iter().map(f64::from).collect();
    for (dtype, stored, tolerance) in
        [(Dtype::Stored, DType::Block(BlockKind::Q8_1), 2e-5), (Dtype::Auto, DType::BF16, 3e-2)]
    {
        let generator = open(&blocks, dtype);
        assert_eq!(generator.stats().dtype, stored);
        let off = distance(&logits(&generator), &expected);
        assert!(off < tolerance, "as {stored}: logits are off by {off:.1e}");
    }
}

#[test]
fn quantised_weights_are_computed_as_their_values() {
    for name in BLOCKS {
        let case = Case::open(name);
        let [(_blocks, blocks), (_values, values)] = quantised(&case).map(|file| file.write());
        let open = |path: &Path, dtype, devices, kernels| {
            let source = ModelSource::open(path).unwrap();
            let cache_dtype = Dtype::As(DType::F32);
            let options = Options { dtype, cache_dtype, devices, kernels, ..Options::default() };
            Generator::open(&cpus(devices as i64), &source, options).unwrap()
        };
        let reference = open(&values, Dtype::Auto, 1, Kernels::default());
        let expected: Vec<f64> =
            reference.session().logits(&case.prompt).unwrap().into_iter().map(f64::from).collect();
        let q8_0 = DType::Block(BlockKind::Q8_0);
        let float = || Kernels::off().with(BlockLinearKernel::with_float_activations());
        for (dtype, devices, kernels, stored, tolerance) in [
            (Dtype::As(DType::F32), 1, Kernels::default(), DType::F32, 1e-6),
            (Dtype::As(DType::BF16), 1, Kernels::default(), DType::BF16, 3e-2),
            (Dtype::Auto, 1, Kernels::off(), q8_0, 2e-5),
            (Dtype::Auto, 1, float(), q8_0, 2e-5),
            (Dtype::Auto, 2, float(), q8_0, 2e-5),
            (Dtype::Auto, 1, Kernels::default(), q8_0, 4e-2),
        ] {
            let generator = open(&blocks, dtype, devices, kernels);
            assert_eq!(generator.stats().dtype, stored, "{name}");
            let logits = generator.session().logits(&case.prompt).unwrap();
            let off = distance(&logits, &expected);
            let what = format!("{name} as {stored} on {devices}");
            assert!(off < tolerance, "{what}: logits are off by {off:.1e}");
        }
        // Values of blocks of 8 bits are quantised to nearly the same blocks again.
        for devices in [1, 2] {
            let generator = open(&values, Dtype::As(q8_0), devices, float());
            assert_eq!(generator.stats().dtype, q8_0, "{name}");
            let logits = generator.session().logits(&case.prompt).unwrap();
            let off = distance(&logits, &expected);
            assert!(off < 2e-2, "{name} on {devices}: logits are off by {off:.1e}");
        }
        let generator = open(&blocks, Dtype::Auto, 1, float());
        let tokens = |generator: &Generator| -> Vec<u32> {
            let mut session = generator.session();
            session.generate(&case.prompt, 4).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(tokens(&generator), tokens(&reference), "{name}");
    }
}
