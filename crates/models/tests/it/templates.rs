//! Chat templates over conversations with tools, documents and parts, as jinja2 renders them.

use crate::fixture::path;
use hloom_models::text::ChatTemplate;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, SystemTime},
};

/// The time of the reference: 14:07:09 on 5 March 2026, in UTC.
const NOW: Duration = Duration::from_secs(1_772_719_629);

/// A conversation that the reference renders, or refuses.
#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Text(String),
    Refused { error: String },
}

/// A published template by the hash of its source: the hashes of the texts, or `error`.
#[derive(Deserialize)]
struct Published {
    name: String,
    texts: Vec<String>,
}

#[test]
fn own_templates_render_as_by_jinja2() {
    let expected: BTreeMap<String, Vec<Expected>> = read("own.json");
    let mut failures = Vec::new();
    for (name, expected) in &expected {
        let source = std::fs::read_to_string(path("templates/own").join(name)).unwrap();
        for (at, (found, expected)) in rendered(&source).iter().zip(expected).enumerate() {
            let agrees = match (found, expected) {
                (Ok(found), Expected::Text(expected)) => found == expected,
                (found, Expected::Refused { .. }) => found.is_err(),
                (Err(_), Expected::Text(_)) => false,
            };
            if !agrees {
                let expected = match expected {
                    Expected::Text(text) => format!("{text:?}"),
                    Expected::Refused { error } => format!("error: {error}"),
                };
                failures.push(format!("{name} {at}:\n  {found:?}\n  expected\n  {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
    assert!(expected.len() >= 30, "{} templates", expected.len());
}

#[test]
#[ignore = "needs the published templates, in the folder HLOOM_TEST_TEMPLATES"]
fn published_templates_render_as_by_jinja2() {
    let folder = std::env::var("HLOOM_TEST_TEMPLATES").expect("HLOOM_TEST_TEMPLATES is not set");
    let expected: BTreeMap<String, Published> = read("published.json");
    let (mut seen, mut failures) = (BTreeSet::new(), Vec::new());
    for file in std::fs::read_dir(&folder).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let Some(Published { name, texts }) = expected.get(&sha256(&source)) else { continue };
        seen.insert(sha256(&source));
        for (at, (found, expected)) in rendered(&source).iter().zip(texts).enumerate() {
            let agrees = match found {
                Ok(text) => sha256(text) == *expected,
                Err(_) => expected == "error",
            };
            if !agrees {
                failures.push(format!("{name} {at}: {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
    assert_eq!(seen.len(), expected.len(), "templates in {folder}");
}

#[test]
fn a_conversation_is_an_object_with_messages() {
    let template = ChatTemplate::new("{{ messages | length }}{{ x }}", BTreeMap::new()).unwrap();
    assert_eq!(template.render_json(r#"{"messages": [], "x": "é"}"#).unwrap(), "0é");
    for (text, part) in [("[]", "a list of `messages`"), ("{\"messages\"", "is not JSON")] {
        let error = template.render_json(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// Each conversation as the template renders it.
fn rendered(source: &str) -> Vec<Result<String, String>> {
    let tokens = [("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>")];
    let tokens = tokens.into_iter().chain([("pad_token", "<pad>")]);
    let tokens = tokens.map(|(name, token)| (name.to_owned(), token.to_owned())).collect();
    let template = ChatTemplate::new(source, tokens);
    let template = template.map(|template| template.at(SystemTime::UNIX_EPOCH + NOW));
    let conversations = std::fs::read_to_string(path("templates/conversations.jsonl")).unwrap();
    let render = |conversation: &str| match &template {
        Ok(template) => template.render_json(conversation).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    conversations.lines().map(render).collect()
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&std::fs::read(path("templates").join(name)).unwrap()).unwrap()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
