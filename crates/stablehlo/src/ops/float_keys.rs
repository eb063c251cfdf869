//! Order-preserving integer keys of floats, with NaN above or below all others.
//!
//! NaN propagates in `max` and `min`, but not everywhere in reductions across devices: plugins
//! leave those to libraries that ignore NaN. They reduce integer keys instead.

use super::comparison;
use crate::{attribute::Number, emit::Value, lowering::Lowering, types::Type};
use hloom_graph::{DType, Direction, Reduction, Shape};

/// The mapping of a float type to integer keys.
#[derive(Clone, Copy)]
pub(crate) struct FloatKeys {
    /// The float type whose bits are used: the type itself, or a wider one that holds all its
    /// values.
    float: DType,
    /// The integer type of the same width.
    key: DType,
    reduction: Reduction,
}

impl FloatKeys {
    /// The keys for a reduction of a type; `None` if NaN needs no care.
    pub fn new(reduction: Reduction, dtype: DType) -> Option<FloatKeys> {
        let (float, key) = match dtype.bits() {
            _ if !dtype.is_float() || !matches!(reduction, Reduction::Max | Reduction::Min) => {
                return None;
            }
            // The type has no NaN.
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
    pub fn of(self, l: &mut Lowering<'_>, floats: Value, shape: &Shape) -> Value {
        let wide = self.widened(l, floats, shape);
        let (keys, truths) = (shape.with_dtype(self.key), shape.with_dtype(DType::Bool));
        let bits = l.op("stablehlo.bitcast_convert", &[wide], keys, &[]);
        let turned = self.turned(l, bits, &keys);
        let is_nan = comparison(l, Direction::Ne, self.float, [wide, wide], truths);
        let lowest = -1i64 << (self.key.bits() - 1);
        // Both are the bits of NaNs.
        let best = if self.reduction == Reduction::Max { !lowest } else { lowest };
        let best = l.full(&keys, Number::Int(best));
        l.op("stablehlo.select", &[is_nan, best, turned], keys, &[])
    }

    /// The floats of keys.
    pub fn floats(self, l: &mut Lowering<'_>, keys: Value, shape: &Shape) -> Value {
        let bits = self.turned(l, keys, &shape.with_dtype(self.key));
        let wide = shape.with_dtype(self.float);
        let wide = l.op("stablehlo.bitcast_convert", &[bits], wide, &[]);
        match shape.dtype() == self.float {
            true => wide,
            false => l.op("stablehlo.convert", &[wide], shape, &[]),
        }
    }

    fn widened(self, l: &mut Lowering<'_>, floats: Value, shape: &Shape) -> Value {
        let wide = shape.with_dtype(self.float);
        match shape.dtype() == self.float {
            true => floats,
            false => l.op("stablehlo.convert", &[floats], wide, &[]),
        }
    }

    /// Inverts all bits but the sign of negative floats, so that they count up; the mapping is its
    /// own inverse.
    fn turned(self, l: &mut Lowering<'_>, bits: Value, shape: &Shape) -> Value {
        let r#type = Type::from(shape);
        let last = l.full(shape, Number::Int(self.key.bits() as i64 - 1));
        let sign = l.op("stablehlo.shift_right_arithmetic", &[bits, last], r#type, &[]);
        let others = l.full(shape, Number::Int(!(-1i64 << (self.key.bits() - 1))));
        let turn = l.op("stablehlo.and", &[sign, others], r#type, &[]);
        l.op("stablehlo.xor", &[bits, turn], r#type, &[])
    }
}
