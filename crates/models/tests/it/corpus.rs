//! The seeds and findings of the fuzz targets: every file is read or rejected, and none takes long.

use hloom_graph::DType;
use hloom_models::{
    GenerationConfig, bert, llama,
    text::{ChatTemplate, Message, Tokenizer},
};
use std::{collections::BTreeMap, fs, path::Path};

/// The files of a target's corpus: at least `least`.
fn corpus(target: &str, least: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files: Vec<Vec<u8>> =
        fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    assert!(files.len() >= least, "{} files of {target}", files.len());
    files
}

#[test]
fn configurations_are_read_or_refused() {
    let mut read = [0; 3];
    for file in corpus("config", 15) {
        let Some((kind, text)) = file.split_first() else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(text) else { continue };
        let kind = usize::from(kind % 3);
        let (path, refused) = (Path::new("config.json"), "config.json: ");
        let error = match kind {
            0 => llama::Config::parse(text, path)
                .map(|config| {
                    assert!(config.layers() <= 1 << 16 && (config.layers() > 64 || built(&config)))
                })
                .err(),
            1 => bert::Config::parse(text, path)
                .map(|config| assert!(config.layers <= 1 << 16))
                .err(),
            _ => GenerationConfig::parse(text, path)
                .map(|config| assert!(config.eos_tokens().len() <= 1024))
                .err(),
        };
        match error {
            Some(error) => assert!(error.to_string().starts_with(refused), "{error}"),
            None => read[kind] += 1,
        }
    }
    assert!(read.iter().all(|&count| count >= 1), "{read:?}");
}

fn built(config: &llama::Config) -> bool {
    llama::Llama::new(config, DType::F32).model.layers.len() == config.layers()
}

#[test]
fn tokenizers_are_read_or_refused() {
    let (mut tokenizers, mut templates) = (0, 0);
    for file in corpus("tokenizer", 8) {
        match Tokenizer::from_bytes(&file, Path::new("tokenizer.json")) {
            Ok(tokenizer) => {
                tokenizers += 1;
                if let Ok(tokens) = tokenizer.encode("Hello, w\u{f6}rld 123!\n", true) {
                    let _ = tokenizer.decode(&tokens);
                }
            }
            Err(error) => assert!(error.to_string().starts_with("tokenizer.json: "), "{error}"),
        }
        let Ok(text) = std::str::from_utf8(&file) else { continue };
        match ChatTemplate::parse_config(text, Path::new("tokenizer_config.json")) {
            Ok(template) => templates += usize::from(template.is_some()),
            Err(error) => assert!(error.to_string().contains("tokenizer_config.json"), "{error}"),
        }
    }
    assert!(tokenizers >= 3 && templates >= 2, "{tokenizers} {templates}");
}

#[test]
fn templates_render_or_are_refused() {
    let messages = [
        Message::new("system", "Be brief."),
        Message::new("user", " Hi \u{e9}\n"),
        Message::new("assistant", "Yes"),
    ];
    let mut rendered = 0;
    for file in corpus("chat_template", 20) {
        let Ok(source) = std::str::from_utf8(&file) else {
            continue;
        };
        let tokens = BTreeMap::from([("bos_token".to_owned(), "<s>".to_owned())]);
        match ChatTemplate::new(source, tokens)
            .and_then(|template| template.render(&messages, true))
        {
            Ok(_) => rendered += 1,
            Err(error) => {
                assert!(error.to_string().starts_with("chat template (the source): "), "{error}")
            }
        }
    }
    assert!(rendered >= 15, "{rendered}");
}
