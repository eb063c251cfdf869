//! Threefry-2x32, a hash of two counters under a key, and the counters of the elements of a tensor.

use super::key::pair;
use crate::{Attributes, DType, Dims, Tensor, op::OwnComposite};

/// Two `u32` tensors: a key or two counters, for one hash or many.
pub(super) type Words = [Tensor; 2];

/// The rotations of the rounds, which alternate in groups of four.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// The parity constant of the key schedule.
const PARITY: u32 = 0x1BD1_1BDA;

/// The hash of 20 rounds ([Salmon et al. 2011](https://doi.org/10.1145/2063384.2063405)) of
/// counters under a key, element by element.
///
/// The rounds are unrolled: as one fusion they compile and run several times faster on CPUs than a
/// loop, whose every step would write all elements to memory.
#[track_caller]
pub(super) fn threefry(key: Words, counters: Words) -> Words {
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ PARITY];
    let mut x = [counters[0] + key[0], counters[1] + key[1]];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x[0] = x[0] + x[1];
            x[1] = x[0] ^ rotated(x[1], rotation);
        }
        let [first, second] = [1, 2].map(|next| schedule[(group + next) % 3]);
        x = [x[0] + first, x[1] + (second + (group + 1))];
    }
    x
}

/// The bits rotated to the left.
#[track_caller]
fn rotated(x: Tensor, count: u32) -> Tensor {
    x.shift_left(count) | x.shift_right_logical(32 - count)
}

/// The position of each element in row-major order, as 64 bits: the higher and the lower half.
#[track_caller]
fn counters(dims: Dims) -> Words {
    let count: usize = dims.sizes().iter().product();
    let zeros = Tensor::zeros(DType::U32, dims);
    if count == 0 {
        return [zeros; 2];
    }
    // Most tensors have few enough elements for the lower half: then no 64-bit numbers are needed.
    let is_small = u32::try_from(count).is_ok();
    let dtype = if is_small { DType::U32 } else { DType::U64 };
    let mut position = Tensor::zeros(dtype, dims);
    let mut stride = 1usize;
    for (axis, &size) in dims.sizes().iter().enumerate().rev() {
        if size > 1 {
            position = position + Tensor::iota(dtype, dims, axis) * stride;
        }
        stride *= size;
    }
    if is_small {
        [zeros, position]
    } else {
        [position.shift_right_logical(32), position].map(|half| half.convert(DType::U32))
    }
}

/// A hash for each element of `dims` under a key of two scalars.
#[track_caller]
pub(super) fn hashes(key: Words, dims: Dims) -> Words {
    threefry(key, counters(dims))
}

/// The random bits of a hash: `u64`, or `u8`, `u16` or `u32`.
#[track_caller]
pub(super) fn hash_bits([high, low]: Words, dtype: DType) -> Tensor {
    match dtype {
        DType::U64 => high.convert(dtype).shift_left(32) | low.convert(dtype),
        _ => (high ^ low).convert(dtype),
    }
}

/// Random bits of an unsigned type for each element of `dims` under a key of `u32[2]`, as the
/// composite `hloom.random_bits`.
#[track_caller]
pub(super) fn random_bits(key: Tensor, dtype: DType, dims: Dims) -> Tensor {
    // The composite has no axis names, so that draws of the same sizes share one body.
    let attributes = of_sizes(dims).with("bits", dtype.bits() as i64);
    let bits = OwnComposite::RANDOM_BITS
        .call(1, attributes, &[key], |key| hash_bits(hashes(pair(key[0]), unnamed(dims)), dtype));
    bits.broadcast_to(dims)
}

/// A key for each element of `dims`, along a last axis of size 2, as the composite
/// `hloom.random_keys`.
#[track_caller]
pub(super) fn random_keys(key: Tensor, dims: Dims) -> Tensor {
    OwnComposite::RANDOM_KEYS.call(1, of_sizes(dims), &[key], |key| {
        let [high, low] = hashes(pair(key[0]), unnamed(dims)).map(|x| x.insert_axis(-1, "_"));
        crate::concatenate(&[high, low], -1)
    })
}

fn of_sizes(dims: Dims) -> Attributes {
    let sizes: Vec<i64> = dims.sizes().iter().map(|&size| size as i64).collect();
    Attributes::new().with("sizes", sizes)
}

fn unnamed(dims: Dims) -> Dims {
    Dims::new(dims.sizes().iter().map(|&size| (None, size))).expect("fewer names are sound too")
}
