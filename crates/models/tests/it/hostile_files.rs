//! Model files that are not regular files, are endless, or have an unknown format.

use crate::fixture::changed;
use hloom_models::{
    Error, ModelFolder, llama,
    text::{ChatTemplate, Tokenizer},
};
use serde_json::json;
use std::{fs, path::Path, process::Command, time::Duration};

/// Runs `work`, which must not block.
fn at_once<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    ended.recv_timeout(Duration::from_secs(20)).expect("a pipe is not waited for")
}

#[cfg(unix)]
#[test]
fn pipes_in_place_of_files_are_refused_and_not_waited_for() {
    let folder = changed("llama", "grouped", "vocab_size", &json!(61));
    let pipe = |name: &str| {
        let path = folder.path().join(name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        folder.path().to_owned()
    };
    let refused = |name: &str, work: fn(&ModelFolder) -> Option<Error>| {
        let path = pipe(name);
        let error = at_once(move || work(&ModelFolder::open(path).unwrap()));
        let message = error.expect("a pipe is no such file").to_string();
        assert!(
            message.ends_with(&format!("{name}: expected a regular file, found a named pipe")),
            "{message}"
        );
    };
    refused("generation_config.json", |folder| folder.generation().err());
    refused("tokenizer.json", |folder| Tokenizer::open(folder).err());
    refused("chat_template.jinja", |folder| ChatTemplate::open(folder).err());
    refused("tokenizer_config.json", |folder| ChatTemplate::open(folder).err());
    let path = pipe("config.json");
    let config = path.join("config.json");
    assert!(at_once(move || ModelFolder::open(path)).is_err());
    let message = at_once(move || llama::Config::read(config)).unwrap_err().to_string();
    assert!(
        message.ends_with("config.json: expected a regular file, found a named pipe"),
        "{message}"
    );
}

#[test]
fn files_without_an_end_are_refused() {
    let folder = changed("llama", "grouped", "vocab_size", &json!(61));
    let long = |name: &str, bytes: u64| {
        fs::File::create(folder.path().join(name)).unwrap().set_len(bytes).unwrap()
    };
    long("chat_template.jinja", 2 << 20);
    let opened = ModelFolder::open(folder.path()).unwrap();
    let message = ChatTemplate::open(&opened).unwrap_err().to_string();
    assert!(
        message.ends_with("chat_template.jinja: it has 2097152 bytes, expected at most 1048576"),
        "{message}"
    );
    // A sparse file: it takes no space on the disk.
    long("config.json", 1 << 40);
    let message = llama::Config::read(opened.config()).unwrap_err().to_string();
    assert!(message.contains("expected at most 16777216"), "{message}");
}

#[test]
fn forms_of_untagged_fields_are_told() {
    let folder = changed("llama", "grouped", "vocab_size", &json!(61));
    let at = |name: &str| folder.path().join(name);
    let opened = ModelFolder::open(folder.path()).unwrap();
    fs::write(at("tokenizer_config.json"), json!({"chat_template": 7}).to_string()).unwrap();
    let message = ChatTemplate::open(&opened).unwrap_err().to_string();
    assert!(
        message.ends_with(
            "tokenizer_config.json: `chat_template` is 7; expected text, or a list of objects \
             with a `name` and a `template`, both text"
        ),
        "{message}"
    );
    fs::write(at("tokenizer_config.json"), json!({"chat_template": "{{ 1 +"}).to_string()).unwrap();
    let message = ChatTemplate::open(&opened).unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("chat template ({})", at("tokenizer_config.json").display())),
        "{message}"
    );
    let tokenizer =
        json!({"version": "1.0", "added_tokens": [], "model": {"type": "Magic", "vocab": {}}});
    fs::write(at("tokenizer.json"), tokenizer.to_string()).unwrap();
    let message = Tokenizer::open(&opened).err().unwrap().to_string();
    assert!(
        message.contains("`model` is an object of one of the types `BPE`, ")
            && message.contains("its `type` is \"Magic\""),
        "{message}"
    );
}

#[test]
fn tokenizers_that_the_library_fails_over_are_errors() {
    let from = |text: &str| {
        Tokenizer::from_bytes(text.as_bytes(), Path::new("tokenizer.json"))
            .err()
            .unwrap()
            .to_string()
    };
    let model = r#""added_tokens":[],"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}"#;
    for decoder in
        [r#"{"type":"Fuse"#, r#"{"type" "Fuse"}"#, r#"{"type":"\ud800"}"#, r#"{"type":1e999}"#]
    {
        let message = from(&format!(r#"{{"version":"1.0",{model},"decoder":{decoder}}}"#));
        assert!(
            message.starts_with("tokenizer.json: not a tokenizer: ") && message.contains("line 1"),
            "{message}"
        );
    }
    let charsmap = r#"{"type":"Precompiled","precompiled_charsmap":"AAAA"}"#;
    let message = from(&format!(r#"{{"version":"1.0",{model},"normalizer":{charsmap}}}"#));
    assert!(message.starts_with("tokenizer.json: not a tokenizer: "), "{message}");
}
