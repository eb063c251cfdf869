//! Elementwise ops and constants.

use super::{Program, each};
use half::bf16;
use hloom_graph::{DType, Spec, Tensor};

pub fn constants() -> Vec<Program> {
    each(
        &[],
        &[
            ("constant", |_| {
                vec![
                    Tensor::constant(&[1.5f32, -2.0, f32::NAN, f32::INFINITY], [2, 2]),
                    Tensor::constant(&[true, false, true], [3]),
                    Tensor::constant(&[u64::MAX, 0], [2]),
                    Tensor::constant(&[bf16::ONE], [1]),
                    Tensor::constant(&[num_complex::Complex::new(1f32, -1.0); 2], [2]),
                    Tensor::constant(&[0i32; 0], [0, 3]),
                ]
            }),
            ("splat", |_| {
                vec![
                    Tensor::full(-1, DType::I4, [5]),
                    Tensor::full(0.5, DType::F8E4M3FN, [5]),
                    Tensor::scalar(true, DType::Bool),
                    Tensor::full(7, DType::U8, [0]),
                ]
            }),
            ("iota", |_| vec![Tensor::iota(DType::I32, [2, 3], 1)]),
        ],
    )
}

pub fn unary() -> Vec<Program> {
    each(
        &[Spec::f32([4])],
        &[
            ("abs", |x| vec![x[0].abs()]),
            ("neg", |x| vec![-x[0]]),
            ("sign", |x| vec![x[0].sign()]),
            ("exp", |x| vec![x[0].exp()]),
            ("exp_m1", |x| vec![x[0].exp_m1()]),
            ("log", |x| vec![x[0].log()]),
            ("log1p", |x| vec![x[0].log1p()]),
            ("sqrt", |x| vec![x[0].sqrt()]),
            ("rsqrt", |x| vec![x[0].rsqrt()]),
            ("cbrt", |x| vec![x[0].cbrt()]),
            ("sin", |x| vec![x[0].sin()]),
            ("cos", |x| vec![x[0].cos()]),
            ("tan", |x| vec![x[0].tan()]),
            ("tanh", |x| vec![x[0].tanh()]),
            ("sigmoid", |x| vec![x[0].sigmoid()]),
            ("erf", |x| vec![x[0].erf()]),
            ("floor", |x| vec![x[0].floor()]),
            ("ceil", |x| vec![x[0].ceil()]),
            ("round", |x| vec![x[0].round()]),
            ("round_even", |x| vec![x[0].round_even()]),
            ("is_finite", |x| vec![x[0].is_finite()]),
            ("convert", |x| vec![x[0].convert(DType::BF16)]),
            ("bitcast", |x| vec![x[0].bitcast(DType::U32)]),
            ("reduce_precision", |x| vec![x[0].reduce_precision(8, 7)]),
        ],
    )
}

pub fn bits() -> Vec<Program> {
    each(
        &[Spec::u32([4]), Spec::bool([4])],
        &[
            ("not", |x| vec![!x[0], !x[1]]),
            ("count_leading_zeros", |x| vec![x[0].count_leading_zeros()]),
            ("population_count", |x| vec![x[0].population_count()]),
            ("and", |x| vec![x[0] & 6u32]),
            ("or", |x| vec![x[0] | 1u32]),
            ("xor", |x| vec![x[1] ^ !x[1]]),
            ("shift_left", |x| vec![x[0].shift_left(2)]),
            ("shift_right_arithmetic", |x| vec![x[0].shift_right_arithmetic(2)]),
            ("shift_right_logical", |x| vec![x[0].shift_right_logical(2)]),
        ],
    )
}

pub fn complex() -> Vec<Program> {
    each(
        &[Spec::f64([2]), Spec::f64([2])],
        &[
            ("complex", |x| {
                let z = x[0].complex(x[1]);
                vec![z * z, z.abs(), z.sum(0), z.prod(0), z.maximum(z + 1)]
            }),
            ("real", |x| vec![x[0].complex(x[1]).real(), x[0].real()]),
            ("imag", |x| vec![x[0].complex(x[1]).imag(), x[0].imag()]),
        ],
    )
}

pub fn binary() -> Vec<Program> {
    each(
        &[Spec::f32([("n", 4), ("m", 3)]), Spec::f32([("m", 3)])],
        &[
            ("add", |x| vec![x[0] + x[1]]),
            ("sub", |x| vec![x[0] - x[1]]),
            ("mul", |x| vec![x[0] * 2.0]),
            ("div", |x| vec![1.0 / x[0]]),
            ("rem", |x| vec![x[0] % x[1]]),
            ("pow", |x| vec![x[0].pow(x[1])]),
            ("maximum", |x| vec![x[0].maximum(x[1])]),
            ("minimum", |x| vec![x[0].minimum(0)]),
            ("atan2", |x| vec![x[0].atan2(x[1])]),
            ("next_after", |x| vec![x[0].next_after(x[1])]),
        ],
    )
}

/// Integers and `bool`, for which plugins need passes.
pub fn integers() -> Vec<Program> {
    each(
        &[Spec::i32([4]), Spec::bool([4]), Spec::new(DType::I4, [4])],
        &[
            ("add_bool", |x| vec![x[1] + x[1], x[1] * x[1]]),
            ("div_integer", |x| vec![x[0] / (x[0] + 1), x[0] % 3]),
            ("pow_integer", |x| vec![x[0].pow(x[0]), x[0].pow(3)]),
            ("clamp_bool", |x| vec![x[1].clamp(false, true)]),
            ("population_count_narrow", |x| vec![x[2].population_count()]),
        ],
    )
}

pub fn compare() -> Vec<Program> {
    each(
        &[Spec::f32([4]), Spec::i32([4]), Spec::u8([4]), Spec::bool([4])],
        &[
            ("eq", |x| vec![x[0].eq(0.0)]),
            ("ne", |x| vec![x[0].ne(x[0])]),
            ("lt", |x| vec![x[1].lt(3)]),
            ("le", |x| vec![x[1].le(3)]),
            ("gt", |x| vec![x[2].gt(3)]),
            ("ge", |x| vec![x[3].ge(false)]),
            ("select", |x| vec![x[3].select(x[0], -1.0)]),
            ("clamp", |x| vec![x[0].clamp(0.0, 1.0)]),
        ],
    )
}
