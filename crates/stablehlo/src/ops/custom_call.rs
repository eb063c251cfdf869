//! Custom calls.

use crate::{
    applied::Applied,
    attribute::Attribute,
    call_order::CallOrder,
    emit::Value,
    lower::Lower,
    lowering::{Lowering, PartitioningMode},
    types::{Type, element_name},
};
use hloom_graph::{
    Attribute as Said, Attributes, BackendConfig, CustomCall, DType, Effect, Literal, OutputAlias,
};

impl Lower for CustomCall {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let ordered = l.order.passes_token(self.effect);
        let mut operands = n.operands.clone();
        let mut types: Vec<Type> = n.results().map(Type::from).collect();
        let mut operand_ranks: Vec<usize> =
            (0..operands.len()).map(|position| n.operand(position).rank()).collect();
        let mut result_ranks: Vec<usize> = n.results().map(|shape| shape.rank()).collect();
        if ordered {
            operands.push(l.token());
            types.push(CallOrder::token_type());
            operand_ranks.push(0);
            result_ranks.push(0);
        }
        let config = match &self.config {
            BackendConfig::Typed(attributes) => dictionary(attributes),
            BackendConfig::Opaque { config, .. } => Attribute::string(config),
        };
        let mut attributes = vec![
            ("call_target_name", Attribute::string(&self.target)),
            ("has_side_effect", Attribute::Bool(self.effect != Effect::Pure)),
            ("backend_config", config),
            ("api_version", Attribute::i32(self.api_version())),
            ("operand_layouts", layouts(&operand_ranks)),
            ("result_layouts", layouts(&result_ranks)),
            ("output_operand_aliases", aliases(&self.aliases, types.len())),
        ];
        if !self.frontend_attributes.is_empty() {
            let all = self.frontend_attributes.iter();
            let all = all.map(|(name, text)| (name.into(), Attribute::string(text)));
            attributes.push(("mhlo.frontend_attributes", Attribute::Dictionary(all.collect())));
        }
        if l.partitioning == PartitioningMode::Manual {
            // GSPMD requires the sharding of the results of calls with effects.
            let each = vec!["{manual}"; types.len()].join(", ");
            let all = if types.len() == 1 { each } else { format!("{{{each}}}") };
            let all = if types.is_empty() { "{manual}".into() } else { all };
            attributes.push(("mhlo.sharding", Attribute::string(all)));
        }
        let results =
            l.operation("stablehlo.custom_call", &operands, &types, &attributes, Vec::new());
        let mut values = results.to_vec();
        if ordered {
            l.order.token = values.pop();
        }
        values
    }
}

/// Row-major layouts for each rank, listed from the innermost axis.
fn layouts(ranks: &[usize]) -> Attribute<'static> {
    let all = ranks.iter().map(|&rank| {
        let order: Vec<String> = (0..rank).rev().map(|axis| axis.to_string()).collect();
        Attribute::text(format!("dense<[{}]> : tensor<{rank}xindex>", order.join(", ")))
    });
    Attribute::Array(all.collect())
}

fn aliases(aliases: &[OutputAlias], results: usize) -> Attribute<'static> {
    let all = aliases.iter().map(|&OutputAlias { result, operand }| {
        // A call with one result returns it directly, not a tuple of one.
        let result = if results == 1 { String::new() } else { result.to_string() };
        Attribute::text(format!(
            "#stablehlo.output_operand_alias<output_tuple_indices = [{result}], operand_index = \
             {operand}, operand_tuple_indices = []>"
        ))
    });
    Attribute::Array(all.collect())
}

/// The attributes of a call.
pub(crate) fn dictionary(attributes: &Attributes) -> Attribute<'_> {
    let all = attributes.iter().map(|(name, said)| (name.into(), attribute(said)));
    Attribute::Dictionary(all.collect())
}

fn attribute(said: &Said) -> Attribute<'_> {
    match said {
        Said::Scalar(value) => scalar(value.dtype(), value.bytes()),
        Said::Array(literal) => array(literal),
        Said::String(text) => Attribute::string(text),
        Said::Dictionary(attributes) => dictionary(attributes),
    }
}

/// A scalar, bit for bit.
fn scalar(dtype: DType, bytes: &[u8]) -> Attribute<'static> {
    match dtype {
        DType::Bool => Attribute::Bool(bytes[0] != 0),
        dtype => Attribute::text(format!("{} : {}", number(dtype, bytes), element_name(dtype))),
    }
}

/// An array, bit for bit. The typed array attribute has no unsigned elements.
fn array(literal: &Literal) -> Attribute<'_> {
    let (shape, dtype) = (literal.shape(), literal.shape().dtype());
    if dtype.is_int() && !dtype.is_signed_int() {
        return Attribute::elements(&shape, literal.bytes());
    }
    let values: Vec<String> =
        literal.bytes().chunks_exact(dtype.size()).map(|bytes| number(dtype, bytes)).collect();
    let colon = if values.is_empty() { "" } else { ": " };
    Attribute::text(format!("array<{}{colon}{}>", element_name(dtype), values.join(", ")))
}

/// A number in MLIR's syntax, floats as their bits.
fn number(dtype: DType, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u128::from_le_bytes(wide);
    if dtype.is_float() {
        format!("0x{bits:0digits$X}", digits = 2 * bytes.len())
    } else if dtype.is_signed_int() {
        let unused = 128 - 8 * bytes.len() as u32;
        (((bits << unused) as i128) >> unused).to_string()
    } else {
        bits.to_string()
    }
}
