//! Assembly of a tokenizer.

use super::{
    byte_pairs,
    metadata::Metadata,
    pre_tokenizer::{self, Words},
    scored_pieces,
    token_kind::TokenKind,
    vocabulary::{MODEL, Special, Vocabulary},
};
use crate::{Result, text::Tokenizer};
use hloom_io::gguf::Value;
use std::{collections::BTreeMap, path::Path};
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PreTokenizerWrapper, SplitDelimiterBehavior,
    decoders::{
        byte_fallback::ByteFallback, fuse::Fuse, sequence::Sequence as Decoders, strip::Strip,
    },
    models::bpe::BPE,
    normalizers::{Prepend, Replace, Sequence as Normalizers},
    pre_tokenizers::{
        byte_level::ByteLevel,
        sequence::Sequence as PreTokenizers,
        split::{Split, SplitPattern},
    },
    processors::template::{SpecialToken, TemplateProcessing},
};

/// The character for a space in vocabularies of texts.
const SPACE: &str = "\u{2581}";

/// A model, and how texts are prepared for it.
struct Parts {
    model: BPE,
    /// The patterns that split texts one after another.
    patterns: &'static [&'static str],
    /// Whether words are bytes, written as characters.
    is_bytes: bool,
    /// Whether texts get a space before them.
    prefix: bool,
    /// Whether texts start with the start token where the file does not say so.
    starts: bool,
}

impl Tokenizer {
    /// The tokenizer in the metadata of the GGUF file at `path`: byte pairs (`gpt2`, `gemma4`) or
    /// pieces with scores (`llama`).
    ///
    /// Texts of special tokens in a text are always those tokens. Decoded texts are not cleaned up:
    /// spaces before punctuation stay.
    ///
    /// # Errors
    /// A value is missing, has another type or is out of range, or the model or its way to split
    /// texts is not supported.
    pub fn from_gguf(metadata: &BTreeMap<String, Value>, path: &Path) -> Result<Tokenizer> {
        let vocabulary = Vocabulary::read(Metadata::new(metadata, path))?;
        let parts = parts(&vocabulary)?;
        let ends = ends(&vocabulary, parts.starts)?;
        let added = added_tokens(&vocabulary)?;
        drop(vocabulary);
        Tokenizer::assembled(|| assemble(parts, ends, added), path)
    }
}

/// The model and its parts.
fn parts(vocabulary: &Vocabulary) -> Result<Parts> {
    let metadata = vocabulary.metadata;
    let pre_tokenizer = match vocabulary.model {
        "llama" => {
            let prefix = metadata.flag("tokenizer.ggml.add_space_prefix")?.unwrap_or(true);
            let model = scored_pieces::model(vocabulary)?;
            return Ok(Parts { model, patterns: &[], is_bytes: false, prefix, starts: true });
        }
        "gpt2" => pre_tokenizer::read(metadata)?,
        "gemma4" => pre_tokenizer::named("gemma4").expect("it is in the table"),
        other => {
            return Err(metadata.error(format!(
                "`{MODEL}` is {}; expected `gpt2`, `gemma4` or `llama`",
                super::metadata::quoted(other)
            )));
        }
    };
    let words = pre_tokenizer.words;
    let is_bytes = words != Words::Characters;
    Ok(Parts {
        model: byte_pairs::model(vocabulary, words == Words::Whole, !is_bytes)?,
        patterns: pre_tokenizer.patterns,
        is_bytes,
        prefix: false,
        starts: pre_tokenizer.starts,
    })
}

/// The tokens at the start and at the end of texts.
fn ends(vocabulary: &Vocabulary, starts: bool) -> Result<[Option<(u32, String)>; 2]> {
    let metadata = vocabulary.metadata;
    let token = |flag: &str, default, special: Special| -> Result<Option<(u32, String)>> {
        if !metadata.flag(flag)?.unwrap_or(default) {
            return Ok(None);
        }
        let id = vocabulary.special(special)?;
        let id = id.ok_or_else(|| {
            metadata.missing(special.key(), "an id, as texts have that token at an end")
        })?;
        Ok(Some((id, vocabulary.tokens[id as usize].to_string())))
    };
    Ok([
        token("tokenizer.ggml.add_bos_token", starts, Special::Start)?,
        token("tokenizer.ggml.add_eos_token", false, Special::End)?,
    ])
}

/// The tokens that are found in a text before it is split.
fn added_tokens(vocabulary: &Vocabulary) -> Result<Vec<AddedToken>> {
    let metadata = vocabulary.metadata;
    let name = metadata.text("general.name")?.unwrap_or_default().to_lowercase();
    let pre = metadata.text("tokenizer.ggml.pre")?.unwrap_or_default();
    let is_phi3 = name.contains("phi-3") || name.contains("phi3");
    let mask = match pre {
        "jina-v2-de" | "jina-v2-es" | "jina-v2-code" => "<mask>",
        _ if name.contains("modern-bert") => "[MASK]",
        _ => "",
    };
    let all = vocabulary.tokens.iter().zip(&vocabulary.kinds);
    let added = all.filter_map(|(text, kind)| {
        let is_special = match kind {
            TokenKind::Control | TokenKind::Unknown => true,
            TokenKind::UserDefined => false,
            TokenKind::Normal | TokenKind::Byte => return None,
        };
        let text = text.as_ref();
        let strips = is_phi3 && !matches!(text, "<unk>" | "<s>" | "<|endoftext|>");
        let token = AddedToken::from(text.to_owned(), is_special);
        Some(token.normalized(false).rstrip(strips).lstrip(text == mask))
    });
    Ok(added.collect())
}

fn assemble(
    parts: Parts,
    ends: [Option<(u32, String)>; 2],
    added: Vec<AddedToken>,
) -> tokenizers::Result<tokenizers::Tokenizer> {
    let Parts { model, patterns, is_bytes, prefix, .. } = parts;
    let mut tokenizer = tokenizers::Tokenizer::new(model);
    let mut splits: Vec<PreTokenizerWrapper> = Vec::new();
    for pattern in patterns {
        let pattern = SplitPattern::Regex((*pattern).to_owned());
        splits.push(Split::new(pattern, SplitDelimiterBehavior::Isolated, false)?.into());
    }
    if is_bytes {
        splits.push(ByteLevel::new(false, false, false).into());
        tokenizer.with_decoder(Some(ByteLevel::new(false, false, false)));
    } else {
        let mut normalizers: Vec<NormalizerWrapper> = Vec::new();
        let mut decoders: Vec<DecoderWrapper> =
            vec![Replace::new(SPACE, " ")?.into(), ByteFallback::new().into(), Fuse::new().into()];
        if prefix {
            normalizers.push(Prepend::new(SPACE.into()).into());
            decoders.push(Strip::new(' ', 1, 0).into());
        }
        normalizers.push(Replace::new(" ", SPACE)?.into());
        tokenizer.with_normalizer(Some(Normalizers::new(normalizers)))?;
        tokenizer.with_decoder(Some(Decoders::new(decoders)));
    }
    if !splits.is_empty() {
        tokenizer.with_pre_tokenizer(Some(PreTokenizers::new(splits)));
    }
    tokenizer.with_post_processor(template(ends)?);
    tokenizer.add_tokens(added)?;
    Ok(tokenizer)
}

/// The tokens around a text, if there are any.
fn template(ends: [Option<(u32, String)>; 2]) -> tokenizers::Result<Option<TemplateProcessing>> {
    let [start, end] = ends;
    if start.is_none() && end.is_none() {
        return Ok(None);
    }
    let (mut pieces, mut tokens) = (vec!["$A"], Vec::new());
    for (name, token, at) in [("start", start, 0), ("end", end, 2)] {
        if let Some((id, text)) = token {
            pieces.insert(at.min(pieces.len()), name);
            tokens.push(SpecialToken::new(name.into(), vec![id], vec![text])?);
        }
    }
    let template = TemplateProcessing::builder().try_single(pieces)?.special_tokens(tokens).build();
    template.map(Some).map_err(|error| error.to_string().into())
}
