//! Tensors from nothing.

use crate::{
    attribute::Number,
    lowering::{Applied, Lowering},
};
use hloom_graph::{Literal, Scalar, Shape};
use melior::ir::Value;

impl<'a> Lowering<'a> {
    /// Adds a constant that is the same number everywhere.
    pub fn full(&self, shape: &Shape, number: Number) -> Value<'a, 'a> {
        let scalar = self.scalar(shape.dtype(), number);
        let nowhere = [("broadcast_dimensions", self.i64s(&[]))];
        self.op(
            "stablehlo.broadcast_in_dim",
            &[scalar],
            self.types.tensor(shape),
            &nowhere,
        )
    }
}

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
