//! Models whose weights are not finite.

use crate::fixture::{changed, platform};
use hloom_io::{Checkpoint, Writer};
use hloom_models::{
    Error, ModelFolder,
    bert::Embedder,
    llama::{Generator, Options},
};
use hloom_nn::Sampling;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A model with one weight that is not finite, and one field of its configuration set to its own
/// value.
fn poisoned(
    family: &str,
    case: &str,
    (field, same): (&str, Value),
    name: &str,
    value: f32,
) -> TempDir {
    let case = changed(family, case, field, &same);
    let file = case.path().join("model.safetensors");
    let checkpoint = Checkpoint::open(&file).unwrap();
    let mut writer = Writer::new();
    let names: Vec<String> = checkpoint.names().map(str::to_owned).collect();
    for tensor in &names {
        let view = checkpoint.get(tensor).unwrap();
        let mut bytes = view.bytes().unwrap();
        if tensor == name {
            bytes[..4].copy_from_slice(&value.to_le_bytes());
        }
        writer.tensor(tensor, view.shape(), bytes).unwrap();
    }
    let changed = case.path().join("changed.safetensors");
    writer.save(&changed).unwrap();
    fs::rename(changed, file).unwrap();
    case
}

#[test]
fn logits_that_are_not_finite_are_an_error_and_no_token() {
    let samplings = [
        Sampling::greedy(),
        Sampling::default(),
        Sampling { top_k: 0, top_p: 1.0, ..Sampling::default() },
        Sampling { repeat_penalty: 1.3, temperature: 0.0, ..Sampling::default() },
    ];
    for (value, sampling) in [f32::NAN, f32::INFINITY]
        .into_iter()
        .flat_map(|value| samplings.map(|sampling| (value, sampling)))
    {
        let case =
            poisoned("llama", "grouped", ("vocab_size", json!(61)), "model.norm.weight", value);
        let options = Options { sampling, ..Options::default() };
        let generator =
            Generator::open(&platform(), ModelFolder::open(case.path()).unwrap(), options).unwrap();
        let mut session = generator.session();
        let tokens: Vec<_> = session.generate(&[1, 2, 3], 5).unwrap().collect();
        let [Err(error)] = &tokens[..] else { panic!("{value} {sampling:?}: {tokens:?}") };
        let expected = "the largest logit for token 0 of the answer, at position 3 of the text, \
                        is NaN or infinite";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(matches!(error, Error::NotFinite(_)));
        // The next text of the session is computed again, with the same weights.
        assert!(session.generate(&[1], 1).unwrap().next().unwrap().is_err());
    }
}

#[test]
fn embeddings_that_are_not_finite_are_an_error() {
    let norm = "encoder.layer.0.output.LayerNorm.weight";
    let case = poisoned("bert", "relu", ("model_type", json!("bert")), norm, f32::NAN);
    let embedder = Embedder::open(&platform(), &ModelFolder::open(case.path()).unwrap()).unwrap();
    let error = embedder.embed_tokens(&[vec![1, 2], vec![3]]).unwrap_err();
    assert!(error.to_string().starts_with("the embedding of text 0 is NaN or infinite"), "{error}");
}
