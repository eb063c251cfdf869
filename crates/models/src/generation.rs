//! Reading `generation_config.json`.

use crate::{
    Result, config_fields::ConfigFields, generation_fields, gguf_metadata::Metadata, llama::Tokens,
};
use hloom_io::gguf::Value;
use std::{collections::BTreeMap, path::Path};

/// The recommended generation settings of a model: `generation_config.json`. Settings that would
/// change which tokens are chosen, and are not supported, are errors; other fields are logged.
#[derive(Clone, Debug, Default)]
pub struct GenerationConfig {
    eos_tokens: Vec<u32>,
    /// Whether to sample; otherwise decoding is greedy.
    pub do_sample: Option<bool>,
    /// The divisor of the logits.
    pub temperature: Option<f64>,
    /// The number of most likely tokens to keep.
    pub top_k: Option<usize>,
    /// The cumulative probability of the kept tokens.
    pub top_p: Option<f64>,
    /// The minimum probability to keep, relative to the largest.
    pub min_p: Option<f64>,
    /// The divisor of the logits of recent tokens.
    pub repetition_penalty: Option<f64>,
}

/// Fields and the names of GGUF metadata for them.
const SAMPLING: &[(&str, &str)] = &[
    ("min_p", "min_p"),
    ("repetition_penalty", "penalty_repeat"),
    ("temperature", "temp"),
    ("top_k", "top_k"),
    ("top_p", "top_p"),
];

impl GenerationConfig {
    /// Reads a `generation_config.json`; without the file, the configuration is empty.
    ///
    /// # Errors
    /// The file exists but cannot be read, or a field has the wrong type, is out of
    /// range, or is not supported.
    pub(crate) fn read(path: &Path) -> Result<GenerationConfig> {
        ConfigFields::read_optional(path)?
            .map_or_else(|| Ok(GenerationConfig::default()), GenerationConfig::from_fields)
    }

    /// Parses the text of a `generation_config.json`; errors name `path`.
    ///
    /// # Errors
    /// The text is not a JSON object, or a field has the wrong type, is out of
    /// range, or is not supported.
    pub fn parse(text: &str, path: &Path) -> Result<GenerationConfig> {
        GenerationConfig::from_fields(ConfigFields::parse(path, text)?)
    }

    /// Reads the settings `general.sampling.*` in the metadata of a GGUF file; errors name `path`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn from_gguf(
        values: &BTreeMap<String, Value>,
        eos_tokens: Vec<u32>,
        path: &Path,
    ) -> Result<GenerationConfig> {
        let mut metadata = Metadata::new(values, "general.sampling", path);
        for name in ["mirostat", "xtc_probability"] {
            if metadata.number(name)?.is_some_and(|value| value != 0.0) {
                let instead = "it changes which tokens are chosen, and is not supported";
                return Err(metadata.unfit(name, instead));
            }
        }
        for (field, name) in SAMPLING {
            metadata.copy(name, field);
        }
        // Not positive numbers keep all tokens.
        if metadata.number("top_k")?.is_some_and(|count| count < 0.0) {
            metadata.fields.insert("top_k".into(), 0.into());
        }
        let config = GenerationConfig::from_fields(metadata.finish(SAMPLING))?;
        Ok(GenerationConfig { eos_tokens, ..config })
    }

    fn from_fields(mut fields: ConfigFields) -> Result<GenerationConfig> {
        generation_fields::check(&mut fields)?;
        let config = GenerationConfig {
            eos_tokens: Tokens::read(&mut fields)?,
            do_sample: fields.optional("do_sample")?,
            temperature: fields.number("temperature", 0.0..=1e4)?,
            top_k: fields.optional("top_k")?,
            top_p: fields.number("top_p", 0.0..=1.0)?,
            min_p: fields.number("min_p", 0.0..=1.0)?,
            repetition_penalty: fields.number("repetition_penalty", 1e-4..=1e4)?,
        };
        fields.log_unread();
        Ok(config)
    }

    /// The tokens that end an answer.
    pub fn eos_tokens(&self) -> Vec<u32> {
        self.eos_tokens.clone()
    }
}
