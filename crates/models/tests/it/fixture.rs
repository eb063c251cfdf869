//! Checkpoints with reference results, written by `tests/oracle`.

use hloom_io::Checkpoint;
use hloom_models::ModelFolder;
use hloom_runtime::Platform;
use hloom_test_support::CPU_BY_TEST as CPU;
use serde::Deserialize;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The CPU platform; installs the plugin first if it is missing.
pub fn platform() -> Platform {
    CPU.clone()
}

/// `tests/fixtures/<path>`.
pub fn path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(path)
}

/// A copy of a case with one field of `config.json` changed.
pub fn changed(family: &str, case: &str, field: &str, value: &Value) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(path(family).join(case)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    let _ = fs::remove_file(copy.path().join("expected.safetensors"));
    let config = copy.path().join("config.json");
    let mut fields: Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    fields[field] = value.clone();
    fs::write(config, fields.to_string()).unwrap();
    copy
}

/// A model with its expected logits and tokens.
pub struct Case {
    pub name: String,
    pub folder: ModelFolder,
    pub prompt: Vec<u32>,
    pub greedy: Vec<u32>,
    /// `[prompt, vocab]`.
    pub logits: Vec<f64>,
}

#[derive(Deserialize)]
struct Prompt {
    prompt_ids: Vec<u32>,
    greedy_tokens: Vec<u32>,
}

impl Case {
    pub fn open(name: &str) -> Case {
        let folder = path("llama").join(name);
        let prompt = std::fs::read(folder.join("prompt.json")).expect("a case has a prompt");
        let prompt: Prompt =
            serde_json::from_slice(&prompt).expect("the prompt is as the oracle writes it");
        let expected = Checkpoint::open(folder.join("expected.safetensors"))
            .expect("a case has expected logits");
        let read = |name| {
            expected.get(name).expect("the oracle writes it").to_vec::<f64>().expect("in f64")
        };
        Case {
            name: name.to_owned(),
            prompt: prompt.prompt_ids,
            greedy: prompt.greedy_tokens,
            logits: read("logits"),

            folder: model_folder(&folder),
        }
    }

    /// All cases, in alphabetical order.
    pub fn names() -> Vec<String> {
        let entries = std::fs::read_dir(path("llama")).expect("there are fixtures");
        let names = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> =
            names.filter(|name| path("llama").join(name).join("prompt.json").is_file()).collect();
        names.sort();
        assert!(!names.is_empty(), "there are cases");
        names
    }
}

fn model_folder(folder: &Path) -> ModelFolder {
    ModelFolder::open(folder).expect("a case is a model folder")
}

/// The largest difference between `found` and `expected`, relative to the largest expected value.
pub fn distance(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len(), "as many values as expected");
    let largest = expected.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    let differences = found.iter().zip(expected).map(|(&f, e)| (f64::from(f) - e).abs());
    // NaN counts as an infinite distance.
    differences.fold(0.0, |max: f64, d| if d.is_nan() { f64::INFINITY } else { max.max(d) })
        / largest
}
