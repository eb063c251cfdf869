//! The `config.json` of a Whisper model.

use super::Decoding;
use crate::{Result, config_fields::ConfigFields};
use hloom_nn::Activation;
use std::path::Path;

/// The shape of a Whisper model.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The vocabulary size.
    pub vocab_size: usize,
    /// The number of mel frequencies.
    pub mel_bins: usize,
    /// The hidden size.
    pub hidden_size: usize,
    /// The number of encoder layers.
    pub encoder_layers: usize,
    /// The number of attention heads of the encoder.
    pub encoder_heads: usize,
    /// The inner size of the encoder's feed-forward layers.
    pub encoder_intermediate_size: usize,
    /// The number of decoder layers.
    pub decoder_layers: usize,
    /// The number of attention heads of the decoder.
    pub decoder_heads: usize,
    /// The inner size of the decoder's feed-forward layers.
    pub decoder_intermediate_size: usize,
    /// The number of positions of the encoder: half the number of frames of a window.
    pub max_source_positions: usize,
    /// The number of positions of the decoder: the maximum number of tokens of a window.
    pub max_target_positions: usize,
    /// The activation function of the feed-forward layers.
    pub activation: Activation,
    /// The decoding settings of the configuration, which a `generation_config.json` replaces.
    pub decoding: Decoding,
}

/// Settings of training, of other tasks, and of search methods that are not used.
const WITHOUT_EFFECT: &[&str] = &[
    "activation_dropout",
    "alignment_heads",
    "apply_spec_augment",
    "classifier_proj_size",
    "decoder_layerdrop",
    "diversity_penalty",
    "dropout",
    "early_stopping",
    "encoder_layerdrop",
    "encoder_no_repeat_ngram_size",
    "init_std",
    "is_encoder_decoder",
    "length_penalty",
    "mask_feature_length",
    "mask_feature_min_masks",
    "mask_feature_prob",
    "mask_time_length",
    "mask_time_min_masks",
    "mask_time_prob",
    "median_filter_width",
    "min_length",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_hidden_layers",
    "num_return_sequences",
    "repetition_penalty",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
    "use_weighted_layer_sum",
];

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
        if model_type != "whisper" {
            return Err(fields.unfit("model_type", "expected `whisper`"));
        }
        fields.ignore(WITHOUT_EFFECT);
        fields.only("scale_embedding", false)?;
        fields.only("tie_word_embeddings", true)?;
        let hidden_size = fields.size("d_model")?;
        let mut heads =
            |name: &str| match fields.size(name)? {
                heads if hidden_size.is_multiple_of(heads) => Ok(heads),
                heads => Err(fields
                    .error(format!("`d_model` {hidden_size} does not divide into {heads} heads"))),
            };
        let encoder_heads = heads("encoder_attention_heads")?;
        let decoder_heads = heads("decoder_attention_heads")?;
        let name: Option<String> = fields.optional("activation_function")?;
        let Some(activation) = Activation::from_name(name.as_deref().unwrap_or("gelu")) else {
            return Err(fields.unfit(
                "activation_function",
                "known are `gelu`, `gelu_new`, `relu`, `silu` and the others of `Activation`",
            ));
        };
        Ok(Config {
            vocab_size: fields.size("vocab_size")?,
            mel_bins: fields.size("num_mel_bins")?,
            hidden_size,
            encoder_layers: fields.layers("encoder_layers")?,
            encoder_heads,
            encoder_intermediate_size: fields.size("encoder_ffn_dim")?,
            decoder_layers: fields.layers("decoder_layers")?,
            decoder_heads,
            decoder_intermediate_size: fields.size("decoder_ffn_dim")?,
            max_source_positions: fields.size("max_source_positions")?,
            max_target_positions: fields.size("max_target_positions")?,
            activation,
            decoding: Decoding::from_fields(fields)?,
        })
    }
}
