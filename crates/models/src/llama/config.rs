//! The `config.json` of a model of the Llama family.

use super::{ExpertsConfig, rope, windows};
use crate::{
    Result,
    config_fields::{ConfigFields, MAX_SIZE},
};
use hloom_io::QuantizationConfig;
use hloom_nn::{Activation, RopeConfig};
use serde::Deserialize;
use std::path::Path;

/// The shape of a model of the Llama family.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The architecture within the family.
    pub family: Family,
    /// The vocabulary size.
    pub vocab_size: usize,
    /// The hidden size.
    pub hidden_size: usize,
    /// The inner size of the feed-forward layers without experts.
    pub intermediate_size: usize,
    /// The experts of the feed-forward layers.
    pub experts: Option<ExpertsConfig>,
    /// The number of query heads.
    pub heads: usize,
    /// The number of key and value heads, which the query heads share.
    pub kv_heads: usize,
    /// The size of a head.
    pub head_dim: usize,
    /// The attention window of each layer, including the token itself; `None` for all positions.
    pub windows: Vec<Option<usize>>,
    /// The number of positions that the model was trained for.
    pub max_positions: usize,
    /// The epsilon added to mean squares.
    pub rms_norm_eps: f64,
    /// The configuration of rotary embeddings.
    pub rope: RopeConfig,
    /// The activation function of the feed-forward layers.
    pub activation: Activation,
    /// Whether queries, keys and values have biases.
    pub qkv_bias: bool,
    /// Whether the attention's output has a bias.
    pub output_bias: bool,
    /// Whether the feed-forward layers have biases.
    pub mlp_bias: bool,
    /// Whether queries and keys are normalized per head.
    pub qk_norm: bool,
    /// Whether the output layer is the embedding table.
    pub tied: bool,
    /// The tokens that end a text.
    pub eos_tokens: Vec<u32>,
    /// The form in which the weights of a folder are quantised.
    pub quantization: Option<QuantizationConfig>,
}

/// Related architectures, by their `model_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Llama 1 to 3, TinyLlama, SmolLM 1 and 2.
    Llama,
    /// Llama with a sliding window.
    Mistral,
    /// Llama with biases on queries, keys and values.
    Qwen2,
    /// Llama with normalized queries and keys.
    Qwen3,
    /// Mistral with experts in all layers.
    Mixtral,
    /// Qwen 2 with experts, one of which processes every token.
    Qwen2Moe,
    /// Qwen 3 with experts.
    Qwen3Moe,
}

/// One token or several, as written in configurations.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Tokens {
    One(u32),
    Many(Vec<u32>),
}

impl Family {
    const ALL: [(&str, Family); 7] = [
        ("llama", Family::Llama),
        ("mistral", Family::Mistral),
        ("qwen2", Family::Qwen2),
        ("qwen3", Family::Qwen3),
        ("mixtral", Family::Mixtral),
        ("qwen2_moe", Family::Qwen2Moe),
        ("qwen3_moe", Family::Qwen3Moe),
    ];

    /// Its `model_type`.
    pub(super) fn name(self) -> &'static str {
        Family::ALL.iter().find(|(_, family)| *family == self).map_or("", |(name, _)| *name)
    }
}

impl Tokens {
    /// The maximum number of tokens that end a text: each new token is compared with all of them.
    const MAX: usize = 1_024;

    /// The tokens of `eos_token_id`; none when it is absent.
    pub fn read(fields: &mut ConfigFields) -> Result<Vec<u32>> {
        let name = "eos_token_id";
        match fields.optional(name)? {
            None => Ok(Vec::new()),
            Some(Tokens::One(token)) => Ok(vec![token]),
            Some(Tokens::Many(tokens)) if tokens.len() <= Tokens::MAX => Ok(tokens),
            Some(Tokens::Many(_)) => {
                Err(fields.unfit(name, format_args!("at most {} tokens end a text", Tokens::MAX)))
            }
        }
    }
}

impl Config {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// The file cannot be read, lacks a required field, has an unknown `model_type` or a value out
    /// of range, is inconsistent, or has an unsupported field that might affect results.
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

    pub(super) fn from_fields(fields: &mut ConfigFields) -> Result<Config> {
        let model_type: String = fields.required("model_type")?;
        let Some(&(_, family)) = Family::ALL.iter().find(|(name, _)| *name == model_type) else {
            let known = Family::ALL.map(|(name, _)| format!("`{name}`")).join(", ");
            return Err(fields.unfit("model_type", format_args!("known are {known}")));
        };
        let hidden_size = fields.size("hidden_size")?;
        let layers = fields.layers("num_hidden_layers")?;
        let heads = fields.size("num_attention_heads")?;
        // The default of the reference implementation for an absent field.
        let absent = match family {
            Family::Llama => heads,
            Family::Mistral | Family::Mixtral => 8,
            Family::Qwen2 | Family::Qwen3 => 32,
            Family::Qwen2Moe => 16,
            Family::Qwen3Moe => 4,
        };
        let absent = if fields.has("num_key_value_heads") { heads } else { absent };
        let kv_heads: usize = fields.optional("num_key_value_heads")?.unwrap_or(absent);
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            let message = format!(
                "{heads} query heads cannot be divided among {kv_heads} heads of keys and values"
            );
            return Err(fields.error(message));
        }
        let head_dim = head_dim(fields, family, hidden_size, heads)?;
        let max_positions = match family {
            Family::Llama => 2048,
            Family::Mistral | Family::Mixtral => 131_072,
            Family::Qwen2 | Family::Qwen3 | Family::Qwen2Moe | Family::Qwen3Moe => 32_768,
        };
        let max_positions =
            fields.optional_size("max_position_embeddings")?.unwrap_or(max_positions);
        let activation: Option<String> = fields.optional("hidden_act")?;
        let activation = activation.as_deref().unwrap_or("silu");
        let Some(activation) = Activation::from_name(activation) else {
            return Err(fields
                .unfit("hidden_act", "known are `silu`, `gelu`, `gelu_pytorch_tanh`, `relu` and the others of `Activation`"));
        };
        let (qkv_bias, output_bias) = match family {
            Family::Llama | Family::Qwen3 | Family::Qwen3Moe => {
                let bias = fields.optional("attention_bias")?.unwrap_or(false);
                (bias, bias)
            }
            Family::Mistral | Family::Mixtral => {
                fields.only("attention_bias", false)?;
                (false, false)
            }
            Family::Qwen2 => {
                fields.only("attention_bias", true)?;
                (true, false)
            }
            Family::Qwen2Moe => (fields.optional("qkv_bias")?.unwrap_or(true), false),
        };
        let mlp_bias = match family {
            Family::Llama => fields.optional("mlp_bias")?.unwrap_or(false),
            _ => {
                fields.only("mlp_bias", false)?;
                false
            }
        };
        let (epsilon, theta) = match family {
            Family::Mixtral => (1e-5, 1e6),
            _ => (1e-6, 10_000.0),
        };
        Ok(Config {
            family,
            vocab_size: fields.size("vocab_size")?,
            hidden_size,
            intermediate_size: fields.size("intermediate_size")?,
            experts: ExpertsConfig::read(fields, family, layers)?,
            heads,
            kv_heads,
            head_dim,
            windows: windows::read(fields, family, layers)?,
            max_positions,
            rms_norm_eps: fields.number("rms_norm_eps", 0.0..=1.0)?.unwrap_or(epsilon),
            rope: rope::read(fields, head_dim, max_positions, theta)?,
            activation,
            qkv_bias,
            output_bias,
            mlp_bias,
            qk_norm: matches!(family, Family::Qwen3 | Family::Qwen3Moe),
            tied: fields.optional("tie_word_embeddings")?.unwrap_or(false),
            eos_tokens: Tokens::read(fields)?,
            quantization: quantization(fields)?,
        })
    }

    /// The number of layers.
    pub fn layers(&self) -> usize {
        self.windows.len()
    }
}

fn quantization(fields: &mut ConfigFields) -> Result<Option<QuantizationConfig>> {
    let name = "quantization_config";
    let Some(value) = fields.optional::<serde_json::Value>(name)? else { return Ok(None) };
    QuantizationConfig::from_json(&value).map(Some).map_err(|error| fields.unfit(name, error))
}

fn head_dim(
    fields: &mut ConfigFields,
    family: Family,
    hidden_size: usize,
    heads: usize,
) -> Result<usize> {
    let absent = family == Family::Qwen3 && !fields.has("head_dim");
    let head_dim: Option<usize> = fields.optional("head_dim")?;
    let head_dim = match head_dim {
        Some(head_dim) => head_dim,
        None if absent => 128,
        None if hidden_size.is_multiple_of(heads) => hidden_size / heads,
        None => {
            let message = format!(
                "`hidden_size` {hidden_size} does not divide into {heads} heads; set `head_dim`"
            );
            return Err(fields.error(message));
        }
    };
    if head_dim == 0 || !head_dim.is_multiple_of(2) {
        return Err(
            fields.error(format!("heads have {head_dim} elements; they are rotated in pairs"))
        );
    }
    match heads.checked_mul(head_dim) {
        Some(elements) if elements <= MAX_SIZE => Ok(head_dim),
        _ => Err(fields.error(format!(
            "{heads} heads of {head_dim} elements are more than the {MAX_SIZE} that a model may \
             have"
        ))),
    }
}
