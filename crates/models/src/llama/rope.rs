//! The rotary embeddings in `config.json`.

use crate::{Result, config_fields::ConfigFields};
use hloom_nn::{RopeConfig, RopeScaling};
use std::ops::RangeInclusive;

/// The maximum base of frequencies; those in use are at most 1e9.
const MAX_THETA: f64 = 1e18;
/// The range of the factors of frequencies and angles. Outside it, angles are not finite in `f32`.
const SCALES: RangeInclusive<f64> = 1e-9..=1e9;

/// Reads `rope_theta`, by default `absent`, and `rope_scaling`, or `rope_parameters`, which newer
/// configurations use instead.
pub(super) fn read(
    fields: &mut ConfigFields,
    head_dim: usize,
    max_positions: usize,
    absent: f64,
) -> Result<RopeConfig> {
    let mut theta: Option<f64> = fields.optional("rope_theta")?;
    fields.only("partial_rotary_factor", 1.0)?;
    let mut scaling = RopeScaling::Default;
    for name in ["rope_parameters", "rope_scaling"] {
        let Some(mut rope) = fields.object(name)? else { continue };
        theta = rope.optional("rope_theta")?.or(theta);
        rope.only("partial_rotary_factor", 1.0)?;
        scaling = read_scaling(&mut rope, max_positions)?;
        rope.finish()?;
    }
    let theta = theta.unwrap_or(absent);
    if !(theta > 1.0 && theta <= MAX_THETA) {
        return Err(fields.error(format!(
            "`rope_theta` is {theta}; it must be above 1 and at most {MAX_THETA:e}"
        )));
    }
    if matches!(scaling, RopeScaling::Dynamic { .. }) && head_dim == 2 {
        return Err(fields.error("dynamic rotary scaling needs heads of more than 2 elements"));
    }
    Ok(RopeConfig { dim: head_dim, theta, scaling })
}

fn read_scaling(rope: &mut ConfigFields, max_positions: usize) -> Result<RopeScaling> {
    let old_name: Option<String> = rope.optional("type")?;
    let name: Option<String> = rope.optional("rope_type")?;
    let scaling = match name.or(old_name).as_deref() {
        None | Some("default") => RopeScaling::Default,
        Some("linear") => RopeScaling::Linear { factor: positive(rope, "factor", None)? },
        Some("dynamic") => {
            rope.only("original_max_position_embeddings", max_positions)?;
            RopeScaling::Dynamic {
                factor: positive(rope, "factor", None)?,
                positions: max_positions,
            }
        }
        Some("llama3") => RopeScaling::Llama3 {
            factor: positive(rope, "factor", None)?,
            low_freq_factor: positive(rope, "low_freq_factor", None)?,
            high_freq_factor: positive(rope, "high_freq_factor", None)?,
            positions: rope.size("original_max_position_embeddings")?,
        },
        Some("yarn") => yarn(rope, max_positions)?,
        Some(_) => {
            let field = if rope.has("rope_type") { "rope_type" } else { "type" };
            return Err(
                rope.unfit(field, "known are `default`, `linear`, `dynamic`, `llama3` and `yarn`")
            );
        }
    };
    Ok(scaling)
}

fn yarn(rope: &mut ConfigFields, max_positions: usize) -> Result<RopeScaling> {
    let positions =
        rope.optional_size("original_max_position_embeddings")?.unwrap_or(max_positions);
    let factor = positive(rope, "factor", Some(max_positions as f64 / positions as f64))?;
    let grown = |share: f64| {
        if factor <= 1.0 { 1.0 } else { 0.1 * share * factor.ln() + 1.0 }
    };
    let scales: (Option<f64>, Option<f64>) =
        (rope.optional("mscale")?, rope.optional("mscale_all_dim")?);
    let default = match scales {
        // 0 counts as absent, as in the reference implementation.
        (Some(one), Some(all)) if one != 0.0 && all != 0.0 => grown(one) / grown(all),
        _ => grown(1.0),
    };
    Ok(RopeScaling::Yarn {
        factor,
        attention_factor: positive(rope, "attention_factor", Some(default))?,
        beta_fast: positive(rope, "beta_fast", Some(32.0))?,
        beta_slow: positive(rope, "beta_slow", Some(1.0))?,
        positions,
        truncate: rope.optional("truncate")?.unwrap_or(true),
    })
}

fn positive(rope: &mut ConfigFields, name: &str, default: Option<f64>) -> Result<f64> {
    let value = match default {
        Some(default) => rope.optional(name)?.unwrap_or(default),
        None => rope.required(name)?,
    };
    if value > 0.0 && SCALES.contains(&value) {
        Ok(value)
    } else if rope.has(name) && value <= 0.0 {
        Err(rope.unfit(name, "it must be positive"))
    } else {
        let message = format!("it must be between {:e} and {:e}", SCALES.start(), SCALES.end());
        Err(rope.unfit(name, message))
    }
}
