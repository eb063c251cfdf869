//! Floats as integers of the same order, above or below which NaN stands.
//!
//! NaN wins in `max` and `min`, but not everywhere where devices combine their values: plugins leave that to libraries that know
//! of no NaN. They are given integers.

use super::comparison;
use crate::{attribute::Number, lowering::Lowering};
use hloom_graph::{DType, Direction, Reduction, Shape};
use melior::ir::Value;

/// How the floats of a type become integers.
#[derive(Clone, Copy)]
pub(crate) struct FloatKeys {
    /// The type whose bits they are: that of the floats, or a wider one that holds them all.
    float: DType,
    /// The integers, as wide.
    key: DType,
    reduction: Reduction,
}

impl FloatKeys {
    /// The keys for a reduction of a type; `None` where NaN is none of its concern.
    pub fn new(reduction: Reduction, dtype: DType) -> Option<FloatKeys> {
        let (float, key) = match dtype.bits() {
            _ if !dtype.is_float() || !matches!(reduction, Reduction::Max | Reduction::Min) => return None,
            // There is no NaN.
            4 => return None,
            8 => (DType::BF16, DType::I16),
            16 => (dtype, DType::I16),
            32 => (dtype, DType::I32),
            _ => (dtype, DType::I64),
        };
        Some(FloatKeys { float, key, reduction })
    }

    /// The type of the keys.
    pub fn dtype(self) -> DType {
        self.key
    }

    /// The keys of floats.
    pub fn of<'a>(self, l: &mut Lowering<'a>, floats: Value<'a, 'a>, shape: &Shape) -> Value<'a, 'a> {
        let wide = self.widened(l, floats, shape);
        let (keys, truths) = (shape.with_dtype(self.key), shape.with_dtype(DType::Bool));
        let bits = l.op("stablehlo.bitcast_convert", &[wide], l.types.tensor(&keys), &[]);
        let turned = self.turned(l, bits, &keys);
        let is_nan = comparison(l, Direction::Ne, self.float, [wide, wide], l.types.tensor(&truths));
        let lowest = -1i64 << (self.key.bits() - 1);
        // Both are the bits of NaNs.
        let best = if self.reduction == Reduction::Max {
            !lowest
        } else {
            lowest
        };
        let best = full(l, &keys, best);
        l.op("stablehlo.select", &[is_nan, best, turned], l.types.tensor(&keys), &[])
    }

    /// The floats of keys.
    pub fn floats<'a>(self, l: &Lowering<'a>, keys: Value<'a, 'a>, shape: &Shape) -> Value<'a, 'a> {
        let bits = self.turned(l, keys, &shape.with_dtype(self.key));
        let wide = l.types.tensor(&shape.with_dtype(self.float));
        let wide = l.op("stablehlo.bitcast_convert", &[bits], wide, &[]);
        match shape.dtype() == self.float {
            true => wide,
            false => l.op("stablehlo.convert", &[wide], l.types.tensor(shape), &[]),
        }
    }

    fn widened<'a>(self, l: &Lowering<'a>, floats: Value<'a, 'a>, shape: &Shape) -> Value<'a, 'a> {
        let wide = l.types.tensor(&shape.with_dtype(self.float));
        match shape.dtype() == self.float {
            true => floats,
            false => l.op("stablehlo.convert", &[floats], wide, &[]),
        }
    }

    /// The bits of negative floats but for the sign, which count down, turned to count up; and back.
    fn turned<'a>(self, l: &Lowering<'a>, bits: Value<'a, 'a>, shape: &Shape) -> Value<'a, 'a> {
        let r#type = l.types.tensor(shape);
        let last = full(l, shape, self.key.bits() as i64 - 1);
        let sign = l.op("stablehlo.shift_right_arithmetic", &[bits, last], r#type, &[]);
        let others = full(l, shape, !(-1i64 << (self.key.bits() - 1)));
        let turn = l.op("stablehlo.and", &[sign, others], r#type, &[]);
        l.op("stablehlo.xor", &[bits, turn], r#type, &[])
    }
}

pub(super) fn full<'a>(l: &Lowering<'a>, shape: &Shape, value: i64) -> Value<'a, 'a> {
    let scalar = l.scalar(shape.dtype(), Number::Int(value));
    let nowhere = [("broadcast_dimensions", l.i64s(&[]))];
    l.op("stablehlo.broadcast_in_dim", &[scalar], l.types.tensor(shape), &nowhere)
}
