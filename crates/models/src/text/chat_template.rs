//! Chat templates: conversations as the text that a model was trained on.

use super::python_json;
use crate::{Error, ModelFolder, Result};
use minijinja::{Environment, ErrorKind, Value, context, value::Kwargs};
use serde::Serialize;
use serde_json::Value as Json;
use std::{collections::BTreeMap, path::Path};

/// A template that turns a conversation into text, in the dialect of Jinja that Hugging Face's `transformers` renders.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    /// `bos_token`, `eos_token` and others that templates write out.
    tokens: BTreeMap<String, String>,
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who speaks: `system`, `user` or `assistant`.
    pub role: String,
    /// What is said.
    pub content: String,
}

/// What the template is called in the environment.
const NAME: &str = "chat";

impl ChatTemplate {
    /// The template of a model: `chat_template.jinja`, or the one in `tokenizer_config.json` (of several the one called
    /// `default`). `None` when the model has none.
    ///
    /// # Errors
    /// A file cannot be read, or the template breaks Jinja's rules.
    pub fn open(folder: &ModelFolder) -> Result<Option<ChatTemplate>> {
        let config = read_config(folder)?;
        let file = folder.path().join("chat_template.jinja");
        let source = match std::fs::read_to_string(&file) {
            Ok(source) => Some(source),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => in_config(&config),
            Err(source) => return Err(Error::Read { path: file, source }),
        };
        source
            .map(|source| ChatTemplate::new(&source, special_tokens(&config)))
            .transpose()
    }

    /// A template from a file in place of the model's own.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_file(file: &Path, folder: &ModelFolder) -> Result<ChatTemplate> {
        let source = std::fs::read_to_string(file).map_err(|source| Error::Read {
            path: file.to_owned(),
            source,
        })?;
        ChatTemplate::new(&source, special_tokens(&read_config(folder)?))
    }

    /// A template from its source. `tokens` are the special tokens by the names that templates know them by, such as
    /// `bos_token`.
    ///
    /// # Errors
    /// The source breaks Jinja's rules.
    pub fn new(source: &str, tokens: BTreeMap<String, String>) -> Result<ChatTemplate> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", strftime_now);
        environment.add_filter("tojson", to_json);
        environment
            .add_template_owned(NAME, without_markers(source))
            .map_err(|error| failed(&error))?;
        Ok(ChatTemplate { environment, tokens })
    }

    /// The text of a conversation. `answer` adds the beginning of the assistant's next turn.
    ///
    /// # Errors
    /// The template refuses the conversation, such as one whose turns do not alternate, or uses what is not supported.
    pub fn render(&self, messages: &[Message], answer: bool) -> Result<String> {
        let template = self.environment.get_template(NAME).map_err(|error| failed(&error))?;
        let values = context! {
            messages => Value::from_serialize(messages),
            add_generation_prompt => answer,
            ..Value::from_serialize(&self.tokens)
        };
        template.render(values).map_err(|error| failed(&error))
    }
}

impl Message {
    /// A turn.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Message {
        Message {
            role: role.into(),
            content: content.into(),
        }
    }
}

fn failed(error: &minijinja::Error) -> Error {
    let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
    match error.detail() {
        // What the template itself says, by `raise_exception`.
        Some(detail) if error.kind() == ErrorKind::InvalidOperation => Error::Template(format!("{detail}{line}")),
        _ => Error::Template(error.to_string()),
    }
}

/// `tokenizer_config.json`, or nothing when it is not there.
fn read_config(folder: &ModelFolder) -> Result<Json> {
    let path = folder.tokenizer_config();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Json::Null),
        Err(source) => return Err(Error::Read { path, source }),
    };
    serde_json::from_str(&text).map_err(|error| Error::Config {
        path,
        message: format!("not JSON: {error}"),
    })
}

fn in_config(config: &Json) -> Option<String> {
    match config.get("chat_template")? {
        Json::String(source) => Some(source.clone()),
        Json::Array(named) => {
            let default = named
                .iter()
                .find(|entry| entry.get("name").and_then(Json::as_str) == Some("default"));
            Some(default?.get("template")?.as_str()?.to_owned())
        }
        _ => None,
    }
}

/// The special tokens of a tokenizer's configuration: each a text, or an object with a `content`.
fn special_tokens(config: &Json) -> BTreeMap<String, String> {
    let fields = config.as_object().into_iter().flatten();
    let tokens = fields
        .filter(|(name, _)| name.ends_with("_token"))
        .filter_map(|(name, value)| {
            let text = value.as_str().or_else(|| value.get("content")?.as_str())?;
            Some((name.clone(), text.to_owned()))
        });
    tokens.collect()
}

/// The source without the tags that mark the assistant's turns for training, which print nothing.
fn without_markers(source: &str) -> String {
    let mut source = source.to_owned();
    for (tag, plain) in [("generation", "if true"), ("endgeneration", "endif")] {
        for (open, close) in [("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")] {
            // A tag in its place strips the same white space.
            source = source.replace(&format!("{open} {tag} {close}"), &format!("{open} {plain} {close}"));
        }
    }
    source
}

fn raise_exception(message: String) -> Result<String, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
}

fn strftime_now(format: &str) -> Result<String, minijinja::Error> {
    let now = jiff::fmt::strtime::format(format, &jiff::Zoned::now());
    now.map_err(|error| minijinja::Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

fn to_json(value: &Value, options: Kwargs) -> Result<String, minijinja::Error> {
    let indent: Option<usize> = options.get("indent")?;
    // Accepted for the sake of templates that write the defaults out.
    let _: Option<bool> = options.get("ensure_ascii")?;
    options.assert_all_used()?;
    let json = python_json::write(value, indent);
    json.map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(source: &str) -> Result<String> {
        let tokens = BTreeMap::from([("bos_token".to_owned(), "<s>".to_owned())]);
        let messages = [Message::new("user", " Hi <b> "), Message::new("assistant", "Yes")];
        ChatTemplate::new(source, tokens)?.render(&messages, true)
    }

    #[test]
    fn blocks_leave_no_lines_and_text_is_not_escaped() {
        let source = "{{ bos_token }}{% for m in messages %}\n    {% if true %}\n{{ m.role }}: {{ m['content'].strip() }};\n    \
                      {% endif %}\n{% endfor %}\n{% if add_generation_prompt %}A:{% endif %}\n";
        assert_eq!(render(source).unwrap(), "<s>user: Hi <b>;\nassistant: Yes;\nA:");
    }

    #[test]
    fn markers_of_training_print_nothing() {
        assert_eq!(render("a\n{%- generation %}\nb{% endgeneration -%} c").unwrap(), "abc");
    }

    #[test]
    fn json_is_pythons_and_not_escaped() {
        assert_eq!(
            render("{{ messages[0] | tojson }}").unwrap(),
            r#"{"role": "user", "content": " Hi <b> "}"#
        );
    }

    #[test]
    fn a_refusal_says_what_the_template_says() {
        let error = render("{{ raise_exception('roles must alternate') }}").unwrap_err();
        assert_eq!(error.to_string(), "chat template: roles must alternate (line 1)");
        assert!(
            render("{% if %}")
                .unwrap_err()
                .to_string()
                .starts_with("chat template: syntax error")
        );
    }

    #[test]
    fn the_date_can_be_asked_for() {
        assert_eq!(render("{{ strftime_now('%Y') | length }}").unwrap(), "4");
    }
}
