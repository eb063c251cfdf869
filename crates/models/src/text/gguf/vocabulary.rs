//! The tokens of a file and its special tokens.

use super::{
    metadata::{Metadata, quoted},
    token_kind::{self, TokenKind},
};
use crate::Result;
use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
};

pub(super) const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";

/// The limit on the number of tokens. Large vocabularies have a quarter of a million.
const MAX_TOKENS: usize = 1 << 22;

/// The tokens of a file.
pub(super) struct Vocabulary<'a> {
    pub metadata: Metadata<'a>,
    /// The name of the tokenizer's model.
    pub model: &'a str,
    /// The texts of tokens by id.
    pub tokens: Vec<Cow<'a, str>>,
    /// The kinds of tokens by id.
    pub kinds: Vec<TokenKind>,
}

/// A special token.
#[derive(Clone, Copy)]
pub(super) enum Special {
    Start,
    End,
    Unknown,
    Padding,
}

impl<'a> Vocabulary<'a> {
    /// Reads the tokens.
    ///
    /// # Errors
    /// The tokens or their kinds are missing or of another type, or two tokens have the same text.
    pub fn read(metadata: Metadata<'a>) -> Result<Vocabulary<'a>> {
        let model = metadata.text(MODEL)?;
        let model = model.ok_or_else(|| metadata.missing(MODEL, "the name of a model"))?;
        let texts = metadata.texts(TOKENS)?;
        let texts = texts.ok_or_else(|| metadata.missing(TOKENS, "the texts of tokens"))?;
        if texts.is_empty() || texts.len() > MAX_TOKENS {
            return Err(metadata.error(format!(
                "`{TOKENS}` has {} texts; expected 1 to {MAX_TOKENS}",
                texts.len()
            )));
        }
        let tokens: Vec<Cow<str>> = texts
            .iter()
            .enumerate()
            .map(|(id, text)| match text.as_str() {
                "" => Cow::Owned(format!("[EMPTY_{id}]")),
                text => Cow::Borrowed(text),
            })
            .collect();
        let mut ids = HashMap::with_capacity(tokens.len());
        for (id, text) in (0..).zip(&tokens) {
            match ids.entry(text.as_ref()) {
                Entry::Vacant(entry) => drop(entry.insert(id)),
                Entry::Occupied(entry) => {
                    return Err(metadata.error(format!(
                        "`{TOKENS}`: tokens {} and {id} are both {}; expected different texts",
                        entry.get(),
                        quoted(text)
                    )));
                }
            }
        }
        let kinds = token_kind::read(metadata, tokens.len(), &ids)?;
        Ok(Vocabulary { metadata, model, tokens, kinds })
    }

    /// The ids of tokens by text.
    pub fn ids(&self) -> HashMap<&str, u32> {
        self.tokens.iter().map(AsRef::as_ref).zip(0..).collect()
    }

    /// The id that a key has.
    pub fn id(&self, key: &str) -> Result<Option<u32>> {
        self.metadata.id(key, self.tokens.len())
    }

    /// The id of a special token: by its key, or the model's own.
    pub fn special(&self, special: Special) -> Result<Option<u32>> {
        let own = match (self.model, special) {
            ("llama", Special::Unknown) => Some(0),
            ("llama", Special::Start) => Some(1),
            ("llama", Special::End) => Some(2),
            _ => None,
        };
        let own = own.filter(|&id| (id as usize) < self.tokens.len());
        Ok(self.id(special.key())?.or(own))
    }
}

impl Special {
    pub fn key(self) -> &'static str {
        match self {
            Special::Start => "tokenizer.ggml.bos_token_id",
            Special::End => "tokenizer.ggml.eos_token_id",
            Special::Unknown => "tokenizer.ggml.unknown_token_id",
            Special::Padding => "tokenizer.ggml.padding_token_id",
        }
    }
}
