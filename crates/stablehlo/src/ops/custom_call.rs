//! Calls of code that is not the program's.

use crate::lowering::{Applied, Lowering, results};
use hloom_graph::{Attribute as Said, Attributes, BackendConfig, CustomCall, DType, Effect, Literal, OutputAlias};
use melior::ir::{
    Attribute, Identifier, Type, Value,
    attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute},
};

pub(crate) fn custom_call<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, call: &CustomCall) -> Vec<Value<'a, 'a>> {
    let ordered = call.effect == Effect::Ordered && l.hands_on;
    let mut operands = n.operands.clone();
    let mut types: Vec<Type<'a>> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let mut operand_ranks: Vec<usize> = (0..operands.len()).map(|position| n.operand(position).rank()).collect();
    let mut result_ranks: Vec<usize> = n.results().map(|shape| shape.rank()).collect();
    if ordered {
        operands.push(l.last_order());
        types.push(l.order_type());
        operand_ranks.push(0);
        result_ranks.push(0);
    }
    let config = match &call.config {
        BackendConfig::Typed(attributes) => dictionary(l, attributes),
        BackendConfig::Opaque { config, .. } => StringAttribute::new(l.context, config).into(),
    };
    let mut attributes = vec![
        ("call_target_name", StringAttribute::new(l.context, &call.target).into()),
        ("has_side_effect", l.bool(call.effect != Effect::Pure)),
        ("backend_config", config),
        ("api_version", l.i32(call.api_version())),
        ("operand_layouts", layouts(l, &operand_ranks)),
        ("result_layouts", layouts(l, &result_ranks)),
        ("output_operand_aliases", aliases(l, &call.aliases, types.len())),
    ];
    if l.in_manual {
        // GSPMD asks calls with effects how their results lie.
        let each = vec!["{manual}"; types.len()].join(", ");
        let all = if types.len() == 1 { each } else { format!("{{{each}}}") };
        let all = if types.is_empty() { "{manual}".into() } else { all };
        attributes.push(("mhlo.sharding", StringAttribute::new(l.context, &all).into()));
    }
    let mut values = results(l.operation("stablehlo.custom_call", &operands, &types, &attributes, Vec::new()));
    if ordered {
        l.order = values.pop();
    }
    values
}

/// Row-major for each rank, written from the innermost axis on.
fn layouts<'a>(l: &mut Lowering<'a>, ranks: &[usize]) -> Attribute<'a> {
    let all: Vec<Attribute<'a>> = ranks
        .iter()
        .map(|&rank| {
            let order: Vec<String> = (0..rank).rev().map(|axis| axis.to_string()).collect();
            l.parsed(format!("dense<[{}]> : tensor<{rank}xindex>", order.join(", ")))
        })
        .collect();
    ArrayAttribute::new(l.context, &all).into()
}

fn aliases<'a>(l: &mut Lowering<'a>, aliases: &[OutputAlias], results: usize) -> Attribute<'a> {
    let all: Vec<Attribute<'a>> = aliases
        .iter()
        .map(|&OutputAlias { result, operand }| {
            // A call with one result gives that, not a tuple of one.
            let result = if results == 1 {
                String::new()
            } else {
                result.to_string()
            };
            l.parsed(format!(
                "#stablehlo.output_operand_alias<output_tuple_indices = [{result}], operand_index = {operand}, \
                 operand_tuple_indices = []>"
            ))
        })
        .collect();
    ArrayAttribute::new(l.context, &all).into()
}

fn dictionary<'a>(l: &Lowering<'a>, attributes: &Attributes) -> Attribute<'a> {
    let all: Vec<_> = attributes
        .iter()
        .map(|(name, said)| (Identifier::new(l.context, name), attribute(l, said)))
        .collect();
    DictionaryAttribute::new(l.context, &all).into()
}

fn attribute<'a>(l: &Lowering<'a>, said: &Said) -> Attribute<'a> {
    match said {
        Said::Scalar(value) => scalar(l, value.dtype(), value.bytes()),
        Said::Array(literal) => array(l, literal),
        Said::String(text) => StringAttribute::new(l.context, text).into(),
        Said::Dictionary(attributes) => dictionary(l, attributes),
    }
}

/// A number as it is, bit for bit.
fn scalar<'a>(l: &Lowering<'a>, dtype: DType, bytes: &[u8]) -> Attribute<'a> {
    match dtype {
        DType::Bool => l.bool(bytes[0] != 0),
        dtype => parsed(l, &format!("{} : {}", number(dtype, bytes), l.types.element(dtype))),
    }
}

/// An array, bit for bit. The typed array attribute has no unsigned elements.
fn array<'a>(l: &Lowering<'a>, literal: &Literal) -> Attribute<'a> {
    let (shape, dtype) = (literal.shape(), literal.shape().dtype());
    if dtype.is_int() && !dtype.is_signed_int() {
        return l.elements(&shape, literal.bytes());
    }
    let values: Vec<String> = literal
        .bytes()
        .chunks_exact(dtype.size())
        .map(|bytes| number(dtype, bytes))
        .collect();
    let colon = if values.is_empty() { "" } else { ": " };
    parsed(
        l,
        &format!("array<{}{colon}{}>", l.types.element(dtype), values.join(", ")),
    )
}

/// A number in MLIR's syntax, floats as their bits.
fn number(dtype: DType, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u128::from_le_bytes(wide);
    match dtype.is_float() {
        true => format!("0x{bits:0digits$X}", digits = 2 * bytes.len()),
        false if dtype.is_signed_int() => {
            let unused = 128 - 8 * bytes.len() as u32;
            (((bits << unused) as i128) >> unused).to_string()
        }
        false => bits.to_string(),
    }
}

fn parsed<'a>(l: &Lowering<'a>, text: &str) -> Attribute<'a> {
    Attribute::parse(l.context, text).expect("the text is written in this crate")
}
