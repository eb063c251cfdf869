//! Random integers and permutations.

use super::{Key, threefry::random_bits};
use crate::{
    Axis, DType, IntoDims, Operand, Tensor,
    ops::{broadcast::rename, sort_together},
    takes::Takes,
    tensor::Number,
    trace::{OpError, emit, function_scope, shape_of},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(integer)]
impl Key {
    /// Integers from `low`, included, to `high`, excluded; `low` where it is not below `high`. The
    /// limits are integers, or integer tensors that broadcast to `dims`, of any type: `high` may be
    /// one more than the largest of `dtype`, which has 8 bits or more.
    ///
    /// As in JAX, a number is the remainder of random bits of twice the width of the type, at least
    /// 64. If the size of the range is not a power of two, the numbers are almost, not exactly,
    /// equally likely.
    #[track_caller]
    pub fn randint(
        self,
        dtype: DType,
        dims: impl IntoDims,
        low: impl Operand,
        high: impl Operand,
    ) -> Tensor {
        function_scope("randint", || {
            let is_legal = dtype.is_int() && dtype.bits() >= 8;
            let legal = (is_legal, "integers of 8 to 64 bits");
            let Some(dims) = self.dims_of("randint", dtype, legal, dims) else {
                return Tensor::poisoned();
            };
            let one = Tensor::scalar(1, if dtype == DType::U64 { dtype } else { DType::I64 });
            let limits = [low.like(one), high.like(one)];
            let checked = emit("randint", &limits, Location::caller(), |_, s, _| {
                s.iter().try_for_each(|s| Takes::Int.check(s.dtype(), "`.convert(..)`"))
            });
            if checked.is_none() {
                return Tensor::poisoned();
            }
            // Scalars stay scalars, so that the compiler computes all that depends on them only
            // once.
            let [low, high] = limits.map(|limit| match limit.rank() {
                0 => limit,
                _ => limit.broadcast_to(dims),
            });
            let sampled = if dtype.bits() < 32 { DType::I32 } else { dtype };
            let [low, high] = if dtype.bits() < 32 {
                let (least, most) = extremes(dtype);
                let wide = [low, high].map(|limit| limit.convert(DType::I32));
                [limited(wide[0], least, most), limited(wide[1], least, most + 1)]
            } else {
                [low, high]
            };
            let most = extremes(sampled).1.min(extremes(high.dtype()).1);
            let is_beyond = high.gt(integer(most, high));
            let [low, high] = [low, high].map(|limit| clipped(limit, sampled));
            let word = unsigned(sampled);
            let some = high.gt(low);
            let span = (high - low).convert(word);
            let span = some.select(span, span.ones_like());
            // The span of all values of the type wraps around to 0: the remainder by 0 is the
            // number itself.
            let span = (is_beyond & some).select(span + 1, span);
            let half = integer(1 << (word.bits() / 2), span) % span;
            let multiplier = half * half % span;
            let (higher, lower) = self.split2();
            let [higher, lower] = [higher, lower].map(|key| random_bits(key.0, word, dims));
            let offset = (higher % span * multiplier + lower % span) % span;
            (low + offset.convert(sampled)).convert(dtype)
        })
    }

    /// The numbers from 0, in random order, as `i32` along the only axis of `dims`.
    #[track_caller]
    pub fn permutation(self, dims: impl IntoDims) -> Tensor {
        function_scope("permutation", || {
            let dims = self.dims_of("permutation", DType::I32, (true, ""), dims);
            let Some(dims) = dims else { return Tensor::poisoned() };
            let checked =
                emit("permutation", &[], Location::caller(), |_, _, _| match dims.sizes().len() {
                    1 => Ok(()),
                    rank => Err(OpError(format!("a permutation has one axis, not {rank}"))),
                });
            match checked {
                Some(()) => self.sorted(Tensor::iota(DType::I32, dims, 0), 0.into()),
                None => Tensor::poisoned(),
            }
        })
    }

    /// `x` with the elements along an axis in random order, the same for all other axes: JAX's
    /// `permutation(key, x, axis)`.
    #[track_caller]
    pub fn shuffle(self, x: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("shuffle", || {
            let Some(size) = self.size_along("shuffle", x, axis) else {
                return Tensor::poisoned();
            };
            if x.rank() == 1 {
                return self.sorted(x, axis);
            }
            let order = self.sorted(Tensor::iota(DType::I32, [size], 0), 0.into());
            let taken = x.take(order, axis);
            let named = emit("shuffle", &[x, taken], Location::caller(), |builder, s, v| {
                rename(builder, v[1], s[0].axes())
            });
            Tensor::or_poisoned(named)
        })
    }

    /// `x` with the elements along an axis in random order, independently for each position of the
    /// other axes: JAX's `permutation(key, x, axis, independent=True)`.
    #[track_caller]
    pub fn shuffle_each(self, x: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("shuffle_each", || match self.size_along("shuffle_each", x, axis) {
            Some(_) => self.sorted(x, axis),
            None => Tensor::poisoned(),
        })
    }

    #[track_caller]
    fn size_along(self, op: &'static str, x: Tensor, axis: Axis) -> Option<usize> {
        self.dims_of(op, DType::U32, (true, ""), [0usize; 0])?;
        emit(op, &[x], Location::caller(), |_, s, _| Ok(s[0].sizes()[s[0].position(axis)?]))
    }

    /// The elements sorted along an axis by random keys, as many times as needed to make ties
    /// between keys negligible.
    #[track_caller]
    fn sorted(self, x: Tensor, axis: Axis) -> Tensor {
        let Some(shape) = shape_of(x) else { return x };
        let count = shape.element_count().max(1) as f64;
        let rounds = (3.0 * count.ln() / f64::from(u32::MAX).ln()).ceil() as usize;
        let (mut key, mut x) = (self, x);
        for _ in 0..rounds {
            let (next, own) = key.split2();
            let order = random_bits(own.0, DType::U32, shape.axes());
            (key, x) = (next, sort_together(&[order, x], axis, false)[1]);
        }
        x
    }
}

/// The smallest and the largest value of an integer type.
fn extremes(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits() as u32;
    if dtype.is_signed_int() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// The unsigned type of the width of an integer type of 32 or 64 bits.
fn unsigned(dtype: DType) -> DType {
    if dtype.bits() == 64 { DType::U64 } else { DType::U32 }
}

/// An integer constant with the shape and type of `other`.
#[track_caller]
fn integer(value: i128, other: Tensor) -> Tensor {
    Number::Int(value).splat("randint", &[other], other.shape())
}

#[track_caller]
fn limited(x: Tensor, least: i128, most: i128) -> Tensor {
    x.clamp(integer(least, x), integer(most, x))
}

/// Integers converted to another type, clamped to its range.
#[track_caller]
fn clipped(x: Tensor, dtype: DType) -> Tensor {
    let (own, other) = (extremes(x.dtype()), extremes(dtype));
    limited(x, own.0.max(other.0), own.1.min(other.1)).convert(dtype)
}
