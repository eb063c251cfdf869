//! What `generation_config.json` says.

use crate::{Result, config_fields::ConfigFields, llama::Tokens};
use std::path::Path;

/// How a model's makers mean it to be used: `generation_config.json`. Fields about ways of searching that are not used here are
/// left out.
#[derive(Clone, Debug, Default)]
pub struct GenerationConfig {
    eos_tokens: Vec<u32>,
    /// Whether to draw at random.
    pub do_sample: Option<bool>,
    /// What logits are divided by.
    pub temperature: Option<f64>,
    /// How many of the most likely tokens are kept.
    pub top_k: Option<usize>,
    /// The probability that the kept tokens reach together.
    pub top_p: Option<f64>,
    /// The least probability that is kept, as a share of the largest.
    pub min_p: Option<f64>,
    /// What the logits of recent tokens are divided by.
    pub repetition_penalty: Option<f64>,
}

impl GenerationConfig {
    /// Reads a `generation_config.json`; without the file, the configuration is empty.
    ///
    /// # Errors
    /// The file is there and cannot be read, or a field is of the wrong type or out of its range.
    pub(crate) fn read(path: &Path) -> Result<GenerationConfig> {
        ConfigFields::read_optional(path)?
            .map_or_else(|| Ok(GenerationConfig::default()), GenerationConfig::from_fields)
    }

    /// Reads the text of a `generation_config.json`; `path` is named in its errors.
    ///
    /// # Errors
    /// The text is no JSON object, or a field is of the wrong type or out of its range.
    pub fn parse(text: &str, path: &Path) -> Result<GenerationConfig> {
        GenerationConfig::from_fields(ConfigFields::parse(path, text)?)
    }

    fn from_fields(mut fields: ConfigFields) -> Result<GenerationConfig> {
        Ok(GenerationConfig {
            eos_tokens: Tokens::read(&mut fields)?,
            do_sample: fields.optional("do_sample")?,
            temperature: fields.number("temperature", 0.0..=1e4)?,
            top_k: fields.optional("top_k")?,
            top_p: fields.number("top_p", 0.0..=1.0)?,
            min_p: fields.number("min_p", 0.0..=1.0)?,
            repetition_penalty: fields.number("repetition_penalty", 1e-4..=1e4)?,
        })
    }

    /// The tokens that end an answer.
    pub fn eos_tokens(&self) -> Vec<u32> {
        self.eos_tokens.clone()
    }
}
