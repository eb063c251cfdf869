//! The fields of `config.json` about mixtures of experts.

use super::Family;
use crate::{Result, config_fields::ConfigFields};

/// The experts of a model's feed-forward layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpertsConfig {
    /// The number of experts in a layer.
    pub count: usize,
    /// The number of experts that each token goes to.
    pub per_token: usize,
    /// Whether the weights of a token's experts are divided by their sum.
    pub normalize: bool,
    /// The inner size of an expert.
    pub intermediate_size: usize,
    /// The inner size of the expert that processes every token in addition, if there is one.
    pub shared_size: Option<usize>,
    /// Whether each layer has experts; the others have a plain feed-forward network.
    pub layers: Vec<bool>,
}

impl ExpertsConfig {
    /// The experts of a model whose family has experts.
    pub(super) fn read(
        fields: &mut ConfigFields,
        family: Family,
        layers: usize,
    ) -> Result<Option<ExpertsConfig>> {
        let (name, other) = match family {
            Family::Llama | Family::Mistral | Family::Qwen2 | Family::Qwen3 => return Ok(None),
            Family::Mixtral => ("num_local_experts", "num_experts"),
            Family::Qwen2Moe | Family::Qwen3Moe => ("num_experts", "num_local_experts"),
        };
        let count = match (fields.optional_size(name)?, fields.optional_size(other)?) {
            (Some(count), Some(same)) if count != same => {
                let message = format!("`{name}` is {count}, but `{other}` is {same}");
                return Err(fields.error(message));
            }
            (Some(count), _) | (None, Some(count)) => count,
            (None, None) => fields.size(name)?,
        };
        let per_token = fields.size("num_experts_per_tok")?;
        if per_token > count {
            let expected = format_args!("there are only {count} experts");
            return Err(fields.unfit("num_experts_per_tok", expected));
        }
        if family == Family::Mixtral {
            return Ok(Some(ExpertsConfig {
                count,
                per_token,
                normalize: true,
                intermediate_size: fields.size("intermediate_size")?,
                shared_size: None,
                layers: vec![true; layers],
            }));
        }
        let shared_size = match family {
            Family::Qwen2Moe => Some(fields.size("shared_expert_intermediate_size")?),
            _ => None,
        };
        Ok(Some(ExpertsConfig {
            count,
            per_token,
            normalize: fields.optional("norm_topk_prob")?.unwrap_or(false),
            intermediate_size: fields.size("moe_intermediate_size")?,
            shared_size,
            layers: sparse_layers(fields, layers)?,
        }))
    }
}

/// Whether each layer has experts: the last one of every `decoder_sparse_step` layers, except
/// `mlp_only_layers`.
fn sparse_layers(fields: &mut ConfigFields, layers: usize) -> Result<Vec<bool>> {
    let step = fields.optional_size("decoder_sparse_step")?.unwrap_or(1);
    let mut sparse: Vec<bool> = (1..=layers).map(|layer| layer.is_multiple_of(step)).collect();
    let dense: Option<Vec<usize>> = fields.optional("mlp_only_layers")?;
    for layer in dense.unwrap_or_default() {
        match sparse.get_mut(layer) {
            Some(sparse) => *sparse = false,
            None => {
                let expected = format_args!("the layers are 0 to {}", layers - 1);
                return Err(fields.unfit("mlp_only_layers", expected));
            }
        }
    }
    Ok(sparse)
}
