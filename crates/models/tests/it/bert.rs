//! Embeddings against `transformers` in float64.

use crate::fixture::{changed, distance, path, platform};
use hloom_io::Checkpoint;
use hloom_models::{
    ModelFolder,
    bert::{Embedder, Segment},
};

#[test]
fn hidden_states_and_embeddings_are_those_of_the_reference() {
    let cases = std::fs::read_dir(path("bert")).unwrap();
    let mut count = 0;
    for case in cases {
        let case = case.unwrap().path();
        count += 1;
        let expected = Checkpoint::open(case.join("expected.safetensors")).unwrap();
        let embedder = Embedder::open(&platform(), &ModelFolder::open(&case).unwrap()).unwrap();
        let ids = expected.get("input_ids").unwrap();
        let (batch, length) = (ids.shape().sizes()[0], ids.shape().sizes()[1]);
        let integers = |name: &str| expected.get(name).unwrap().to_vec::<i64>().unwrap();
        let (ids, mask, types) =
            (ids.to_vec::<i64>().unwrap(), integers("attention_mask"), integers("token_type_ids"));
        let row = |i: usize| {
            let kept = mask[i * length..(i + 1) * length].iter().sum::<i64>() as usize;
            let part =
                |all: &[i64]| all[i * length..][..kept].iter().map(|&id| id as u32).collect();
            Segment { tokens: part(&ids), types: part(&types) }
        };
        let texts: Vec<Segment> = (0..batch).map(row).collect();
        let encoded = embedder.encode(&texts).unwrap();
        let hidden = expected.get("hidden").unwrap().to_vec::<f64>().unwrap();
        let embeddings = expected.get("embeddings").unwrap().to_vec::<f64>().unwrap();
        let size = embedder.config().hidden_size;
        for (i, text) in texts.iter().enumerate() {
            let reference = &hidden[i * length * size..][..text.tokens.len() * size];
            let off = distance(&encoded[i].hidden, reference);
            assert!(off < 1e-5, "{}, row {i}: hidden states are off by {off:.1e}", case.display());
            let off = distance(&encoded[i].embedding, &embeddings[i * size..][..size]);
            assert!(off < 1e-5, "{}, row {i}: the embedding is off by {off:.1e}", case.display());
        }
        // Rows do not depend on their neighbours.
        let alone = embedder.embed_tokens(&[texts[0].tokens.clone()]).unwrap();
        let together: Vec<f64> = encoded[0].embedding.iter().map(|&x| x.into()).collect();
        assert!(
            texts[0].types.iter().all(|&kind| kind == 0) && distance(&alone[0], &together) < 1e-5
        );
    }
    assert!(count >= 7, "{count} cases");
}

#[test]
fn texts_that_the_model_cannot_take_are_errors() {
    let folder = ModelFolder::open(path("bert/full_length")).unwrap();
    let embedder = Embedder::open(&platform(), &folder).unwrap();
    let message = |tokens: Vec<u32>| embedder.embed_tokens(&[tokens]).unwrap_err().to_string();
    assert_eq!(message(Vec::new()), "a text without tokens has no embedding");
    assert_eq!(message(vec![1; 17]), "a text has 17 tokens; the model has 16 positions");
    assert!(message(vec![90]).starts_with("token 90 is outside of the vocabulary of 90"));
    assert!(embedder.embed_tokens(&[]).unwrap().is_empty());
}

#[test]
fn a_checkpoint_that_does_not_match_its_configuration_is_refused() {
    for (field, value, expected) in [
        ("vocab_size", 91, "embeddings.word_embeddings.weight: expected f32[vocab=91, in="),
        ("max_position_embeddings", 1, "embeddings.position_embeddings.weight: expected f32["),
        ("type_vocab_size", 3, "embeddings.token_type_embeddings.weight: expected f32[vocab=3, "),
        ("hidden_size", 8, "embeddings.LayerNorm.bias: expected f32[in=8], found"),
        ("intermediate_size", 7, "encoder.layer.0.intermediate.dense.weight: expected f32[out=7, "),
        ("intermediate_size", 7, "encoder.layer.0.output.dense.weight: expected f32[out="),
        ("num_hidden_layers", 9, "encoder.layer.2: missing"),
    ] {
        let folder = changed("bert", "full_length", field, &value.into());
        let folder = ModelFolder::open(folder.path()).unwrap();
        let message = Embedder::open(&platform(), &folder).map(drop).unwrap_err().to_string();
        assert!(message.contains(expected), "{field}: {message}");
    }
    let folder = changed("bert", "full_length", "layer_norm_eps", &1e-12.into());
    let weights = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    // A bias under another name of the same length.
    let at = bytes.windows(10).position(|part| part == b"dense.bias").unwrap();
    bytes[at..at + 10].copy_from_slice(b"dense.bent");
    std::fs::write(&weights, bytes).unwrap();
    let folder = ModelFolder::open(folder.path()).unwrap();
    let message = Embedder::open(&platform(), &folder).map(drop).unwrap_err().to_string();
    assert!(message.contains("dense.bias: missing"), "{message}");
}
