//! Chat templates as `transformers` renders them.

use crate::fixture::path;
use hloom_models::{
    ModelFolder,
    text::{ChatTemplate, Message},
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Conversation {
    name: String,
    messages: Vec<Turn>,
    add_generation_prompt: bool,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    content: String,
}

#[test]
fn templates_render_as_the_reference_does() {
    let (mut count, mut failures) = (0, Vec::new());
    for family in std::fs::read_dir(path("chat")).unwrap() {
        let family = family.unwrap().path();
        // A model folder has a configuration; here only the tokenizer's is read.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.json"), "{}").unwrap();
        for file in std::fs::read_dir(&family).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let template = ChatTemplate::open(&ModelFolder::open(folder.path()).unwrap());
        let template =
            template.unwrap_or_else(|error| panic!("{}: {error}", family.display())).unwrap();
        let read = |name: &str| std::fs::read(family.join(name)).unwrap();
        let conversations: Vec<Conversation> =
            serde_json::from_slice(&read("messages.json")).unwrap();
        let expected: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(&read("expected.json")).unwrap();
        for conversation in conversations {
            count += 1;
            let turns =
                conversation.messages.into_iter().map(|turn| Message::new(turn.role, turn.content));
            let turns: Vec<Message> = turns.collect();
            let rendered = template.render(&turns, conversation.add_generation_prompt);
            let agrees = match (&rendered, &expected[&conversation.name]) {
                (Ok(text), serde_json::Value::String(expected)) => text == expected,
                // The reference rejects the conversation, with this message.
                (Err(error), other) => other
                    .to_string()
                    .split('"')
                    .any(|part| part.len() > 8 && error.to_string().contains(part)),
                _ => false,
            };
            if !agrees {
                let expected = &expected[&conversation.name];
                failures.push(format!(
                    "{} {}: {rendered:?}, expected {expected}",
                    family.display(),
                    conversation.name
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 20, "{count} conversations");
}
