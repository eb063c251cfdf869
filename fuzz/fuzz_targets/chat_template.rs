//! Any text as a chat template, rendered with a short conversation.
#![no_main]

use hloom_models::text::{ChatTemplate, Message};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

fuzz_target!(|source: &str| {
    let tokens = BTreeMap::from([("bos_token".to_owned(), "<s>".to_owned())]);
    let messages = [
        Message::new("system", "Be brief."),
        Message::new("user", " Hi \u{e9}\n"),
        Message::new("assistant", "Yes"),
    ];
    let rendered =
        ChatTemplate::new(source, tokens).and_then(|template| template.render(&messages, true));
    match rendered {
        Ok(text) => assert!(text.len() < 256 << 20),
        Err(error) => assert!(error.to_string().starts_with("chat template (the source): ")),
    }
});
