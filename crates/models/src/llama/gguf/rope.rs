//! The scaling of rotary embeddings in GGUF metadata.

use crate::{Result, gguf_metadata::Metadata, llama::Config};
use hloom_io::gguf::Gguf;
use hloom_nn::RopeScaling;
use serde_json::{Map, Value as Json, json};
use std::ops::RangeInclusive;

/// The tensor with the divisor of each frequency.
pub(super) const FACTORS: &str = "rope_freqs.weight";
/// The range of those divisors.
const DIVISORS: RangeInclusive<f64> = 1e-9..=1e9;

/// Reads the metadata of rotary embeddings into `rope_theta` and `rope_scaling`.
pub(super) fn read(metadata: &mut Metadata<'_>) -> Result<()> {
    if !metadata.copy("rope.freq_base", "rope_theta") {
        metadata.fields.insert("rope_theta".into(), json!(10_000.0));
    }
    let factor = match metadata.number("rope.scaling.factor")? {
        Some(factor) => Some(factor),
        // The key of older files.
        None => metadata.number("rope.scale_linear")?,
    };
    metadata.ignore(&["rope.scale_linear", "rope.scaling.finetuned"]);
    // Readers of the format take 0 for an absent factor.
    let factor = factor.filter(|&factor| factor != 0.0);
    let kind = match metadata.get("rope.scaling.type") {
        None => Some("linear"),
        Some(value) => value.as_str(),
    };
    let scaling = match (kind, factor) {
        (Some("none"), _) | (Some("linear"), None) => Map::new(),
        (Some("linear"), Some(factor)) => {
            fields([("type", "linear".into()), ("factor", json!(factor))])
        }
        (Some("yarn"), factor) => yarn(metadata, factor.unwrap_or(1.0))?,
        _ => {
            let expected = "known are `none`, `linear` and `yarn`";
            return Err(metadata.unfit("rope.scaling.type", expected));
        }
    };
    if kind != Some("yarn") {
        metadata.neutral("rope.scaling.attn_factor", &[json!(1.0)]);
        metadata.neutral("rope.scaling.yarn_ext_factor", &[json!(0.0), json!(-1.0)]);
        metadata.ignore(&[
            "rope.scaling.original_context_length",
            "rope.scaling.yarn_attn_factor",
            "rope.scaling.yarn_beta_fast",
            "rope.scaling.yarn_beta_slow",
        ]);
    }
    metadata.neutral("rope.scaling.yarn_log_multiplier", &[json!(0.0)]);
    metadata.neutral("rope.scaling.alpha", &[json!(0.0)]);
    metadata.fields.insert("rope_scaling".into(), scaling.into());
    Ok(())
}

fn yarn(metadata: &mut Metadata<'_>, factor: f64) -> Result<Map<String, Json>> {
    let mut scaling = fields([("type", "yarn".into()), ("factor", json!(factor))]);
    for (name, field) in [
        ("original_context_length", "original_max_position_embeddings"),
        ("yarn_beta_fast", "beta_fast"),
        ("yarn_beta_slow", "beta_slow"),
        ("yarn_attn_factor", "attention_factor"),
    ] {
        if metadata.copy(&format!("rope.scaling.{name}"), "moved") {
            scaling.extend(metadata.fields.remove("moved").map(|value| (field.into(), value)));
        }
    }
    metadata.neutral("rope.scaling.yarn_ext_factor", &[json!(1.0), json!(-1.0)]);
    let own = metadata.number("rope.scaling.attn_factor")?.unwrap_or(1.0);
    if own != 1.0 && !scaling.contains_key("attention_factor") {
        // It multiplies the factor that follows from the scaling.
        let grown = if factor <= 1.0 { 1.0 } else { 0.1 * factor.ln() + 1.0 };
        scaling.insert("attention_factor".into(), json!(own * grown));
    }
    Ok(scaling)
}

fn fields<const N: usize>(fields: [(&str, Json); N]) -> Map<String, Json> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Reads the divisors of the frequencies, if the file has them, into the configuration.
///
/// # Errors
/// They are not as many as the frequencies, out of range, or combined with a scaling that has
/// frequencies of its own.
pub(super) fn read_factors(gguf: &Gguf, config: &mut Config) -> Result<(), String> {
    let Some(tensor) = gguf.get(FACTORS) else { return Ok(()) };
    let expected = config.head_dim / 2;
    if tensor.element_count() != expected {
        let found = tensor.sizes();
        return Err(format!("tensor `{FACTORS}` has sizes {found:?}; expected [{expected}]"));
    }
    let factors = tensor.dequantize().map_err(|error| error.to_string())?;
    let mut factors: Vec<f64> = factors.into_iter().map(f64::from).collect();
    if let Some(factor) = factors.iter().find(|factor| !DIVISORS.contains(factor)) {
        let (least, most) = DIVISORS.into_inner();
        return Err(format!(
            "tensor `{FACTORS}` has the factor {factor}; factors must be between {least:e} and \
             {most:e}"
        ));
    }
    match config.rope.scaling {
        RopeScaling::Default => {}
        RopeScaling::Linear { factor } => factors.iter_mut().for_each(|own| *own *= factor),
        _ => return Err(format!("tensor `{FACTORS}` is not supported with a scaling by yarn")),
    }
    config.rope.scaling = RopeScaling::LongRope { factors, attention_factor: 1.0 };
    Ok(())
}
