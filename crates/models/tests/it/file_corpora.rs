//! The corpora of the fuzz targets of audio, adapters and features, and mutations of their files:
//! each is read or refused, soon.

use crate::fixture;
use hloom_models::{
    Error, ModelFolder,
    lora::AdapterFolder,
    whisper::{Audio, Config, LogMel},
};
use hloom_test_support::run_corpus;
use std::{fs, path::Path};

fn is_read<T>(result: Result<T, Error>, file: &str) -> bool {
    match result {
        Ok(_) => true,
        Err(error) => {
            assert!(error.to_string().contains(file), "{error}");
            false
        }
    }
}

#[test]
fn the_corpus_of_audio_is_read_or_refused() {
    run_corpus("wav", |bytes| match Audio::read(bytes, Path::new("x.wav")) {
        Ok(audio) => {
            assert!(!audio.samples().is_empty() && audio.samples().len() <= bytes.len());
            assert!(audio.samples().iter().all(|sample| sample.is_finite()));
            true
        }
        error => is_read(error, "x.wav"),
    });
}

#[test]
fn the_corpus_of_adapters_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    // An empty checkpoint.
    let empty = [&2u64.to_le_bytes()[..], b"{}"].concat();
    fs::write(folder.path().join("adapter_model.safetensors"), empty).unwrap();
    run_corpus("lora", |bytes| {
        fs::write(folder.path().join("adapter_config.json"), bytes).unwrap();
        match AdapterFolder::open(folder.path()) {
            Ok(adapters) => adapters.lora().rank > 0 && adapters.lora().alpha.is_finite(),
            error => is_read(error, "adapter_config.json"),
        }
    });
}

#[test]
fn the_corpus_of_features_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(fixture::path("whisper/multilingual")).unwrap() {
        let file = file.unwrap();
        if file.file_name() != "preprocessor_config.json" {
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
    }
    let model = ModelFolder::open(folder.path()).unwrap();
    let config = Config::read(model.config()).unwrap();
    run_corpus("preprocessor", |bytes| {
        fs::write(folder.path().join("preprocessor_config.json"), bytes).unwrap();
        is_read(LogMel::read(&model, &config), "preprocessor_config.json")
    });
}
