//! Tensors from nothing.

use crate::lowering::{Applied, Lowering};
use hloom_graph::{Literal, Scalar};
use melior::ir::Value;

pub(crate) fn constant<'a>(l: &Lowering<'a>, literal: &Literal) -> Value<'a, 'a> {
    let shape = literal.shape();
    let value = l.elements(&shape, literal.bytes());
    l.op("stablehlo.constant", &[], l.types.tensor(&shape), &[("value", value)])
}

pub(crate) fn splat<'a>(l: &Lowering<'a>, n: &Applied<'a>, scalar: &Scalar) -> Value<'a, 'a> {
    let shape = n.result();
    let value = l.elements(&shape, scalar.bytes());
    l.op("stablehlo.constant", &[], l.types.tensor(&shape), &[("value", value)])
}

pub(crate) fn iota<'a>(l: &Lowering<'a>, n: &Applied<'a>, axis: usize) -> Value<'a, 'a> {
    let attributes = [("iota_dimension", l.i64(axis))];
    l.op("stablehlo.iota", &[], l.types.tensor(&n.result()), &attributes)
}
