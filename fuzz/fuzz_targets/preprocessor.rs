//! Any bytes as `preprocessor_config.json` of a Whisper.
#![no_main]

use hloom_models::{
    ModelFolder,
    whisper::{Config, LogMel},
};
use libfuzzer_sys::fuzz_target;
use std::{fs, path::Path};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/whisper/multilingual");

fuzz_target!(|bytes: &[u8]| {
    let path = hloom_fuzz::file("preprocessor_config.json", bytes);
    let folder = path.parent().expect("it has a folder");
    for name in ["config.json", "model.safetensors"] {
        let copy = folder.join(name);
        if !copy.exists() {
            fs::copy(Path::new(MODEL).join(name), copy).expect("the fixture is there");
        }
    }
    let model = ModelFolder::open(folder).expect("the fixture is a model");
    let config = Config::read(model.config()).expect("the fixture has a configuration");
    if let Err(error) = LogMel::read(&model, &config) {
        assert!(error.to_string().contains("preprocessor_config.json"));
    }
});
