//! Random numbers.

use crate::lowering::{Applied, Lowering};
use melior::ir::OperationRef;

pub(crate) fn rng_bits<'a>(l: &mut Lowering<'a>, n: &Applied<'a>) -> OperationRef<'a, 'a> {
    let results: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let attributes = [("rng_algorithm", l.parsed("#stablehlo<rng_algorithm THREE_FRY>"))];
    l.operation("stablehlo.rng_bit_generator", &n.operands, &results, &attributes, Vec::new())
}
