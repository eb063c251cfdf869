//! The chat template of a file.

use super::{
    metadata::Metadata,
    vocabulary::{Special, Vocabulary},
};
use crate::{Result, text::ChatTemplate};
use hloom_io::gguf::Value;
use std::{collections::BTreeMap, path::Path};

/// The keys of the template, the first of which counts.
const KEYS: [&str; 2] = ["tokenizer.chat_template", "tokenizer.chat_template.default"];

impl ChatTemplate {
    /// The template in the metadata of the GGUF file at `path`, with the texts of its special
    /// tokens; `None` when it has none.
    ///
    /// # Errors
    /// A value has another type, an id of a special token is out of range, or the template is not
    /// valid Jinja.
    pub fn from_gguf(
        metadata: &BTreeMap<String, Value>,
        path: &Path,
    ) -> Result<Option<ChatTemplate>> {
        let metadata = Metadata::new(metadata, path);
        let Some(key) = KEYS.into_iter().find(|key| metadata.get(key).is_some()) else {
            return Ok(None);
        };
        let source = metadata.text(key)?.unwrap_or_default();
        let name = format!("`{key}` of {}", path.display());
        ChatTemplate::named(name, source, special_tokens(metadata)?).map(Some)
    }

    /// A template from a file, instead of the one in the metadata of the GGUF file at `path`.
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file), or the special tokens of the metadata are not valid.
    pub(crate) fn from_file_for_gguf(
        file: &Path,
        metadata: &BTreeMap<String, Value>,
        path: &Path,
    ) -> Result<ChatTemplate> {
        ChatTemplate::from_file_with(file, special_tokens(Metadata::new(metadata, path))?)
    }
}

/// The texts of special tokens by the names that templates use.
fn special_tokens(metadata: Metadata<'_>) -> Result<BTreeMap<String, String>> {
    let vocabulary = Vocabulary::read(metadata)?;
    let mut tokens = BTreeMap::new();
    for (name, special) in [
        ("bos_token", Special::Start),
        ("eos_token", Special::End),
        ("unk_token", Special::Unknown),
        ("pad_token", Special::Padding),
    ] {
        if let Some(id) = vocabulary.special(special)? {
            tokens.insert(name.to_owned(), vocabulary.tokens[id as usize].to_string());
        }
    }
    Ok(tokens)
}
