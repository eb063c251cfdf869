//! Reading `generation_config.json`.

use crate::{Result, config_fields::ConfigFields, generation_fields, llama::Tokens};
use std::path::Path;

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
