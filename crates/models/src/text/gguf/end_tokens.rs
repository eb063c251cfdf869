//! Tokens that end an answer.

use super::{
    metadata::Metadata,
    token_kind::{self, ENDS, INFILL},
    vocabulary::{Special, Vocabulary},
};
use crate::Result;
use hloom_io::gguf::Value;
use std::{collections::BTreeMap, path::Path};

/// The ids of the tokens that end an answer, from the metadata of the GGUF file at `path`: those
/// that the file names (`eos_token_id`, `eot_token_id` and `eom_token_id`), then those for filling
/// in the middle that start another file, then well-known ones by their texts, such as
/// `<|im_end|>`; each once.
///
/// # Errors
/// The tokens are missing or not valid, or an id is out of range.
pub fn gguf_end_tokens(metadata: &BTreeMap<String, Value>, path: &Path) -> Result<Vec<u32>> {
    let vocabulary = Vocabulary::read(Metadata::new(metadata, path))?;
    let mut all = Vec::new();
    let mut add = |id: Option<u32>| {
        if let Some(id) = id.filter(|id| !all.contains(id)) {
            all.push(id);
        }
    };
    add(vocabulary.special(Special::End)?);
    add(vocabulary.id("tokenizer.ggml.eot_token_id")?);
    add(vocabulary.id("tokenizer.ggml.eom_token_id")?);
    let ids = vocabulary.ids();
    for infill in INFILL.iter().filter(|infill| infill.ends) {
        for key in infill.keys {
            add(vocabulary.id(key)?);
        }
        add(infill.by_text(vocabulary.metadata, &ids));
    }
    let mut by_text: Vec<u32> = ENDS.iter().filter_map(|text| ids.get(text).copied()).collect();
    by_text.sort_unstable();
    by_text.into_iter().for_each(|id| add(Some(id)));
    let is_end = |id: &u32| match vocabulary.tokens[*id as usize].as_ref() {
        "<|end|>" => !token_kind::ends_a_message_only(&ids),
        "</s>" => !token_kind::is_plain_text(&ids),
        _ => true,
    };
    all.retain(is_end);
    Ok(all)
}
