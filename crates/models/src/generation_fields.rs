//! Fields of generation settings that change which tokens are chosen, and that are not supported.

use crate::{Result, config_fields::ConfigFields};
use serde_json::Value;

/// The values of a field, in addition to null, false and empty ones, that do not change the chosen
/// tokens.
type Neutral = (&'static str, &'static [f64]);

/// The fields of `GenerationConfig` in `transformers` that change the chosen tokens, without those
/// that a [`GenerationConfig`](crate::GenerationConfig) has.
const CHANGING: &[Neutral] = &[
    ("assistant_confidence_threshold", &[0.4]),
    ("bad_words_ids", &[]),
    ("begin_suppress_tokens", &[]),
    ("constraints", &[]),
    ("diversity_penalty", &[0.0]),
    ("dola_layers", &[]),
    ("encoder_no_repeat_ngram_size", &[0.0]),
    ("encoder_repetition_penalty", &[1.0]),
    ("epsilon_cutoff", &[0.0]),
    ("eta_cutoff", &[0.0]),
    ("exponential_decay_length_penalty", &[]),
    ("force_words_ids", &[]),
    ("forced_bos_token_id", &[]),
    ("forced_decoder_ids", &[]),
    ("forced_eos_token_id", &[]),
    ("frequency_penalty", &[0.0]),
    ("guidance_scale", &[1.0]),
    ("min_length", &[0.0]),
    ("min_new_tokens", &[0.0]),
    ("no_repeat_ngram_size", &[0.0]),
    ("num_beam_groups", &[1.0]),
    ("num_beams", &[1.0]),
    ("num_return_sequences", &[1.0]),
    ("penalty_alpha", &[0.0]),
    ("presence_penalty", &[0.0]),
    ("sequence_bias", &[]),
    ("stop_strings", &[]),
    ("suppress_tokens", &[]),
    ("token_healing", &[]),
    ("top_h", &[]),
    ("typical_p", &[1.0]),
    ("watermarking_config", &[]),
];

/// Settings that older files have in the model's configuration, without effect at their defaults.
const DEFAULTS: &[Neutral] = &[
    ("do_sample", &[]),
    ("early_stopping", &[]),
    ("length_penalty", &[1.0]),
    ("max_length", &[20.0]),
    ("repetition_penalty", &[1.0]),
    ("temperature", &[1.0]),
    ("top_k", &[50.0]),
    ("top_p", &[1.0]),
];

/// Rejects fields that would change the chosen tokens.
///
/// # Errors
/// A field has a value with an effect.
pub(crate) fn check(fields: &mut ConfigFields) -> Result<()> {
    for (name, neutral) in CHANGING {
        let neutral: Vec<Value> = neutral.iter().map(|&value| Value::from(value)).collect();
        fields.neutral(
            name,
            &neutral,
            "it changes which tokens are chosen, and is not supported",
        )?;
    }
    Ok(())
}

/// Whether a field of a model's configuration is a generation setting without effect.
pub(crate) fn is_neutral(name: &str, value: &Value) -> bool {
    let is = |(known, neutral): &Neutral| {
        *known == name && value.as_f64().is_some_and(|value| neutral.contains(&value))
    };
    CHANGING.iter().chain(DEFAULTS).any(is)
}
