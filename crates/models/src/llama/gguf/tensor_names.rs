//! The names of tensors of GGUF files.

use super::rope;
use crate::{
    Error, Result,
    llama::{Config, Family},
};
use hloom_io::{Checkpoint, Renamed, RowOrder};

/// The maximum number of tensors that an error names.
const MAX_NAMED: usize = 8;

/// The checkpoint of a GGUF file with the names of [`Llama`](crate::llama::Llama) and the rows of
/// queries and keys in its order.
///
/// # Errors
/// A tensor has no place in the model.
pub(crate) fn renamed(checkpoint: &Checkpoint, config: &Config) -> Result<Checkpoint> {
    let unplaced: Vec<&str> = checkpoint
        .names()
        .filter(|name| !(*name == rope::FACTORS && is_interleaved(config)))
        .filter(|name| place(name, config).is_none())
        .collect();
    if !unplaced.is_empty() {
        let shown = unplaced.iter().take(MAX_NAMED);
        let names: Vec<String> = shown.map(|name| format!("`{}`", name.escape_debug())).collect();
        let more = match unplaced.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        let message = format!(
            "tensors without a place in a model of this architecture: {names}{more}; the model \
             might compute something else than what is meant"
        );
        return Err(Error::Config { path: checkpoint.path().to_owned(), message });
    }
    Ok(checkpoint.renamed(|name| place(name, config))?)
}

/// Whether files have the rows of queries and keys with the elements of a rotated pair next to each
/// other.
fn is_interleaved(config: &Config) -> bool {
    matches!(config.family, Family::Llama | Family::Mistral | Family::Mixtral)
}

/// The place of a tensor in the model.
fn place(name: &str, config: &Config) -> Option<Renamed> {
    let (path, kind) = name.rsplit_once('.')?;
    if !matches!(kind, "weight" | "bias") {
        return None;
    }
    let mut rows = RowOrder::Stored;
    let path = match path {
        "token_embd" => "model.embed_tokens".to_owned(),
        "output_norm" => "model.norm".to_owned(),
        "output" => "lm_head".to_owned(),
        _ => {
            let (layer, part) = path.strip_prefix("blk.")?.split_once('.')?;
            if !layer.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            let heads = match part {
                "attn_q" => Some(config.heads),
                "attn_k" => Some(config.kv_heads),
                _ => None,
            };
            if let Some(heads) = heads.filter(|_| is_interleaved(config)) {
                rows = RowOrder::Interleaved { heads };
            }
            format!("model.layers.{layer}.{}", in_layer(part, config)?)
        }
    };
    Some(Renamed { name: format!("{path}.{kind}"), rows })
}

/// The path in a layer of one of its parts.
fn in_layer(part: &str, config: &Config) -> Option<String> {
    let path = match part {
        "attn_norm" => "input_layernorm",
        "attn_q" => "self_attn.q_proj",
        "attn_k" => "self_attn.k_proj",
        "attn_v" => "self_attn.v_proj",
        "attn_output" => "self_attn.o_proj",
        "attn_q_norm" => "self_attn.q_norm",
        "attn_k_norm" => "self_attn.k_norm",
        "ffn_norm" => "post_attention_layernorm",
        "ffn_gate" => "mlp.gate_proj",
        "ffn_up" => "mlp.up_proj",
        "ffn_down" => "mlp.down_proj",
        part => return config.experts.as_ref().and_then(|_| in_experts(part, config.family)),
    };
    Some(path.to_owned())
}

/// The path in a layer of a part of its experts: a stack, one expert, the router or the expert of
/// all tokens.
fn in_experts(part: &str, family: Family) -> Option<String> {
    let (experts, [gate, up, down]) = match family {
        Family::Mixtral => ("block_sparse_moe", ["w1", "w3", "w2"]),
        _ => ("mlp", ["gate_proj", "up_proj", "down_proj"]),
    };
    let path = match part {
        "ffn_gate_inp" => return Some(format!("{experts}.gate")),
        "ffn_gate_inp_shexp" => "shared_expert_gate".to_owned(),
        "ffn_gate_shexp" => "shared_expert.gate_proj".to_owned(),
        "ffn_up_shexp" => "shared_expert.up_proj".to_owned(),
        "ffn_down_shexp" => "shared_expert.down_proj".to_owned(),
        "ffn_gate_exps" => format!("experts.*.{gate}"),
        "ffn_up_exps" => format!("experts.*.{up}"),
        "ffn_down_exps" => format!("experts.*.{down}"),
        part => {
            let (part, expert) = part.split_once('.')?;
            let matrix = match part {
                "ffn_gate" => gate,
                "ffn_up" => up,
                "ffn_down" => down,
                _ => return None,
            };
            if !expert.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            format!("experts.{expert}.{matrix}")
        }
    };
    Some(format!("{experts}.{path}"))
}
