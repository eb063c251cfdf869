//! Any text as `config.json` of a Llama or a BERT, or as `generation_config.json`; the first byte
//! selects which.
#![no_main]

use hloom_graph::{DType, Tree};
use hloom_models::{Error, GenerationConfig, bert, llama};
use libfuzzer_sys::fuzz_target;
use std::{collections::BTreeMap, path::Path};

/// The maximum number of layers of models that are built from the configuration.
const BUILT: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match kind % 3 {
        0 => check(llama::Config::parse(text, Path::new("config.json")), |config| {
            if config.layers() <= BUILT {
                llama::Llama::new(&config, DType::F32);
            }
            if config.head_dim <= 1024 {
                assert!(
                    config.rope.inverse_frequencies().iter().all(|frequency| frequency.is_finite())
                );
            }
        }),
        1 => check(bert::Config::parse(text, Path::new("config.json")), |config| {
            // All weights are missing.
            assert!(bert::Bert::spec_with(&BTreeMap::new(), &config).is_err());
        }),
        _ => check(GenerationConfig::parse(text, Path::new("generation_config.json")), |config| {
            assert!(config.temperature.is_none_or(|temperature| temperature >= 0.0));
        }),
    }
});

fn check<T>(read: Result<T, Error>, used: impl FnOnce(T)) {
    match read {
        Ok(config) => used(config),
        Err(error) => assert!(error.to_string().contains("config.json: ")),
    }
}
