//! Models of pieces with scores, as those of SentencePiece.
//!
//! The pair of adjacent pieces that are a token together and have the best score is merged first. Merges of pairs in the order of the scores of their tokens have the same effect.

use super::{
    byte_pairs,
    token_kind::TokenKind,
    vocabulary::{Special, Vocabulary},
};
use crate::Result;
use hloom_io::gguf::{Array, Value};
use std::{cmp::Reverse, collections::HashMap};
use tokenizers::models::bpe::BPE;

const SCORES: &str = "tokenizer.ggml.scores";

/// The limit on the sum of the squares of the lengths of tokens in bytes, which bounds the time to
/// find all merges. Large vocabularies have a hundredth.
const MAX_WORK: u64 = 1 << 30;

/// The limit on the number of merges. Large vocabularies have less than a million.
const MAX_MERGES: usize = 1 << 22;

/// A pair of tokens that make a token.
struct Merge<'a> {
    left: &'a str,
    right: &'a str,
    id: u32,
}

/// The model.
///
/// # Errors
/// The scores are missing or of another type, or there are too many merges.
pub(super) fn model(vocabulary: &Vocabulary) -> Result<BPE> {
    let metadata = vocabulary.metadata;
    let scores = scores(vocabulary)?;
    let mut merges = merges(vocabulary, &vocabulary.ids())?;
    // The leftmost pair of those with equal scores comes first, so a token grows from the left as long as it
    // can: longer ones come first.
    merges.sort_by(|a, b| {
        let order = |merge: &Merge| (Reverse(merge.left.len() + merge.right.len()), merge.id);
        let score = |merge: &Merge| scores[merge.id as usize];
        score(b).total_cmp(&score(a)).then_with(|| order(a).cmp(&order(b)))
    });
    let pairs = merges.iter().map(|merge| (merge.left.to_owned(), merge.right.to_owned()));
    let mut model = BPE::builder()
        .vocab_and_merges(byte_pairs::texts(vocabulary), pairs.collect())
        .byte_fallback(true)
        .fuse_unk(true);
    if let Some(id) = vocabulary.special(Special::Unknown)? {
        model = model.unk_token(vocabulary.tokens[id as usize].to_string());
    }
    model.build().map_err(|error| metadata.error(format!("the tokens are not valid: {error}")))
}

/// The scores of tokens by id.
fn scores(vocabulary: &Vocabulary) -> Result<Vec<f32>> {
    let metadata = vocabulary.metadata;
    let all = metadata.typed(SCORES, "an array of f32 or i32", |value| match value {
        Value::Array(Array::F32(all)) => Some(all.clone()),
        Value::Array(Array::I32(all)) => Some(all.iter().map(|&score| score as f32).collect()),
        _ => None,
    })?;
    let all = all.ok_or_else(|| metadata.missing(SCORES, "the scores of tokens"))?;
    if all.len() != vocabulary.tokens.len() {
        return Err(metadata.error(format!(
            "`{SCORES}` has {} values; expected one for each of the {} tokens",
            all.len(),
            vocabulary.tokens.len()
        )));
    }
    if let Some(id) = all.iter().position(|score| score.is_nan()) {
        return Err(metadata.error(format!("`{SCORES}` is NaN for token {id}; expected a number")));
    }
    // One zero, so that both are equal.
    Ok(all.into_iter().map(|score| score + 0.0).collect())
}

/// All pairs of tokens that make a token.
fn merges<'a>(vocabulary: &'a Vocabulary, ids: &HashMap<&str, u32>) -> Result<Vec<Merge<'a>>> {
    let metadata = vocabulary.metadata;
    let tokens = (0..).zip(&vocabulary.tokens).zip(&vocabulary.kinds);
    // The others are found in a text before it is split, or stand for what is not in it.
    let is_made = |kind| matches!(kind, TokenKind::Normal | TokenKind::UserDefined);
    let (mut merges, mut work) = (Vec::new(), 0);
    for ((id, token), _) in tokens.filter(|(_, kind)| is_made(**kind)) {
        work += (token.len() as u64).saturating_pow(2);
        if work > MAX_WORK {
            return Err(metadata.error(format!(
                "the tokens up to {id} are too long; expected squares of lengths that add up to \
                 at most {MAX_WORK} bytes"
            )));
        }
        for (at, _) in token.char_indices().skip(1) {
            let (left, right) = token.split_at(at);
            if ids.contains_key(left) && ids.contains_key(right) {
                merges.push(Merge { left, right, id });
            }
        }
        if merges.len() > MAX_MERGES {
            return Err(metadata.error(format!(
                "the tokens up to {id} are made of other tokens in {} ways; expected at most \
                 {MAX_MERGES}",
                merges.len()
            )));
        }
    }
    Ok(merges)
}
