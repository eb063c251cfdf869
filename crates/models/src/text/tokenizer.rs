//! Tokenizers.

use super::tokenizer_config;
use crate::{Error, ModelFolder, Result, config_fields, folder};
use serde::Deserialize;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};
use tokenizers::{
    DecodeStream, DecoderWrapper, ModelWrapper, NormalizerWrapper, PostProcessorWrapper,
    PreTokenizerWrapper, TruncationDirection, TruncationParams,
};

/// Encodes text to tokens, and decodes tokens to text.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// The tokenizer's own length limit, if it has one.
    truncation: Option<usize>,
    /// The side at which texts are truncated.
    side: TruncationDirection,
    path: PathBuf,
}

/// Decodes tokens that arrive one by one.
pub struct TextStream<'a> {
    tokenizer: &'a Tokenizer,
    inner: DecodeStream<
        'a,
        ModelWrapper,
        NormalizerWrapper,
        PreTokenizerWrapper,
        PostProcessorWrapper,
        DecoderWrapper,
    >,
}

impl Tokenizer {
    /// Reads the tokenizer of a model. The `tokenizer_config.json` next to it has to agree with it.
    ///
    /// # Errors
    /// The file is missing, or is not a tokenizer; or a field of `tokenizer_config.json` would
    /// change the tokens of texts, which the error names.
    pub fn open(model: &ModelFolder) -> Result<Tokenizer> {
        let path = model.tokenizer();
        match folder::read_optional(&path, folder::TOKENIZER)? {
            Some(text) => {
                let mut tokenizer = Tokenizer::from_bytes(text.as_bytes(), &path)?;
                tokenizer.side = tokenizer_config::read(model, &tokenizer.inner)?;
                Ok(tokenizer)
            }
            None => Err(Error::Tokenizer {
                path,
                message: "there is no such file; texts need it, and tokenizers in other forms are \
                          not read"
                    .into(),
            }),
        }
    }

    /// A tokenizer from the bytes of a `tokenizer.json`; errors name `path`.
    ///
    /// # Errors
    /// The bytes are not a tokenizer.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Tokenizer> {
        let read = serde_json::from_slice::<Parts>(bytes).map_err(|error| error.to_string());
        let read = read.and_then(|_| caught(|| tokenizers::Tokenizer::from_bytes(bytes)));
        match read {
            Ok(mut inner) => {
                // Texts are not truncated by default; see `truncate`.
                inner.with_padding(None);
                let own = inner.get_truncation();
                let truncation = own.map(|truncation| truncation.max_length);
                let side = own.map_or(TruncationDirection::Right, |own| own.direction);
                inner.with_truncation(None).expect("no truncation is always possible");
                Ok(Tokenizer { inner, truncation, side, path: path.to_owned() })
            }
            Err(error) => Err(Error::Tokenizer {
                path: path.to_owned(),
                message: match hloom_io::file_kind(bytes) {
                    Some(kind) => format!("not a tokenizer, but {kind}"),
                    None => format!("not a tokenizer: {error}{}", forms(bytes, &error)),
                },
            }),
        }
    }

    /// A tokenizer that `make` assembles from the metadata of the file at `path`.
    pub(super) fn assembled(
        make: impl FnOnce() -> tokenizers::Result<tokenizers::Tokenizer>,
        path: &Path,
    ) -> Result<Tokenizer> {
        let path = path.to_owned();
        match caught(make) {
            Ok(inner) => {
                Ok(Tokenizer { inner, truncation: None, side: TruncationDirection::Right, path })
            }
            Err(error) => {
                Err(Error::Tokenizer { path, message: format!("not a tokenizer: {error}") })
            }
        }
    }

    /// Checks that all tokens are in a vocabulary of `vocab_size`.
    ///
    /// # Errors
    /// A token is outside of the vocabulary: the tokenizer belongs to another model.
    pub fn check_vocabulary(&self, vocab_size: usize) -> Result<()> {
        let largest = self.inner.get_vocab(true).into_values().max();
        match largest {
            Some(id) if id as usize >= vocab_size => Err(self.error(format!(
                "it has tokens up to {id}, but the model's vocabulary ends at {}; they do not \
                 belong together",
                vocab_size.saturating_sub(1)
            ))),
            _ => Ok(()),
        }
    }

    /// Encodes a text. `special` adds the tokens that the model expects around a text, such as a
    /// start token; a rendered chat template contains them already.
    ///
    /// # Errors
    /// The tokenizer cannot encode the text.
    pub fn encode(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        let encoding = caught(|| self.inner.encode_fast(text, special));
        let encoding =
            encoding.map_err(|error| self.error(format!("cannot encode the text: {error}")))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Decodes tokens, without special ones.
    ///
    /// # Errors
    /// The tokenizer cannot decode the tokens.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        let text = caught(|| self.inner.decode(tokens, true));
        text.map_err(|error| self.error(format!("cannot decode the tokens: {error}")))
    }

    /// Truncates texts to `most` tokens, special ones included, or to the tokenizer's own limit if
    /// that is smaller, at the side that the tokenizer names.
    ///
    /// # Errors
    /// `most` leaves no room for tokens other than special ones.
    pub fn truncate(&mut self, most: usize) -> Result<()> {
        let truncation = TruncationParams {
            max_length: self.truncation.map_or(most, |own| own.min(most)),
            direction: self.side,
            ..TruncationParams::default()
        };
        let result = self.inner.with_truncation(Some(truncation)).map(drop);
        result.map_err(|error| self.error(format!("cannot cut texts to {most} tokens: {error}")))
    }

    /// The id of the token with this text, if it exists.
    pub fn token(&self, text: &str) -> Option<u32> {
        self.inner.token_to_id(text)
    }

    /// A stream of text, which starts empty.
    pub fn stream(&self) -> TextStream<'_> {
        TextStream { tokenizer: self, inner: self.inner.decode_stream(true) }
    }

    fn error(&self, message: String) -> Error {
        Error::Tokenizer { path: self.path.clone(), message }
    }
}

impl TextStream<'_> {
    /// The text that a token adds; `None` while a character is incomplete, or for a special token.
    ///
    /// # Errors
    /// The tokenizer cannot decode the token after the others.
    pub fn push(&mut self, token: u32) -> Result<Option<String>> {
        let text = caught(|| self.inner.step(token));
        text.map_err(|error| self.tokenizer.error(format!("cannot decode token {token}: {error}")))
    }
}

/// The parts of a `tokenizer.json` that the library assumes to be valid, and panics on otherwise.
#[derive(Deserialize)]
struct Parts {
    #[serde(default, rename = "normalizer")]
    _normalizer: serde_json::Value,
    #[serde(default, rename = "decoder")]
    _decoder: serde_json::Value,
}

/// Calls the library and turns its panics, which some untrusted tables cause, into errors.
fn caught<R>(work: impl FnOnce() -> tokenizers::Result<R>) -> Result<R, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!(
                "the library for tokenizers failed: {}",
                text.unwrap_or("without a message")
            ))
        }
    }
}

/// An explanation where the library's error reports only that no variant matched: the forms that
/// `tokenizer.json` may have, and the form found.
fn forms(bytes: &[u8], error: &str) -> String {
    const FORMS: [(&str, &str, &str); 5] = [
        ("Model", "model", "`BPE`, `WordPiece`, `WordLevel` and `Unigram`"),
        (
            "Normalizer",
            "normalizer",
            "`BertNormalizer`, `ByteLevel`, `Lowercase`, `NFC`, `NFD`, `NFKC`, `NFKD`, `Nmt`, \
             `Precompiled`, `Prepend`, `Replace`, `Sequence`, `Strip` and `StripAccents`",
        ),
        (
            "PreTokenizer",
            "pre_tokenizer",
            "`BertPreTokenizer`, `ByteLevel`, `Delimiter`, `Digits`, `Metaspace`, `Punctuation`, \
             `Sequence`, `Split`, `UnicodeScripts`, `Whitespace` and `WhitespaceSplit`",
        ),
        (
            "PostProcessor",
            "post_processor",
            "`BertProcessing`, `ByteLevel`, `RobertaProcessing`, `Sequence` and \
             `TemplateProcessing`",
        ),
        (
            "Decoder",
            "decoder",
            "`BPEDecoder`, `ByteFallback`, `ByteLevel`, `CTC`, `Fuse`, `Metaspace`, `Replace`, \
             `Sequence`, `Strip` and `WordPiece`",
        ),
    ];
    if error.contains("untagged enum MergeType") {
        return "; `model.merges` is a list of texts of two tokens, or a list of pairs of tokens"
            .into();
    }
    let Some((_, field, types)) =
        FORMS.iter().find(|(name, ..)| error.contains(&format!("untagged enum {name}")))
    else {
        return String::new();
    };
    let file: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let found = match file.get(field) {
        Some(serde_json::Value::Object(part)) => match part.get("type") {
            Some(name) => format!("its `type` is {}", config_fields::shown(name)),
            None => "it has no `type`".to_owned(),
        },
        Some(other) => format!("it is {}", config_fields::shown(other)),
        None => "it is missing".to_owned(),
    };
    format!(
        "; `{field}` is an object of one of the types {types} with the fields of that type; \
         {found}"
    )
}
