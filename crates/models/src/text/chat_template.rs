//! Chat templates: rendering conversations to the text format that a model was trained on.

use super::jinja;
use crate::{Error, ModelFolder, Result, config_fields, folder};
use minijinja::{Value, context, value::ValueKind};
use serde::Serialize;
use serde_json::Value as Json;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// A template that renders a conversation to text, in the Jinja dialect of Hugging Face's
/// `transformers`.
///
/// Templates come with models and are untrusted: rendering one takes bounded time and memory.
#[derive(Debug)]
pub struct ChatTemplate {
    /// The source of the template.
    name: String,
    source: String,
    /// The special tokens that templates refer to: `bos_token`, `eos_token` and others.
    tokens: BTreeMap<String, String>,
    /// The time that `strftime_now` formats, instead of the clock.
    time: Option<SystemTime>,
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The speaker: `system`, `user` or `assistant`.
    pub role: String,
    /// The text of the turn.
    pub content: String,
}

/// The file of a separate template.
const FILE: &str = "chat_template.jinja";

impl ChatTemplate {
    /// The template of a model: `chat_template.jinja`, or the one in `tokenizer_config.json` (if
    /// there are several, the one named `default`). `None` when the model has none.
    ///
    /// # Errors
    /// A file cannot be read, or the template is not valid Jinja.
    pub fn open(folder: &ModelFolder) -> Result<Option<ChatTemplate>> {
        let config = read_config(folder)?;
        let file = folder.path().join(FILE);
        match folder::read_optional(&file, folder::TEMPLATE)? {
            Some(source) => {
                check_kind(&file, &source)?;
                let name = file.display().to_string();
                ChatTemplate::named(name, &source, special_tokens(&config)).map(Some)
            }
            None => ChatTemplate::from_config(&config, folder.tokenizer_config()),
        }
    }

    /// The template in the text of a `tokenizer_config.json`; errors name `path`. `None` when it
    /// has no template.
    ///
    /// # Errors
    /// The text is not JSON, or its template is not valid Jinja.
    pub fn parse_config(text: &str, path: &Path) -> Result<Option<ChatTemplate>> {
        ChatTemplate::from_config(&json(text, path)?, path.to_owned())
    }

    fn from_config(config: &Json, path: PathBuf) -> Result<Option<ChatTemplate>> {
        let name = path.display().to_string();
        let source = in_config(config).map_err(|message| Error::Config { path, message })?;
        let template =
            source.map(|source| ChatTemplate::named(name, &source, special_tokens(config)));
        template.transpose()
    }

    /// A template from a file, instead of the model's own.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_file(file: &Path, folder: &ModelFolder) -> Result<ChatTemplate> {
        ChatTemplate::from_file_with(file, special_tokens(&read_config(folder)?))
    }

    /// A template from a file, with these special tokens.
    pub(super) fn from_file_with(
        file: &Path,
        tokens: BTreeMap<String, String>,
    ) -> Result<ChatTemplate> {
        let source = folder::read(file, folder::TEMPLATE)?;
        check_kind(file, &source)?;
        ChatTemplate::named(file.display().to_string(), &source, tokens)
    }

    /// A template from its source. `tokens` maps the names that templates use, such as `bos_token`,
    /// to the special tokens.
    ///
    /// # Errors
    /// The source is not valid Jinja, or exceeds the limits on length or nesting.
    pub fn new(source: &str, tokens: BTreeMap<String, String>) -> Result<ChatTemplate> {
        ChatTemplate::named("the source".into(), source, tokens)
    }

    /// A template whose errors name `name`.
    pub(super) fn named(
        name: String,
        source: &str,
        tokens: BTreeMap<String, String>,
    ) -> Result<ChatTemplate> {
        let template = ChatTemplate { name, source: jinja::dialect(source), tokens, time: None };
        jinja::check(&template.source).map_err(|message| template.error(message))?;
        Ok(template)
    }

    /// Renders a conversation. `answer` appends the beginning of the assistant's next turn.
    ///
    /// # Errors
    /// The template rejects the conversation, such as one whose turns do not alternate, uses an
    /// unsupported feature, or exceeds the limits on time or memory.
    pub fn render(&self, messages: &[Message], answer: bool) -> Result<String> {
        let conversation = context! {
            messages => Value::from_serialize(messages),
            add_generation_prompt => answer,
        };
        self.render_values(conversation, messages.len())
    }

    /// Renders a conversation in JSON: an object of the arguments that `apply_chat_template` of
    /// `transformers` passes to the template: `messages`, and optionally `tools`, `documents`,
    /// `add_generation_prompt` and variables of the template's own, such as `enable_thinking`.
    ///
    /// # Errors
    /// The text is not such an object, or as for [`render`](Self::render).
    pub fn render_json(&self, conversation: &str) -> Result<String> {
        let values: Value = serde_json::from_str(conversation)
            .map_err(|error| self.error(format!("the conversation is not JSON: {error}")))?;
        let messages = values.get_attr("messages").unwrap_or_default();
        match messages.len() {
            Some(turns) if messages.kind() == ValueKind::Seq => self.render_values(values, turns),
            _ => Err(self.error(
                "the conversation is not an object in JSON with a list of `messages`".into(),
            )),
        }
    }

    /// Replaces the clock that `strftime_now` reads by a fixed time, in UTC, so that the same
    /// conversation renders to the same text on every day.
    pub fn at(mut self, time: SystemTime) -> ChatTemplate {
        self.time = Some(time);
        self
    }

    /// Renders with the variables that every conversation has, as in `transformers`: variables that
    /// are not passed are None rather than undefined.
    fn render_values(&self, conversation: Value, turns: usize) -> Result<String> {
        let values = context! {
            ..conversation,
            ..context! { tools => (), documents => (), add_generation_prompt => false },
            ..Value::from_serialize(&self.tokens)
        };
        let rendered = jinja::render(&self.source, &values, turns, self.time);
        rendered.map_err(|message| self.error(message))
    }

    fn error(&self, message: String) -> Error {
        Error::Template { name: self.name.clone(), message }
    }
}

impl Message {
    /// A turn.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Message {
        Message { role: role.into(), content: content.into() }
    }
}

/// The `tokenizer_config.json`, empty when the file is missing.
fn read_config(folder: &ModelFolder) -> Result<Json> {
    let path = folder.tokenizer_config();
    match folder::read_optional(&path, folder::CONFIG)? {
        Some(text) => json(&text, &path),
        None => Ok(Json::Null),
    }
}

/// Checks that the text of a template is not an HTML page or a pointer file (Git LFS), which would
/// render as itself.
fn check_kind(file: &Path, source: &str) -> Result<()> {
    match hloom_io::file_kind(source.as_bytes()) {
        Some(kind) => Err(Error::Template {
            name: file.display().to_string(),
            message: format!("not a template, but {kind}"),
        }),
        None => Ok(()),
    }
}

/// The object of a tokenizer's configuration.
fn json(text: &str, path: &Path) -> Result<Json> {
    let message = match serde_json::from_str(text) {
        Ok(object @ Json::Object(_)) => return Ok(object),
        Ok(_) => "an object with the tokenizer's fields is expected".to_owned(),
        Err(error) => match hloom_io::file_kind(text.as_bytes()) {
            Some(kind) => format!("not JSON, but {kind}"),
            None => format!("not JSON: {error}"),
        },
    };
    Err(Error::Config { path: path.to_owned(), message })
}

/// The template in a tokenizer's configuration.
fn in_config(config: &Json) -> Result<Option<String>, String> {
    match config.get("chat_template") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(source)) => Ok(Some(source.clone())),
        Some(found @ Json::Array(named)) => {
            let default = named
                .iter()
                .find(|entry| entry.get("name").and_then(Json::as_str) == Some("default"));
            match default.map(|entry| entry.get("template").and_then(Json::as_str)) {
                None => Ok(None),
                Some(Some(source)) => Ok(Some(source.to_owned())),
                Some(None) => Err(unfit(found)),
            }
        }
        Some(found) => Err(unfit(found)),
    }
}

fn unfit(found: &Json) -> String {
    let found = config_fields::shown(found);
    format!(
        "`chat_template` is {found}; expected text, or a list of objects with a `name` and a \
         `template`, both text"
    )
}

/// The special tokens of a tokenizer's configuration: each a string, or an object with a `content`.
fn special_tokens(config: &Json) -> BTreeMap<String, String> {
    let fields = config.as_object().into_iter().flatten();
    let tokens = fields.filter(|(name, _)| name.ends_with("_token")).filter_map(|(name, value)| {
        let text = value.as_str().or_else(|| value.get("content")?.as_str())?;
        Some((name.clone(), text.to_owned()))
    });
    tokens.collect()
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
        let source = "{{ bos_token }}{% for m in messages %}\n    {% if true %}\n{{ m.role }}: {{ \
                      m['content'].strip() }};\n    {% endif %}\n{% endfor %}\n{% if \
                      add_generation_prompt %}A:{% endif %}\n";
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
        assert_eq!(error.to_string(), "chat template (the source): roles must alternate (line 1)");
        assert!(
            render("{% if %}")
                .unwrap_err()
                .to_string()
                .starts_with("chat template (the source): syntax error")
        );
    }

    #[test]
    fn the_date_can_be_asked_for() {
        assert_eq!(render("{{ strftime_now('%Y') | length }}").unwrap(), "4");
    }
}
