//! Gamma-distributed numbers.

use super::{
    Key,
    distribution::{above_minus_one, normal_of},
    threefry::{Words, threefry},
    uniform::{drawn_in, fitted, unit_of},
};
use crate::{DType, IntoDims, Operand, Tensor, while_loop};

#[hloom_derive::tensor_methods(key_gamma)]
impl Key {
    /// Gamma-distributed numbers of shape `a`, which is above 0, and scale 1; `a` is a number, or
    /// floats that broadcast to `dims`.
    ///
    /// `bf16` and `f16` are drawn in `f32` and rounded. They are drawn by rejection ([Marsaglia and
    /// Tsang 2000](https://doi.org/10.1145/358407.358414)), in a loop that ends when every element
    /// has been accepted; where `a` is below 1, as a draw for `a + 1` times a power of a uniform
    /// number.
    #[track_caller]
    pub fn gamma(self, dtype: DType, dims: impl IntoDims, a: impl Operand) -> Tensor {
        self.draw("gamma", dtype, dims, |dims| {
            let count: usize = dims.sizes().iter().product();
            let shape = fitted(a, Tensor::zeros(dtype, dims)).convert(drawn_in(dtype));
            let shape = shape.reshape([count]);
            let keys = self.hashes(dims).map(|words| words.reshape([count]));
            gammas(keys, shape).reshape(dims).convert(dtype)
        })
    }
}

/// A gamma-distributed number for each key and shape, all vectors.
#[track_caller]
fn gammas(keys: Words, shape: Tensor) -> Tensor {
    let dtype = shape.dtype();
    let is_large = shape.ge(1);
    let d = is_large.select(shape, shape + 1) - 1.0 / 3.0;
    let c = d.full_like(1.0 / 3.0) / d.sqrt();
    let is_rejected = |[square, cube, uniform]: [Tensor; 3]| {
        let squeeze = square * square * -0.0331 + 1;
        uniform.ge(squeeze) & uniform.log().ge(square * 0.5 + d * (cube * -1 + 1 + cube.log()))
    };
    let start = [d.zeros_like(), d.ones_like(), d.full_like(2)];
    let [keys, boost_keys, _] = children(keys);
    let (_, [_, cube, _]) = while_loop(
        (keys, start),
        |(_, drawn)| is_rejected(drawn).any(0),
        |(keys, drawn)| {
            let again = is_rejected(drawn);
            let [next_keys, normal_keys, uniform_keys] = children(keys);
            let next = attempt(normal_keys, uniform_keys, c);
            (
                [0, 1].map(|i| again.select(next_keys[i], keys[i])),
                [0, 1, 2].map(|i| again.select(next[i], drawn[i])),
            )
        },
    );
    let uniform = unit_of(first(boost_keys), dtype) * -1 + 1;
    let boost = is_large.select(d.ones_like(), uniform.pow(shape.ones_like() / shape));
    d * cube * boost
}

/// One attempt: the square of a normal number x, the cube of `1 + c x`, which is positive, and a
/// uniform number.
#[track_caller]
fn attempt(keys: Words, uniform_keys: Words, c: Tensor) -> [Tensor; 3] {
    let dtype = c.dtype();
    let (_, [x, v]) = while_loop(
        (keys, [c.zeros_like(), c.full_like(-1)]),
        |(_, [_, v])| v.le(0).any(0),
        |(keys, [x, v])| {
            let again = v.le(0);
            let [next, own, _] = children(keys);
            let unit = unit_of(first(own), dtype);
            let low = unit.full_like(above_minus_one(dtype));
            let new = normal_of(low.maximum(unit * (low * -1 + 1) + low));
            (
                [0, 1].map(|i| again.select(next[i], keys[i])),
                [again.select(new, x), again.select(new * c + 1, v)],
            )
        },
    );
    [x * x, v * v * v, unit_of(first(uniform_keys), dtype)]
}

/// The first three keys that each key is split into, by one hash.
#[track_caller]
fn children(keys: Words) -> [Words; 3] {
    let count = keys[0].shape().element_count();
    let index = Tensor::iota(DType::U32, [3, count], 0);
    let hashes = threefry(keys, [index.zeros_like(), index]);
    [0, 1, 2].map(|child| hashes.map(|words| words.index(0, child)))
}

/// The hash of the only element of a draw by each key.
#[track_caller]
fn first(keys: Words) -> Words {
    threefry(keys, [keys[0].zeros_like(); 2])
}
