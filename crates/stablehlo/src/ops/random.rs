//! Random numbers.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering, types::Type};

pub(crate) fn rng_bits(l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    let attributes = [("rng_algorithm", Attribute::text("#stablehlo<rng_algorithm THREE_FRY>"))];
    let name = "stablehlo.rng_bit_generator";
    l.operation(name, &n.operands, &types, &attributes, Vec::new()).to_vec()
}
