//! Models of byte pairs, whose merges the file lists.

use super::{metadata::quoted, vocabulary::Vocabulary};
use crate::Result;
use std::collections::HashSet;
use tokenizers::models::bpe::{BPE, Vocab};

const MERGES: &str = "tokenizer.ggml.merges";

/// The model. `whole_words` takes a word that is a token as it is, without merges; `byte_tokens`
/// splits characters that the vocabulary lacks into their bytes.
///
/// # Errors
/// The merges are missing or of another type, or one does not make a token of two others.
pub(super) fn model(vocabulary: &Vocabulary, whole_words: bool, byte_tokens: bool) -> Result<BPE> {
    let metadata = vocabulary.metadata;
    let all = metadata.texts(MERGES)?;
    let all = all.ok_or_else(|| metadata.missing(MERGES, "the pairs of tokens to merge"))?;
    let ids = vocabulary.ids();
    let mut merges = Vec::with_capacity(all.len());
    let mut seen = HashSet::with_capacity(all.len());
    let mut merged = String::new();
    for (index, merge) in all.iter().enumerate() {
        let unfit = |why: String| {
            metadata.error(format!("`{MERGES}`: merge {index} is {}; {why}", quoted(merge)))
        };
        // A token may start with a space.
        let first = merge.chars().next().map_or(0, char::len_utf8);
        let Some(space) = merge[first..].find(' ') else {
            return Err(unfit("expected two tokens with a space between them".into()));
        };
        let (left, right) = (&merge[..first + space], &merge[first + space + 1..]);
        merged.clear();
        merged.extend([left, right]);
        for token in [left, right, &merged] {
            if !ids.contains_key(token) {
                return Err(unfit(format!("{} is not a token", quoted(token))));
            }
        }
        // The first of two equal pairs counts.
        if seen.insert((left, right)) {
            merges.push((left.to_owned(), right.to_owned()));
        }
    }
    drop(seen);
    drop(ids);
    let model = BPE::builder()
        .vocab_and_merges(texts(vocabulary), merges)
        .ignore_merges(whole_words)
        .byte_fallback(byte_tokens)
        .build();
    model.map_err(|error| metadata.error(format!("the merges are not valid: {error}")))
}

/// The ids of tokens by text, as the library holds them.
pub(super) fn texts(vocabulary: &Vocabulary) -> Vocab {
    vocabulary.tokens.iter().map(|text| text.as_ref().to_owned()).zip(0..).collect()
}
