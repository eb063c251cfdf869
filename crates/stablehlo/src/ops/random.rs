//! Random numbers.

use crate::lowering::{Applied, Lowering, results};
use melior::ir::Value;

pub(crate) fn rng_bits<'a>(l: &mut Lowering<'a>, n: &Applied<'a>) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let attributes = [("rng_algorithm", l.parsed("#stablehlo<rng_algorithm THREE_FRY>"))];
    let name = "stablehlo.rng_bit_generator";
    results(l.operation(name, &n.operands, &types, &attributes, Vec::new()))
}
