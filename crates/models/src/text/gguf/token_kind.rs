//! Kinds of tokens: by the file, and by well-known texts that files give the wrong kind.

use super::metadata::Metadata;
use crate::Result;
use hloom_io::gguf::{Array, Value};
use std::collections::HashMap;

/// The purpose of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A piece of text, also one that the vocabulary does not use.
    Normal,
    /// The token of what the vocabulary lacks.
    Unknown,
    /// A marker without a text of its own.
    Control,
    /// A text that is found before all others are split.
    UserDefined,
    /// A byte of a character that the vocabulary lacks.
    Byte,
}

const KEY: &str = "tokenizer.ggml.token_type";

/// Texts of tokens that end an answer, whatever the file says.
pub(super) const ENDS: &[&str] = &[
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
];

/// Parts of messages, which are shown.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// A token for filling in the middle: its keys, and its texts where no key has it.
pub(super) struct Infill {
    pub keys: &'static [&'static str],
    texts: &'static [&'static str],
    /// Whether it ends an answer.
    pub ends: bool,
}

pub(super) const INFILL: [Infill; 6] = [
    Infill {
        keys: &["tokenizer.ggml.fim_pad_token_id"],
        texts: &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"],
        ends: true,
    },
    Infill {
        keys: &["tokenizer.ggml.fim_rep_token_id"],
        texts: &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
        ends: true,
    },
    Infill { keys: &["tokenizer.ggml.fim_sep_token_id"], texts: &["<|file_sep|>"], ends: true },
    Infill {
        keys: &["tokenizer.ggml.prefix_token_id", "tokenizer.ggml.fim_pre_token_id"],
        texts: &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
        ends: false,
    },
    Infill {
        keys: &["tokenizer.ggml.suffix_token_id", "tokenizer.ggml.fim_suf_token_id"],
        texts: &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
        ends: false,
    },
    Infill {
        keys: &["tokenizer.ggml.middle_token_id", "tokenizer.ggml.fim_mid_token_id"],
        texts: &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
        ends: false,
    },
];

impl Infill {
    /// Its token by text, if no key has it.
    pub fn by_text(&self, metadata: Metadata, ids: &HashMap<&str, u32>) -> Option<u32> {
        let has_key = self.keys.iter().any(|key| metadata.get(key).is_some());
        if has_key { None } else { self.texts.iter().find_map(|text| ids.get(text).copied()) }
    }
}

/// The kinds of `count` tokens with these ids by text.
pub(super) fn read(
    metadata: Metadata,
    count: usize,
    ids: &HashMap<&str, u32>,
) -> Result<Vec<TokenKind>> {
    let written = metadata.typed(KEY, "an array of i32", |value| match value {
        Value::Array(Array::I32(all)) => Some(all.as_slice()),
        _ => None,
    })?;
    let mut kinds = match written {
        None => vec![TokenKind::Normal; count],
        Some(all) if all.len() != count => {
            return Err(metadata.error(format!(
                "`{KEY}` has {} values; expected one for each of the {count} tokens",
                all.len()
            )));
        }
        Some(all) => all
            .iter()
            .enumerate()
            .map(|(id, &value)| kind(value).ok_or((id, value)))
            .collect::<Result<_, _>>()
            .map_err(|(id, value)| {
                metadata.error(format!("`{KEY}` is {value} for token {id}; expected 0 to 6"))
            })?,
    };
    let mut set = |texts: &[&str], kind| {
        for id in texts.iter().filter_map(|text| ids.get(text)) {
            kinds[*id as usize] = kind;
        }
    };
    set(ENDS, TokenKind::Control);
    set(&SHOWN, TokenKind::UserDefined);
    if ends_a_message_only(ids) {
        set(&["<|end|>"], TokenKind::UserDefined);
    }
    if is_plain_text(ids) {
        set(&["</s>"], TokenKind::Normal);
    }
    for infill in &INFILL {
        if let Some(id) = infill.by_text(metadata, ids) {
            kinds[id as usize] = TokenKind::Control;
        }
    }
    Ok(kinds)
}

/// Whether `<|end|>` ends a message, after which the answer goes on.
pub(super) fn ends_a_message_only(ids: &HashMap<&str, u32>) -> bool {
    let has = |text| ids.contains_key(text);
    (has("<|call|>") || has("<|calls|>")) && (has("<|return|>") || has("<|flush|>"))
}

/// Whether `</s>` is a text like any other.
pub(super) fn is_plain_text(ids: &HashMap<&str, u32>) -> bool {
    ids.contains_key("<|tool_response>")
}

/// The kind with this number in files.
fn kind(value: i32) -> Option<TokenKind> {
    Some(match value {
        // Undefined, normal and unused.
        0 | 1 | 5 => TokenKind::Normal,
        2 => TokenKind::Unknown,
        3 => TokenKind::Control,
        4 => TokenKind::UserDefined,
        6 => TokenKind::Byte,
        _ => return None,
    })
}
