//! The `config.json` of a BERT.

use crate::{Result, config_fields::ConfigFields};
use hloom_nn::Activation;
use std::path::Path;

/// The shape of a BERT.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The vocabulary size.
    pub vocab_size: usize,
    /// The hidden size.
    pub hidden_size: usize,
    /// The inner size of the feed-forward layers.
    pub intermediate_size: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads.
    pub heads: usize,
    /// The number of positions.
    pub max_positions: usize,
    /// The number of segment types.
    pub segment_types: usize,
    /// The epsilon added to variances.
    pub layer_norm_eps: f64,
    /// The activation function of the feed-forward layers.
    pub activation: Activation,
}

impl Config {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// The file cannot be read, has another `model_type`, lacks a required field, or has a field
    /// that is out of range or unsupported.
    pub fn read(path: impl AsRef<Path>) -> Result<Config> {
        ConfigFields::read(path.as_ref())?.whole(Config::from_fields)
    }

    /// Parses the text of a `config.json`; errors name `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read), except for reading the file.
    pub fn parse(text: &str, path: &Path) -> Result<Config> {
        ConfigFields::parse(path, text)?.whole(Config::from_fields)
    }

    fn from_fields(fields: &mut ConfigFields) -> Result<Config> {
        let model_type: String = fields.required("model_type")?;
        if model_type != "bert" {
            return Err(fields.unfit("model_type", "expected `bert`"));
        }
        let position_type: Option<String> = fields.optional("position_embedding_type")?;
        if position_type.is_some_and(|found| found != "absolute") {
            return Err(fields.unfit("position_embedding_type", "only `absolute` is supported"));
        }
        let (hidden_size, heads) =
            (fields.size("hidden_size")?, fields.size("num_attention_heads")?);
        if !hidden_size.is_multiple_of(heads) {
            return Err(fields
                .error(format!("`hidden_size` {hidden_size} does not divide into {heads} heads")));
        }
        let name: Option<String> = fields.optional("hidden_act")?;
        let Some(activation) = Activation::from_name(name.as_deref().unwrap_or("gelu")) else {
            return Err(fields.unfit(
                "hidden_act",
                "known are `gelu`, `gelu_new`, `relu`, `silu` and the others of `Activation`",
            ));
        };
        Ok(Config {
            vocab_size: fields.size("vocab_size")?,
            hidden_size,
            intermediate_size: fields.size("intermediate_size")?,
            layers: fields.layers("num_hidden_layers")?,
            heads,
            max_positions: fields.size("max_position_embeddings")?,
            segment_types: fields.optional_size("type_vocab_size")?.unwrap_or(2),
            layer_norm_eps: fields.number("layer_norm_eps", 0.0..=1.0)?.unwrap_or(1e-12),
            activation,
        })
    }
}
