//! The attention windows in `config.json`.

use super::Family;
use crate::{Result, config_fields::ConfigFields};

/// The attention window of each layer.
pub(super) fn read(
    fields: &mut ConfigFields,
    family: Family,
    layers: usize,
) -> Result<Vec<Option<usize>>> {
    let absent = match family {
        Family::Llama | Family::Mixtral | Family::Qwen2Moe | Family::Qwen3Moe => None,
        Family::Mistral | Family::Qwen2 | Family::Qwen3 => Some(4096),
    };
    let absent = absent.filter(|_| !fields.has("sliding_window"));
    let window = match family {
        // The field is unused, and written as 0.
        Family::Qwen2Moe | Family::Qwen3Moe => {
            fields.optional::<usize>("sliding_window")?;
            None
        }
        _ => fields.optional_size("sliding_window")?.or(absent),
    };
    let types: Option<Vec<String>> = fields.optional("layer_types")?;
    let first_windowed = match family {
        Family::Llama => {
            if window.is_some() {
                return Err(fields.unfit("sliding_window", "models of type `llama` have none"));
            }
            fields.only("use_sliding_window", false)?;
            layers
        }
        Family::Mistral | Family::Mixtral => 0,
        Family::Qwen2 | Family::Qwen3 => {
            let used = fields.optional("use_sliding_window")?.unwrap_or(false);
            let first = fields.optional("max_window_layers")?.unwrap_or(28);
            if used { first } else { layers }
        }
        Family::Qwen2Moe | Family::Qwen3Moe => {
            // Versions of the reference implementation disagree about which layers have a window.
            fields.only("use_sliding_window", false)?;
            fields.optional::<usize>("max_window_layers")?;
            layers
        }
    };
    let Some(types) = types else {
        return Ok((0..layers).map(|layer| window.filter(|_| layer >= first_windowed)).collect());
    };
    if types.len() != layers {
        return Err(
            fields.error(format!("`layer_types` has {} entries for {layers} layers", types.len()))
        );
    }
    let windowed = |name: &String| match (name.as_str(), window) {
        ("full_attention", _) => Ok(None),
        ("sliding_attention", Some(window)) => Ok(Some(window)),
        ("sliding_attention", None) => {
            Err(fields.error("`layer_types` requires `sliding_window`, which is missing"))
        }
        _ => Err(fields.unfit("layer_types", "known are `full_attention` and `sliding_attention`")),
    };
    types.iter().map(windowed).collect()
}
