//! Folders that are not models, or have inconsistent contents.

use crate::fixture::{path, platform};
use hloom_models::{
    ModelFolder,
    llama::{Config, Generator, Options},
    text::Tokenizer,
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A copy of a case, with a changed configuration.
fn folder(case: &str, change: impl FnOnce(&mut Value)) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(path("llama").join(case)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    fs::remove_file(copy.path().join("expected.safetensors")).unwrap();
    let config = copy.path().join("config.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    change(&mut value);
    fs::write(config, value.to_string()).unwrap();
    copy
}

/// The error of opening a folder as a model.
fn refused(folder: &Path) -> String {
    let opened = ModelFolder::open(folder)
        .and_then(|folder| Generator::open(&platform(), &folder, Options::default()));
    opened.map(drop).expect_err("the folder is refused").to_string()
}

/// The error of a configuration with one field changed.
fn config_error(case: &str, field: &str, value: Value) -> String {
    let folder = folder(case, |config| config[field] = value);
    Config::read(folder.path().join("config.json"))
        .expect_err("the configuration is refused")
        .to_string()
}

#[test]
fn a_folder_that_is_not_there_or_empty_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("missing");
    let holds = "; a model folder holds `config.json`, the weights in `model.safetensors` or in \
                 shards with a `model.safetensors.index.json`, and for texts `tokenizer.json`, as \
                 Hugging Face distributes them";
    let expected = |path: &Path, problem: &str| format!("{}: {problem}{holds}", path.display());
    assert_eq!(refused(&missing), expected(&missing, "there is no such folder"));
    let file = empty.path().join("model.safetensors");
    fs::write(&file, "").unwrap();
    assert_eq!(refused(&file), expected(&file, "this is a file, not a folder"));
    let below = file.join("below");
    assert_eq!(refused(&below), expected(&below, "this is a file, not a folder"));
    fs::remove_file(file).unwrap();
    let no_config = "there is no file `config.json` in this folder";
    assert_eq!(refused(empty.path()), expected(empty.path(), no_config));
    fs::write(empty.path().join("config.json"), "{").unwrap();
    assert!(refused(empty.path()).contains("config.json: not JSON"));
    fs::write(empty.path().join("config.json"), "[]").unwrap();
    assert!(refused(empty.path()).contains("an object with the model's fields is expected"));
    // A configuration alone.
    fs::copy(path("llama/grouped/config.json"), empty.path().join("config.json")).unwrap();
    let message = refused(empty.path());
    let named = format!("{}: no checkpoint here", empty.path().display());
    assert!(message.contains(&named) && message.contains("`model.safetensors`"), "{message}");
    let folder = ModelFolder::open(empty.path()).unwrap();
    let message = Tokenizer::open(&folder).map(drop).unwrap_err().to_string();
    assert!(message.contains("tokenizer.json: there is no such file"), "{message}");
}

#[test]
fn a_field_that_is_needed_is_missed() {
    for field in [
        "model_type",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "vocab_size",
    ] {
        let folder =
            folder("grouped", |config| drop(config.as_object_mut().unwrap().remove(field)));
        let message = refused(folder.path());
        assert!(message.contains(&format!("config.json: `{field}` is missing")), "{message}");
    }
}

#[test]
fn a_field_that_is_not_honoured_is_refused() {
    let cases = [
        (
            "model_type",
            json!("mamba"),
            "`model_type` is \"mamba\"; known are `llama`, `mistral`, `qwen2`, `qwen3`, `mixtral`, \
             `qwen2_moe`, `qwen3_moe`",
        ),
        ("hidden_size", json!("wide"), "`hidden_size` is \"wide\"; expected a whole number"),
        ("hidden_size", json!(0), "`hidden_size` is 0; it must be at least 1"),
        ("num_key_value_heads", json!(3), "4 query heads cannot be divided among 3"),
        ("hidden_act", json!("gelu_10"), "`hidden_act` is \"gelu_10\"; known are"),
        ("sliding_window", json!(8), "models of type `llama` have none"),
        ("partial_rotary_factor", json!(0.5), "`partial_rotary_factor` is 0.5"),
        (
            "rope_scaling",
            json!({"rope_type": "longrope", "factor": 4.0}),
            "`rope_scaling.rope_type` is \"longrope\"; known are",
        ),
        ("rope_scaling", json!({"type": "linear"}), "`rope_scaling.factor` is missing"),
        (
            "rope_scaling",
            json!({"type": "linear", "factor": -1.0}),
            "`rope_scaling.factor` is -1.0; it must be positive",
        ),
        (
            "rope_scaling",
            json!({"type": "linear", "factor": 2.0, "mrope_section": [1]}),
            "not understood: `rope_scaling.mrope_section`",
        ),
        (
            "quantization_config",
            json!({"bits": 4}),
            "a configuration without `quant_method`; supported are fp8",
        ),
        ("logit_scale", json!(0.5), "not understood: `logit_scale` (0.5)"),
        ("head_dim", json!(7), "heads have 7 elements; they are rotated in pairs"),
        (
            "layer_types",
            json!(["sliding_attention", "full_attention"]),
            "requires `sliding_window`",
        ),
        ("layer_types", json!(["full_attention"]), "`layer_types` has 1 entries for 2 layers"),
    ];
    for (field, value, expected) in cases {
        let message = config_error("grouped", field, value);
        assert!(message.contains(expected), "{field}: {message}");
    }
    assert!(config_error("qwen2", "mlp_bias", json!(true)).contains("supports only false"));
}

#[test]
fn fields_without_effect_are_passed_over() {
    let folder = folder("grouped", |config| {
        config["transformers_version"] = json!("9.9");
        config["attention_dropout"] = json!(0.3);
        config["some_new_switch"] = json!(false);
        config["rope_interleaved"] = json!(false);
        config["id2label"] = json!({"0": "LABEL_0"});
    });
    Config::read(folder.path().join("config.json")).unwrap();
}

#[test]
fn weights_that_do_not_fit_are_listed() {
    let missing = folder("grouped", |config| config["num_hidden_layers"] = json!(3));
    assert!(
        refused(missing.path()).contains("model.layers.2.input_layernorm.weight: missing"),
        "{}",
        refused(missing.path())
    );
    let unused = folder("grouped", |config| config["num_hidden_layers"] = json!(1));
    assert!(
        refused(unused.path()).contains("model.layers.1.input_layernorm.weight: not used"),
        "{}",
        refused(unused.path())
    );
    let shape = folder("grouped", |config| config["intermediate_size"] = json!(57));
    let message = refused(shape.path());
    assert!(
        message.contains("model.layers.1.mlp.gate_proj.weight: expected f32[out=57, in="),
        "{message}"
    );
    let biased = folder("attention_bias", |config| config["attention_bias"] = json!(false));
    assert!(refused(biased.path()).contains("k_proj.bias: not used"));
}

#[test]
fn a_shard_that_is_missing_or_broken_is_named() {
    let case = folder("sharded", |_| {});
    let shard = case.path().join("model-00002-of-00003.safetensors");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() / 2]).unwrap();
    assert!(
        refused(case.path()).contains("model-00002-of-00003.safetensors"),
        "{}",
        refused(case.path())
    );
    fs::remove_file(&shard).unwrap();
    assert!(
        refused(case.path()).contains("model-00002-of-00003.safetensors"),
        "{}",
        refused(case.path())
    );
    fs::remove_file(case.path().join("model.safetensors.index.json")).unwrap();
    for shard in ["model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"] {
        fs::remove_file(case.path().join(shard)).unwrap();
    }
    assert!(refused(case.path()).contains("no checkpoint here"));
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/llama/story");
    let tokenizer = Tokenizer::open(&ModelFolder::open(story).unwrap()).unwrap();
    tokenizer.check_vocabulary(1536).unwrap();
    let message = tokenizer.check_vocabulary(97).unwrap_err().to_string();
    assert!(
        message.contains(
            "tokenizer.json: it has tokens up to 1535, but the model's vocabulary ends at 96"
        ),
        "{message}"
    );
    let broken = tempfile::tempdir().unwrap();
    fs::write(broken.path().join("config.json"), "{}").unwrap();
    let folder = ModelFolder::open(broken.path()).unwrap();
    assert!(Tokenizer::open(&folder).err().unwrap().to_string().contains("tokenizer.json"));
    fs::write(broken.path().join("tokenizer.json"), "{\"model\": 1}").unwrap();
    assert!(Tokenizer::open(&folder).err().unwrap().to_string().contains("not a tokenizer"));
}

#[test]
fn text_streams_whole_characters() {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/llama/story");
    let tokenizer = Tokenizer::open(&ModelFolder::open(story).unwrap()).unwrap();
    let text = "Once, a fox met a caf\u{e9} owner: \u{4f60}\u{597d} \u{1f98a}!";
    let tokens = tokenizer.encode(text, false).unwrap();
    let mut stream = tokenizer.stream();
    let mut pieces = Vec::new();
    for token in tokens {
        pieces.extend(stream.push(token).unwrap());
    }
    assert_eq!(pieces.concat(), text);
    assert!(pieces.iter().all(|piece| !piece.contains('\u{fffd}')) && pieces.len() > 5);
}
