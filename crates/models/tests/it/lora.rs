//! Adapters: merged when a model is loaded, and in the training's forward pass, against weights
//! that are merged on the host in float64.

use crate::fixture::{Case, distance, path, platform};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_io::{Checkpoint, Writer};
use hloom_models::{
    ModelFolder,
    llama::{Config, Dtype, Generator, Llama, Options},
    lora::{AdapterFolder, Adapters, Lora},
};
use hloom_nn::Rope;
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use std::fs;
use tempfile::TempDir;

const LORA: Lora = Lora { rank: 3, alpha: 5.0 };
const LAYERS: [&str; 3] = ["*.self_attn.q_proj", "*.layers.1.*.v_proj", "*.mlp.down_proj"];

/// Numbers between -0.3 and 0.3.
fn values(seed: &str, count: usize) -> Vec<f32> {
    let seed = seed.bytes().fold(7usize, |seed, byte| (seed * 31 + byte as usize) % 1009);
    (0..count).map(|i| ((i * 37 + seed) % 61) as f32 / 100.0 - 0.3).collect()
}

/// Adapters of a case, in a folder.
fn adapters(config: &Config) -> (TempDir, Adapters<Buffer>) {
    let specs = LORA.specs(&Llama::new(config, DType::F32), &LAYERS);
    let adapters = Buffer::tree(&*CPU, specs, |path, spec| {
        values(&path.to_string(), spec.shape().element_count())
    });
    let (folder, adapters) = (tempfile::tempdir().unwrap(), adapters.unwrap());
    AdapterFolder::save(folder.path(), LORA, &adapters, "a/base").unwrap();
    (folder, adapters)
}

/// The folder of a case with the products added to its weights.
fn merged(case: &Case, adapters: &Adapters<Buffer>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(case.folder.config(), folder.path().join("config.json")).unwrap();
    let weights = Checkpoint::open(case.folder.path()).unwrap();
    let mut writer = Writer::new();
    for name in weights.names() {
        let tensor = weights.get(name).unwrap();
        let mut values = tensor.to_vec::<f32>().unwrap();
        if let Some(adapter) = adapters.get(name.trim_end_matches(".weight")) {
            let [a, b] = [&adapter.a, &adapter.b].map(|l| l.weight.to_vec::<f32>().unwrap());
            let inputs = tensor.shape().sizes()[1];
            for (i, value) in values.iter_mut().enumerate() {
                let (row, column) = (i / inputs, i % inputs);
                let product = (0..LORA.rank)
                    .map(|r| f64::from(b[row * LORA.rank + r]) * f64::from(a[r * inputs + column]));
                let scale = LORA.alpha / LORA.rank as f64;
                *value = (f64::from(*value) + scale * product.sum::<f64>()) as f32;
            }
        }
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        writer.tensor(name, tensor.shape(), bytes).unwrap();
    }
    writer.save(folder.path().join("model.safetensors")).unwrap();
    folder
}

fn logits(folder: &ModelFolder, prompt: &[u32], adapter: Option<&TempDir>) -> Vec<f32> {
    let adapter = adapter.map(|folder| AdapterFolder::open(folder.path()).unwrap());
    let options = Options { dtype: Dtype::As(DType::F32), adapter, ..Options::default() };
    let generator = Generator::open(&platform(), folder, options).unwrap();
    generator.session().logits(prompt).unwrap()
}

#[test]
fn an_adapted_model_is_the_model_with_merged_weights() {
    for name in ["grouped", "tied"] {
        let case = Case::open(name);
        let config = Config::read(case.folder.config()).unwrap();
        let (folder, adapters) = adapters(&config);
        // Queries and down projections of both layers, and values of the second.
        assert_eq!(adapters.len(), 2 + 1 + 2, "{:?}", adapters.keys());
        let merged = merged(&case, &adapters);
        let merged = ModelFolder::open(merged.path()).unwrap();
        let expected: Vec<f64> =
            logits(&merged, &case.prompt, None).into_iter().map(f64::from).collect();
        let base = logits(&case.folder, &case.prompt, None);
        assert!(distance(&base, &expected) > 0.05, "the adapters change the model");
        assert!(distance(&base, &case.logits) < 1e-5, "and not the weights in their file");
        let adapted = logits(&case.folder, &case.prompt, Some(&folder));
        assert!(distance(&adapted, &expected) < 1e-5, "{name}");

        let forward = |rope: Rope, weights: Llama, adapters: Adapters, tokens: Tensor| -> Tensor {
            let model = LORA.merge(weights, &adapters);
            model.logits(model.forward_whole(tokens, &rope))
        };
        let count = case.prompt.len();
        let specs = Llama::new(&config, DType::F32);
        let tokens = Spec::i32([("batch", 1), ("seq", count)]);
        let lora = LORA.specs(&specs, &LAYERS);
        let arguments = (config.rope_spec(count), specs.clone(), lora, tokens.clone());
        let exe = CPU.compile(forward, arguments).unwrap();
        let rope = config.rope_buffers(&*CPU, count).unwrap();
        let weights = Checkpoint::open(case.folder.path()).unwrap();
        let weights: Llama<Buffer> = weights.root().loader().load(&*CPU, &specs).unwrap();
        let prompt: Vec<i32> = case.prompt.iter().map(|&token| token as i32).collect();
        let prompt = Buffer::from_slice(&*CPU, &prompt, tokens.shape().axes()).unwrap();
        let found = exe.call((&rope, &weights, &adapters, &prompt)).unwrap();
        assert!(distance(&found.to_vec().unwrap(), &expected) < 1e-5, "{name}, in training");
    }
}

#[test]
fn files_are_those_of_peft() {
    let case = Case::open("grouped");
    let config = Config::read(case.folder.config()).unwrap();
    let (folder, adapters) = adapters(&config);
    let file = Checkpoint::open(folder.path().join("adapter_model.safetensors")).unwrap();
    assert_eq!(file.names().count(), 2 * adapters.len());
    let a = file.get("base_model.model.model.layers.1.self_attn.v_proj.lora_A.weight").unwrap();
    let b = file.get("base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight").unwrap();
    assert_eq!(a.shape().sizes(), [3, 24]);
    assert_eq!(b.shape().sizes(), [12, 3]);
    let text = fs::read_to_string(folder.path().join("adapter_config.json")).unwrap();
    let fields: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&fields["peft_type"], &fields["r"]), (&"LORA".into(), &3.into()));
    assert_eq!(fields["target_modules"], serde_json::json!(["down_proj", "q_proj", "v_proj"]));

    let opened = AdapterFolder::open(folder.path()).unwrap();
    assert_eq!(opened.lora(), LORA);
    let specs = opened.specs(&Llama::new(&config, DType::F32)).unwrap();
    let read = opened.load(&*CPU, &specs).unwrap();
    let all = |adapters: &Adapters<Buffer>| {
        let mut all = Vec::new();
        adapters.visit(&mut |path, b| all.push((path.to_string(), b.to_vec::<f32>().unwrap())));
        all
    };
    assert_eq!(all(&read), all(&adapters));
}

/// Adapters that PEFT wrote (`tests/oracle/adapters.py`): those that add products to the weights of
/// the base model compute what PEFT does, others are refused by the name of the field.
#[test]
fn adapters_of_peft_compute_what_peft_does() {
    let case = Case::open("grouped");
    let base = logits(&case.folder, &case.prompt, None);
    for name in ["plain", "rslora_off", "some_layers"] {
        let folder = path("adapters").join(name);
        let expected = Checkpoint::open(folder.join("expected.safetensors")).unwrap();
        let expected = expected.get("logits").unwrap().to_vec::<f64>().unwrap();
        assert!(distance(&base, &expected) > 0.01, "{name} changes the model");
        let adapter = Some(AdapterFolder::open(&folder).unwrap());
        let options = Options { dtype: Dtype::As(DType::F32), adapter, ..Options::default() };
        let generator = Generator::open(&platform(), &case.folder, options).unwrap();
        let found = generator.session().logits(&case.prompt).unwrap();
        assert!(distance(&found, &expected) < 1e-5, "{name}");
    }
    for (name, message) in [
        ("pissa", "`init_lora_weights` is \"pissa\"; it changes the weights of the base model too"),
        ("olora", "`init_lora_weights` is \"olora\"; it changes the weights of the base model too"),
        ("alora", "`alora_invocation_tokens` ([9,30])"),
    ] {
        let error = AdapterFolder::open(path("adapters").join(name)).unwrap_err().to_string();
        assert!(error.contains("adapter_config.json: ") && error.contains(message), "{error}");
    }
}

#[test]
fn adapters_that_do_not_fit_are_refused() {
    let case = Case::open("grouped");
    let config = Config::read(case.folder.config()).unwrap();
    let (folder, _) = adapters(&config);
    // Layers that the model does not have.
    let specs = vec![Spec::f32([2, 2])];
    let error = AdapterFolder::open(folder.path()).unwrap().specs(&specs).unwrap_err();
    assert!(error.to_string().contains("no adapter of a layer of this model"), "{error}");

    let file = folder.path().join("adapter_config.json");
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, field) in [
        ("\"LORA\"", "\"LOHA\"", "peft_type"),
        ("\"r\": 3", "\"r\": 0", "`r`"),
        ("\"bias\"", "\"use_dora\": true, \"bias\"", "use_dora"),
        ("\"bias\"", "\"alpha_pattern\": {\"q_proj\": 4}, \"bias\"", "alpha_pattern"),
        ("\"bias\"", "\"layer_replication\": [[0, 1], [0, 2]], \"bias\"", "layer_replication"),
    ] {
        fs::write(&file, text.replace(from, to)).unwrap();
        let error = AdapterFolder::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(field) && error.contains("adapter_config.json"), "{error}");
    }
}
