//! Fields of `tokenizer_config.json` that change the tokens of a text.
//!
//! Texts are encoded as `tokenizer.json` describes. The classes of `transformers` override it by
//! fields of `tokenizer_config.json`, which therefore have to agree with `tokenizer.json`.

use crate::{
    ModelFolder, Result,
    config_fields::{self, ConfigFields},
};
use serde_json::Value;
use std::collections::BTreeMap;
use tokenizers::{Tokenizer, TruncationDirection};

/// Fields that do not change the tokens of a text: special tokens, which templates refer to by
/// name, and how batches are padded.
const WITHOUT_EFFECT: &[&str] = &[
    // Where there is a `tokenizer.json`, it adds the tokens at both ends.
    "add_bos_token",
    "add_eos_token",
    "add_special_tokens",
    "additional_special_tokens",
    "backend",
    "bos_token",
    "chat_template",
    "clean_up_tokenization_spaces",
    "cls_token",
    "do_basic_tokenize",
    "eos_token",
    "errors",
    "extra_special_tokens",
    "from_slow",
    "is_local",
    "legacy",
    "mask_token",
    "max_length",
    "name_or_path",
    "never_split",
    "pad_to_multiple_of",
    "pad_token",
    "pad_token_type_id",
    "padding_side",
    "processor_class",
    "sep_token",
    "sp_model_kwargs",
    "spaces_between_special_tokens",
    "special_tokens_map_file",
    "stride",
    "trim_offsets",
    "truncation_strategy",
    "unk_token",
    "use_default_system_prompt",
    "use_fast",
];

const FILE: &str = "`tokenizer.json`, by which texts are encoded";
/// The maximum number of missing tokens that an error names.
const MAX_NAMED: usize = 4;

/// Checks the files next to the `tokenizer.json` of a model, and returns the side at which it
/// truncates texts.
///
/// # Errors
/// A file is not valid, or has a field that changes the tokens of texts and does not agree with the
/// tokenizer, or is not supported.
pub(super) fn read(folder: &ModelFolder, tokenizer: &Tokenizer) -> Result<TruncationDirection> {
    let added = folder.path().join("added_tokens.json");
    let config = ConfigFields::read_optional(&folder.tokenizer_config())?;
    let Some(mut fields) = config else {
        check_added_file(ConfigFields::read_optional(&added)?, tokenizer)?;
        return Ok(TruncationDirection::Right);
    };
    let tokens: Option<BTreeMap<String, Value>> = fields.optional("added_tokens_decoder")?;
    match tokens {
        Some(tokens) => check_added(&fields, tokens, tokenizer)?,
        None => check_added_file(ConfigFields::read_optional(&added)?, tokenizer)?,
    }
    for (name, instead) in [
        ("split_special_tokens", "texts of special tokens are always those tokens"),
        (
            "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output",
            "decoded texts are not cleaned up",
        ),
        ("fix_mistral_regex", "texts are split by the pattern of `tokenizer.json`"),
    ] {
        fields.neutral(name, &[], instead)?;
    }
    check_normalizer(&mut fields, tokenizer)?;
    check_prefix_space(&mut fields, tokenizer)?;
    let side: Option<String> = fields.optional("truncation_side")?;
    let direction = match side.as_deref() {
        None | Some("right") => TruncationDirection::Right,
        Some("left") => TruncationDirection::Left,
        Some(_) => return Err(fields.unfit("truncation_side", "expected `left` or `right`")),
    };
    fields.ignore(WITHOUT_EFFECT);
    fields.log_unread();
    Ok(direction)
}

/// Checks tokens that are added to a vocabulary, by id.
fn check_added(
    fields: &ConfigFields,
    tokens: BTreeMap<String, Value>,
    tokenizer: &Tokenizer,
) -> Result<()> {
    let named = tokens.into_iter().map(|(id, token)| {
        let text = token.as_str().or_else(|| token.get("content")?.as_str()).map(str::to_owned);
        match (id.parse::<u32>(), text) {
            (Ok(id), Some(text)) => Ok((text, id)),
            _ => {
                Err(fields.unfit("added_tokens_decoder", "expected tokens with a `content` by id"))
            }
        }
    });
    check_tokens(fields, &named.collect::<Result<Vec<_>>>()?, tokenizer)
}

/// Checks the tokens of an `added_tokens.json`, if the file exists.
fn check_added_file(fields: Option<ConfigFields>, tokenizer: &Tokenizer) -> Result<()> {
    let Some(mut fields) = fields else { return Ok(()) };
    let tokens: Vec<(String, u32)> = fields
        .names()
        .into_iter()
        .map(|name| Ok((name.clone(), fields.required(&name)?)))
        .collect::<Result<_>>()?;
    check_tokens(&fields, &tokens, tokenizer)
}

fn check_tokens(
    fields: &ConfigFields,
    tokens: &[(String, u32)],
    tokenizer: &Tokenizer,
) -> Result<()> {
    let other = |(text, id): &&(String, u32)| tokenizer.token_to_id(text) != Some(*id);
    let others: Vec<_> = tokens.iter().filter(other).collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown = |(text, id): &&(String, u32)| {
        let shown = config_fields::shown(&Value::from(text.as_str()));
        match tokenizer.token_to_id(text) {
            Some(found) => format!("{shown} as {id}, which is {found} there"),
            None => format!("{shown} as {id}"),
        }
    };
    let named: Vec<String> = others.iter().take(MAX_NAMED).map(shown).collect();
    let more = match others.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    Err(fields.error(format!("it adds tokens that are not in {FILE}: {named}{more}")))
}

/// Compares the settings of BERT's normalizer, which its classes set by their own fields.
fn check_normalizer(fields: &mut ConfigFields, tokenizer: &Tokenizer) -> Result<()> {
    let state = state(tokenizer.get_normalizer());
    let names = ["do_lower_case", "strip_accents", "tokenize_chinese_chars"];
    let found = match state.get("type").and_then(Value::as_str) {
        Some("BertNormalizer") => {
            let flag = |name: &str| state.get(name).and_then(Value::as_bool);
            let lowercase = flag("lowercase").unwrap_or(false);
            let strips = flag("strip_accents").unwrap_or(lowercase);
            [lowercase, strips, flag("handle_chinese_chars").unwrap_or(false)]
        }
        // The fields of other classes only matter where a tokenizer is converted.
        _ => {
            fields.ignore(&names);
            return Ok(());
        }
    };
    for (name, found) in names.into_iter().zip(found) {
        agree(fields, name, found)?;
    }
    Ok(())
}

/// Compares whether a space is added before a text.
fn check_prefix_space(fields: &mut ConfigFields, tokenizer: &Tokenizer) -> Result<()> {
    let pre_tokenizer = state(tokenizer.get_pre_tokenizer());
    let kind = |state: &Value| state.get("type").and_then(Value::as_str).map(str::to_owned);
    let found = match kind(&pre_tokenizer).as_deref() {
        Some("ByteLevel") => pre_tokenizer.get("add_prefix_space").and_then(Value::as_bool),
        Some("Metaspace") => {
            pre_tokenizer.get("prepend_scheme").and_then(Value::as_str).map(|it| it != "never")
        }
        // The first tokenizers of Llama add the space before they split texts.
        None => {
            let normalizer = state(tokenizer.get_normalizer());
            let parts = normalizer.get("normalizers").and_then(Value::as_array);
            let parts = parts.map_or(std::slice::from_ref(&normalizer), Vec::as_slice);
            let spaces = |part: &Value| part.to_string().contains('\u{2581}');
            let is_prepended = |part: &Value| kind(part).as_deref() == Some("Prepend");
            parts.iter().any(spaces).then(|| parts.iter().any(is_prepended))
        }
        Some(_) => None,
    };
    let name = "add_prefix_space";
    if let Some(found) = found {
        return agree(fields, name, found);
    }
    fields.ignore(&[name]);
    Ok(())
}

/// Checks that a field, if present, agrees with the tokenizer.
fn agree(fields: &mut ConfigFields, name: &str, found: bool) -> Result<()> {
    match fields.optional::<bool>(name)? {
        Some(expected) if expected != found => {
            Err(fields.unfit(name, format_args!("it is {found} in {FILE}")))
        }
        _ => Ok(()),
    }
}

/// The fields of a part of a tokenizer; null if it is missing.
fn state(part: Option<&impl serde::Serialize>) -> Value {
    part.and_then(|part| serde_json::to_value(part).ok()).unwrap_or_default()
}
