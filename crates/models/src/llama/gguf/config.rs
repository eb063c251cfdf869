//! The configuration in GGUF metadata.

use super::rope;
use crate::{
    Error, Result,
    config_fields::{check_layers, shown},
    gguf_metadata::Metadata,
    llama::{Config, Family},
};
use hloom_io::gguf::{Gguf, Value};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The architectures of GGUF files that are read, and their families.
const ARCHITECTURES: [(&str, Family); 5] = [
    ("llama", Family::Llama),
    ("qwen2", Family::Qwen2),
    ("qwen3", Family::Qwen3),
    ("qwen2moe", Family::Qwen2Moe),
    ("qwen3moe", Family::Qwen3Moe),
];

/// Fields of `config.json` and the names of the metadata for them.
const NAMES: &[(&str, &str)] = &[
    ("head_dim", "attention.key_length"),
    ("hidden_size", "embedding_length"),
    ("intermediate_size", "feed_forward_length"),
    ("max_position_embeddings", "context_length"),
    ("moe_intermediate_size", "expert_feed_forward_length"),
    ("norm_topk_prob", "expert_weights_norm"),
    ("num_attention_heads", "attention.head_count"),
    ("num_experts", "expert_count"),
    ("num_experts_per_tok", "expert_used_count"),
    ("num_hidden_layers", "block_count"),
    ("num_key_value_heads", "attention.head_count_kv"),
    ("num_local_experts", "expert_count"),
    ("rms_norm_eps", "attention.layer_norm_rms_epsilon"),
    ("rope_scaling.attention_factor", "rope.scaling.yarn_attn_factor"),
    ("rope_scaling.beta_fast", "rope.scaling.yarn_beta_fast"),
    ("rope_scaling.beta_slow", "rope.scaling.yarn_beta_slow"),
    ("rope_scaling.factor", "rope.scaling.factor"),
    ("rope_scaling.original_max_position_embeddings", "rope.scaling.original_context_length"),
    ("rope_theta", "rope.freq_base"),
    ("rotary_dim", "rope.dimension_count"),
    ("shared_expert_intermediate_size", "expert_shared_feed_forward_length"),
    ("sliding_window", "attention.sliding_window"),
    ("value_dim", "attention.value_length"),
    ("vocab_size", "vocab_size"),
];

impl Config {
    /// The configuration of a model in a GGUF file. The metadata is translated into the fields of a
    /// `config.json`, so that it passes the same checks; errors name the keys of the metadata.
    ///
    /// # Errors
    /// The architecture is not one of this family; a key is missing, of another type or out of
    /// range, or might affect results and is not supported; or the factors of the frequencies do
    /// not fit.
    pub fn from_gguf(gguf: &Gguf) -> Result<Config> {
        let path = gguf.files().first().map_or(Path::new(""), |file| file.path());
        let mut metadata = Metadata::of_model(gguf.metadata(), path)?;
        let family = family(&mut metadata)?;
        let has = |name: &str| gguf.get(name).is_some();
        for (field, value) in [
            ("model_type", Json::from(family.name())),
            ("tie_word_embeddings", Json::from(!has("output.weight"))),
        ] {
            metadata.fields.insert(field.into(), value);
        }
        sizes(&mut metadata, gguf, family)?;
        experts(&mut metadata, gguf, family)?;
        rope::read(&mut metadata)?;
        without_effect(&mut metadata)?;
        let layers = metadata.key("block_count");
        let mut config = metadata.finish(NAMES).whole(|fields| {
            let config = Config::from_fields(fields)?;
            fields.only("value_dim", config.head_dim)?;
            fields.only("rotary_dim", config.head_dim)?;
            Ok(config)
        })?;
        check_layers(path, &layers, config.layers(), gguf.len())?;
        if matches!(family, Family::Llama | Family::Qwen2Moe | Family::Qwen3 | Family::Qwen3Moe) {
            config.qkv_bias = has("blk.0.attn_q.bias");
            config.output_bias = has("blk.0.attn_output.bias");
        }
        rope::read_factors(gguf, &mut config)
            .map_err(|message| Error::Config { path: path.to_owned(), message })?;
        Ok(config)
    }
}

/// The family of an architecture. Files of the architecture `llama` with a sliding window are of
/// Mistral, and with experts of Mixtral.
fn family(metadata: &mut Metadata<'_>) -> Result<Family> {
    let architecture = metadata.prefix();
    let Some(&(_, family)) = ARCHITECTURES.iter().find(|(name, _)| *name == architecture) else {
        let known = ARCHITECTURES.map(|(name, _)| format!("`{name}`")).join(", ");
        let found = shown(&Json::from(architecture));
        let message = format!("`general.architecture` is {found}; known are {known}");
        return Err(metadata.error(message));
    };
    if family != Family::Llama {
        return Ok(family);
    }
    metadata.neutral("attention.sliding_window", &[json!(0)]);
    let is_zero = |value: &Value| value.as_u64() == Some(0);
    let windowed = metadata.peek("attention.sliding_window").is_some_and(|it| !is_zero(it));
    if windowed {
        metadata.copy("attention.sliding_window", "sliding_window");
    }
    Ok(match metadata.peek("expert_count") {
        Some(count) if !is_zero(count) => Family::Mixtral,
        _ if windowed => Family::Mistral,
        _ => Family::Llama,
    })
}

/// Reads the sizes of the model.
fn sizes(metadata: &mut Metadata<'_>, gguf: &Gguf, family: Family) -> Result<()> {
    for (name, field) in [
        ("block_count", "num_hidden_layers"),
        ("embedding_length", "hidden_size"),
        ("attention.value_length", "value_dim"),
        ("rope.dimension_count", "rotary_dim"),
    ] {
        metadata.copy(name, field);
    }
    for (name, field, expected) in [
        ("context_length", "max_position_embeddings", "expected a whole number"),
        ("attention.layer_norm_rms_epsilon", "rms_norm_eps", "expected a number"),
    ] {
        if !metadata.copy(name, field) {
            return Err(metadata.unfit(name, expected));
        }
    }
    if !metadata.copy("vocab_size", "vocab_size") {
        let rows = gguf.get("token_embd.weight").and_then(|table| table.sizes().first());
        metadata.fields.extend(rows.map(|&rows| ("vocab_size".to_owned(), rows.into())));
    }
    if !metadata.copy("attention.key_length", "head_dim") {
        // `null` selects the quotient of the sizes in all families.
        metadata.fields.insert("head_dim".into(), Json::Null);
    }
    metadata.copy_of_layers("feed_forward_length", "intermediate_size")?;
    metadata.copy_of_layers("attention.head_count", "num_attention_heads")?;
    if !metadata.copy_of_layers("attention.head_count_kv", "num_key_value_heads")? {
        metadata.fields.insert("num_key_value_heads".into(), Json::Null);
    }
    if family == Family::Llama {
        let has_bias = gguf.get("blk.0.ffn_gate.bias").is_some();
        metadata.fields.insert("mlp_bias".into(), has_bias.into());
    }
    Ok(())
}

/// Reads the experts of families that have them.
fn experts(metadata: &mut Metadata<'_>, gguf: &Gguf, family: Family) -> Result<()> {
    let normalized = match family {
        Family::Mixtral => None,
        Family::Qwen2Moe => Some(false),
        Family::Qwen3Moe => Some(true),
        _ => {
            for name in ["expert_count", "expert_used_count"] {
                metadata.neutral(name, &[json!(0)]);
            }
            return Ok(());
        }
    };
    metadata.copy("expert_count", "num_local_experts");
    metadata.copy("expert_used_count", "num_experts_per_tok");
    metadata.neutral("expert_gating_func", &[json!(0), json!(1)]);
    metadata.neutral("expert_weights_scale", &[json!(0), json!(1)]);
    let Some(normalized) = normalized else {
        metadata.neutral("expert_weights_norm", &[json!(true)]);
        return Ok(());
    };
    if !metadata.copy("expert_weights_norm", "norm_topk_prob") {
        metadata.fields.insert("norm_topk_prob".into(), normalized.into());
    }
    metadata.copy_of_layers("expert_feed_forward_length", "moe_intermediate_size")?;
    if family == Family::Qwen2Moe {
        let field = "shared_expert_intermediate_size";
        metadata.copy("expert_shared_feed_forward_length", field);
    }
    // Files without layers of one network may lack its size, which then has no effect.
    if let Some(size) = metadata.fields.get("moe_intermediate_size").cloned() {
        metadata.fields.entry("intermediate_size").or_insert(size);
    }
    let layers = metadata.peek("block_count").and_then(Value::as_u64).unwrap_or(0);
    let layers = layers.min(gguf.len() as u64);
    let is_dense = |layer: &u64| gguf.get(&format!("blk.{layer}.ffn_gate_inp.weight")).is_none();
    let dense: Vec<u64> = (0..layers).filter(is_dense).collect();
    metadata.fields.insert("mlp_only_layers".into(), dense.into());
    Ok(())
}

/// Accepts the keys and values of other architectures that have no effect in this family.
///
/// # Errors
/// The attention is not causal.
fn without_effect(metadata: &mut Metadata<'_>) -> Result<()> {
    metadata.ignore(&["attention.layer_norm_epsilon"]);
    if metadata.get("attention.causal").is_some_and(|value| *value != Value::Bool(true)) {
        return Err(metadata.unfit("attention.causal", "only causal attention is supported"));
    }
    for (name, value) in [
        ("attention.clamp_kqv", json!(0.0)),
        ("attention.max_alibi_bias", json!(0.0)),
        ("attention.scale", json!(0.0)),
        ("attention.sliding_window", json!(0)),
        ("attn_logit_softcapping", json!(0.0)),
        ("embedding_scale", json!(1.0)),
        ("expert_group_count", json!(0)),
        ("expert_group_used_count", json!(0)),
        ("expert_shared_count", json!(0)),
        ("expert_shared_feed_forward_length", json!(0)),
        ("final_logit_softcapping", json!(0.0)),
        ("leading_dense_block_count", json!(0)),
        ("logit_scale", json!(1.0)),
        ("nextn_predict_layers", json!(0)),
        ("pooling_type", json!(0)),
        ("residual_scale", json!(1.0)),
        ("tensor_data_layout", json!("Meta AI original pth")),
    ] {
        metadata.neutral(name, &[value]);
    }
    Ok(())
}
