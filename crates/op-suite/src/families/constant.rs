//! Constants.

use crate::{EXACT, Row, rows};
use half::{bf16, f16};
use hloom::prelude::*;
use num_complex::Complex;

/// An element type's smallest and largest integers around 0 and 1.
macro_rules! integers {
    ($type:ty) => {
        Tensor::constant(&[<$type>::MIN, 0, 1, <$type>::MAX], [4])
    };
}

/// Floats that are easily altered.
macro_rules! floats {
    ($type:ty) => {{
        let values = [0.0, -0.0, 1.5, -2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        Tensor::constant(&values.map(<$type>::from_f64), [7])
    }};
}

macro_rules! complex {
    ($part:ty) => {{
        let values = [(0.5, -1.5), (0.0, -0.0), (<$part>::INFINITY, 2.0)];
        Tensor::constant(&values.map(|(re, im)| Complex::<$part>::new(re, im)), [3])
    }};
}

/// `from_f64` for Rust's own floats, as in `half`.
trait FromF64 {
    fn from_f64(value: f64) -> Self;
}
impl FromF64 for f32 {
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}
impl FromF64 for f64 {
    fn from_f64(value: f64) -> f64 {
        value
    }
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "zeros", EXACT, [x] => Tensor::zeros(x.dtype(), x.shape().axes());
        "ones", EXACT, [x] => Tensor::ones(x.dtype(), x.shape().axes());
        "full 1.5", EXACT, [x] => Tensor::full(1.5, x.dtype(), x.shape().axes());
        "full lowest", EXACT, [x] => Tensor::scalar(-1i64 << (x.dtype().bits() - 1), x.dtype());
        "full_like 2", EXACT, [x] => x.full_like(2);
        "scalar", EXACT, [] => (
            Tensor::scalar(-7, DType::I32),
            Tensor::scalar(2.5, DType::F64),
            Tensor::scalar(true, DType::Bool),
        );
        "iota 0", EXACT, [x] => Tensor::iota(x.dtype(), x.shape().axes(), 0);
        "iota 1", EXACT, [x] => Tensor::iota(x.dtype(), x.shape().axes(), -1);
        "arange 7", EXACT, [] => Tensor::arange(DType::I64, "n", 7);
        "values i8", EXACT, [] => integers!(i8);
        "values i16", EXACT, [] => integers!(i16);
        "values i32", EXACT, [] => integers!(i32);
        "values i64", EXACT, [] => integers!(i64);
        "values u8", EXACT, [] => integers!(u8);
        "values u16", EXACT, [] => integers!(u16);
        "values u32", EXACT, [] => integers!(u32);
        "values u64", EXACT, [] => integers!(u64);
        "values bf16", EXACT, [] => floats!(bf16);
        "values f16", EXACT, [] => floats!(f16);
        "values f32", EXACT, [] => floats!(f32);
        "values f64", EXACT, [] => floats!(f64);
        "values c64", EXACT, [] => complex!(f32);
        "values c128", EXACT, [] => complex!(f64);
        "values bool", EXACT, [] => Tensor::constant(&[true, false, false, true], [2, 2]);
        "values none", EXACT, [] => Tensor::constant::<f32>(&[], [3, 0]);
        "values many", EXACT, [] => {
            let values: Vec<i32> = (0..3000).map(|i| i * i % 1009).collect();
            Tensor::constant(&values, [30, 100])
        };
    ])
}
