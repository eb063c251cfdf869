//! The tokens that begin and end a text, and those that are never generated.

use super::Config;
use crate::{Error, ModelFolder, Result, config_fields::ConfigFields, llama::Tokens};
use std::collections::BTreeMap;

/// The decoding settings of a model, from `generation_config.json`, or from `config.json` in older
/// checkpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoding {
    /// The token that begins every text.
    pub start: Option<u32>,
    /// The tokens after the start token; `None` for a language that is to be detected.
    pub forced: Vec<Option<u32>>,
    /// The tokens of languages, by names such as `<|en|>`; empty for models of one language.
    pub languages: BTreeMap<String, u32>,
    /// The tokens of tasks, by name.
    pub tasks: BTreeMap<String, u32>,
    /// The token that requests a text without timestamps.
    pub no_timestamps: Option<u32>,
    /// Tokens that are never generated.
    pub suppressed: Vec<u32>,
    /// Tokens that a text does not begin with.
    pub begin_suppressed: Vec<u32>,
    /// The tokens that end a text.
    pub eos_tokens: Vec<u32>,
    /// The maximum number of tokens of a window; those that begin its text count as one.
    pub max_length: Option<usize>,
    /// The default language.
    pub language: Option<String>,
    /// The default task.
    pub task: Option<String>,
}

/// The options of a transcription.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The spoken language, as its code (`en`) or its token (`<|en|>`); by default the one that the
    /// model detects in the first window.
    pub language: Option<String>,
    /// The task; by default the one of the model's configuration, or else to transcribe.
    pub task: Option<Task>,
    /// The maximum number of tokens of a window; by default the limit of the model's configuration.
    pub max_tokens: Option<usize>,
}

/// The task of a model of speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Transcribes speech in its own language.
    Transcribe,
    /// Translates speech to English.
    Translate,
}

impl Task {
    /// The name of the task in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Task::Transcribe => "transcribe",
            Task::Translate => "translate",
        }
    }
}

impl Decoding {
    /// The settings in a folder's `generation_config.json`, if it exists, with those of `config`
    /// for the tokens that it lacks.
    ///
    /// # Errors
    /// The file cannot be read, a field is invalid, a token is not in the vocabulary, or no token
    /// begins a text.
    pub fn read(folder: &ModelFolder, config: &Config) -> Result<Decoding> {
        let older = &config.decoding;
        let path = folder.path().join("generation_config.json");
        let (path, decoding) = match ConfigFields::read_optional(&path)? {
            None => (folder.config(), older.clone()),
            Some(mut fields) => {
                let own = Decoding::from_fields(&mut fields)?;
                let forced = if own.forced.is_empty() { &older.forced } else { &own.forced };
                let ends = &own.eos_tokens;
                let ends = if ends.is_empty() { &older.eos_tokens } else { ends };
                let (start, forced, eos_tokens) =
                    (own.start.or(older.start), forced.clone(), ends.clone());
                (path, Decoding { start, forced, eos_tokens, ..own })
            }
        };
        let error = |message| Err(Error::Config { path, message });
        if decoding.start.is_none() {
            return error("`decoder_start_token_id` is missing; expected a whole number".into());
        }
        let unknown = decoding.tokens().find(|&token| token as usize >= config.vocab_size);
        match unknown {
            Some(token) => error(format!(
                "token {token} is outside of the vocabulary, 0 to {}",
                config.vocab_size - 1
            )),
            None => Ok(decoding),
        }
    }

    pub(super) fn from_fields(fields: &mut ConfigFields) -> Result<Decoding> {
        let list = |tokens: Option<Vec<u32>>| tokens.unwrap_or_default();
        Ok(Decoding {
            start: fields.optional("decoder_start_token_id")?,
            forced: forced(fields)?,
            languages: fields.optional("lang_to_id")?.unwrap_or_default(),
            tasks: fields.optional("task_to_id")?.unwrap_or_default(),
            no_timestamps: fields.optional("no_timestamps_token_id")?,
            suppressed: list(fields.optional("suppress_tokens")?),
            begin_suppressed: list(fields.optional("begin_suppress_tokens")?),
            eos_tokens: Tokens::read(fields)?,
            max_length: fields.optional_size("max_length")?,
            language: fields.optional("language")?,
            task: fields.optional("task")?,
        })
    }

    fn tokens(&self) -> impl Iterator<Item = u32> {
        let named = self.languages.values().chain(self.tasks.values());
        let lists = [&self.suppressed, &self.begin_suppressed, &self.eos_tokens];
        let single = self.start.iter().chain(&self.no_timestamps);
        let forced = self.forced.iter().flatten();
        named.chain(lists.into_iter().flatten()).chain(single).chain(forced).copied()
    }

    /// The tokens that begin the text of a request; `None` for a language that is to be detected,
    /// which is the second token.
    ///
    /// # Errors
    /// The model does not know the language or the task.
    pub fn prompt(&self, request: &Request) -> Result<Vec<Option<u32>>> {
        let language = request.language.as_ref().or(self.language.as_ref());
        let task = request.task.map(Task::name).or(self.task.as_deref());
        let mut prompt = vec![self.start];
        if language.is_none() && task.is_none() {
            prompt.extend(&self.forced);
        }
        let language = language.map(|name| self.language(name)).transpose()?;
        match (language, prompt.get(1)) {
            (Some(token), None) => prompt.push(Some(token)),
            (Some(token), Some(_)) => prompt[1] = Some(token),
            (None, None) if !self.languages.is_empty() => prompt.push(None),
            (None, Some(None)) if self.languages.is_empty() => drop(prompt.remove(1)),
            (None, _) => {}
        }
        let is_task = |token: &Option<u32>| self.tasks.values().any(|task| *token == Some(*task));
        let at = prompt.iter().position(is_task);
        match (task, at) {
            (Some(name), Some(at)) => prompt[at] = Some(self.task(name)?),
            (Some(name), None) => prompt.push(Some(self.task(name)?)),
            // A language is followed by a task.
            (None, None) if prompt.len() > 1 => {
                prompt.extend(self.tasks.get(Task::Transcribe.name()).map(|&token| Some(token)));
            }
            (None, _) => {}
        }
        if self.no_timestamps.is_some() && prompt.last() != Some(&self.no_timestamps) {
            prompt.push(self.no_timestamps);
        }
        Ok(prompt)
    }

    fn language(&self, name: &str) -> Result<u32> {
        let lower = name.to_lowercase();
        let token = self.languages.get(&lower);
        let token = token.or_else(|| self.languages.get(&format!("<|{lower}|>")));
        token.copied().ok_or_else(|| unknown("language", name, &self.languages))
    }

    fn task(&self, name: &str) -> Result<u32> {
        self.tasks.get(name).copied().ok_or_else(|| unknown("task", name, &self.tasks))
    }
}

fn unknown(what: &str, name: &str, known: &BTreeMap<String, u32>) -> Error {
    let names = known.keys().map(|name| name.trim_matches(['<', '|', '>']));
    let names = names.collect::<Vec<_>>().join(", ");
    Error::Request(if known.is_empty() {
        format!("{what} `{name}`: the model has one {what} alone, and takes no other")
    } else {
        format!("the model does not know the {what} `{name}`; it knows {names}")
    })
}

/// The tokens after the first that begin every text: `forced_decoder_ids`, pairs of a position and
/// a token, the positions in order from 1 on.
fn forced(fields: &mut ConfigFields) -> Result<Vec<Option<u32>>> {
    let name = "forced_decoder_ids";
    let pairs: Vec<(usize, Option<u32>)> = fields.optional(name)?.unwrap_or_default();
    if pairs.iter().zip(1..).all(|((position, _), expected)| *position == expected) {
        Ok(pairs.into_iter().map(|(_, token)| token).collect())
    } else {
        Err(fields.unfit(name, "expected the positions 1, 2 and so on, in order"))
    }
}
