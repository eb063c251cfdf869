//! Any bytes as `tokenizer.json`, and as `tokenizer_config.json`.
#![no_main]

use hloom_models::text::{ChatTemplate, Tokenizer};
use libfuzzer_sys::fuzz_target;
use std::{panic, path::Path, sync::Once};

static HOOK: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    // The library for tokenizers panics over some tables, which `Tokenizer` catches; the fuzzer
    // would end at the panic. What is not caught still ends it.
    HOOK.call_once(|| panic::set_hook(Box::new(|_| {})));
    match Tokenizer::from_bytes(bytes, Path::new("tokenizer.json")) {
        Ok(tokenizer) => {
            for text in ["", "Hello, w\u{f6}rld 123!\n", "\u{1f98a} a</s> a"] {
                if let Ok(tokens) = tokenizer.encode(text, true) {
                    let _ = tokenizer.decode(&tokens);
                    let mut stream = tokenizer.stream();
                    for &token in tokens.iter().take(100) {
                        let _ = stream.push(token);
                    }
                }
            }
            let _ = tokenizer.check_vocabulary(100);
        }
        Err(error) => assert!(error.to_string().starts_with("tokenizer.json: ")),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        match ChatTemplate::parse_config(text, Path::new("tokenizer_config.json")) {
            Ok(_) => {}
            Err(error) => assert!(error.to_string().contains("tokenizer_config.json")),
        }
    }
});
