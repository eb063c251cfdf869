//! Constants and other tensors without operands.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::{Literal, Scalar};

pub(crate) fn constant(l: &mut Lowering<'_>, literal: &Literal) -> Value {
    let shape = literal.shape();
    let value = Attribute::elements(&shape, literal.bytes());
    l.op("stablehlo.constant", &[], shape, &[("value", value)])
}

pub(crate) fn splat(l: &mut Lowering<'_>, n: &Applied<'_>, scalar: &Scalar) -> Value {
    let shape = n.result();
    let value = Attribute::elements(&shape, scalar.bytes());
    l.op("stablehlo.constant", &[], shape, &[("value", value)])
}

pub(crate) fn iota(l: &mut Lowering<'_>, n: &Applied<'_>, axis: usize) -> Value {
    let attributes = [("iota_dimension", Attribute::i64(axis))];
    l.op("stablehlo.iota", &[], n.result(), &attributes)
}
