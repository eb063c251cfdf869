//! Constants and other tensors without operands.

use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::{Applied, Lowering},
};
use hloom_graph::{Literal, Scalar, Shape};

impl Lowering<'_> {
    /// Adds a constant filled with one number.
    pub fn full(&mut self, shape: &Shape, number: Number) -> Value {
        let scalar = self.scalar(shape.dtype(), number);
        let nowhere = [("broadcast_dimensions", Attribute::i64s(&[]))];
        self.op("stablehlo.broadcast_in_dim", &[scalar], shape, &nowhere)
    }
}

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
