//! Elementwise ops and constants.

use super::{Mistake, OpProgram, each};
use half::bf16;
use hloom_graph::{DType, Spec, Tensor};

pub fn constants() -> Vec<OpProgram> {
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

pub fn unary() -> Vec<OpProgram> {
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

pub fn bits() -> Vec<OpProgram> {
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

pub fn complex() -> Vec<OpProgram> {
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

pub fn binary() -> Vec<OpProgram> {
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
pub fn integers() -> Vec<OpProgram> {
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

pub fn compare() -> Vec<OpProgram> {
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

/// A wrong call of each op.
#[expect(clippy::eq_op, reason = "the operands are wrong for the op, equal or not")]
pub const MISTAKES: &[Mistake] = &[
    ("abs", |a| a.b.abs()),
    ("neg", |a| -a.b),
    ("sign", |a| a.b.sign()),
    ("exp", |a| a.i.exp()),
    ("exp_m1", |a| a.i.exp_m1()),
    ("log", |a| a.i.log()),
    ("log1p", |a| a.i.log1p()),
    ("sqrt", |a| a.i.sqrt()),
    ("rsqrt", |a| a.i.rsqrt()),
    ("cbrt", |a| a.c.cbrt()),
    ("sin", |a| a.i.sin()),
    ("cos", |a| a.i.cos()),
    ("tan", |a| a.i.tan()),
    ("tanh", |a| a.i.tanh()),
    ("sigmoid", |a| a.i.sigmoid()),
    ("erf", |a| a.c.erf()),
    ("floor", |a| a.c.floor()),
    ("ceil", |a| a.c.ceil()),
    ("round", |a| a.c.round()),
    ("round_even", |a| a.c.round_even()),
    ("is_finite", |a| a.b.is_finite()),
    ("convert", |a| a.c.convert(DType::F32)),
    ("bitcast", |a| a.x.bitcast(DType::F64)),
    ("reduce_precision", |a| a.x.reduce_precision(0, 7)),
    ("not", |a| !a.x),
    ("count_leading_zeros", |a| a.x.count_leading_zeros()),
    ("population_count", |a| a.b.population_count()),
    ("population_count_narrow", |a| a.x.population_count()),
    ("and", |a| a.x & a.x),
    ("or", |a| a.x | a.x),
    ("xor", |a| a.x ^ a.x),
    ("shift_left", |a| a.x.shift_left(2)),
    ("shift_right_arithmetic", |a| a.x.shift_right_arithmetic(2)),
    ("shift_right_logical", |a| a.b.shift_right_logical(2)),
    ("complex", |a| a.x.complex(a.i)),
    ("real", |a| a.i.real()),
    ("imag", |a| a.i.imag()),
    ("add", |a| a.x + a.x.rename("column", "in").dot(a.w, "in")),
    ("add_bool", |a| a.b + a.u),
    ("sub", |a| a.b - a.b),
    ("mul", |a| a.x * a.i),
    ("div", |a| a.b / a.b),
    ("div_integer", |a| a.i / a.x),
    ("rem", |a| a.c % a.c),
    ("pow", |a| a.x.pow(a.i)),
    ("pow_integer", |a| a.b.pow(a.b)),
    ("maximum", |a| a.x.maximum(a.w)),
    ("minimum", |a| a.x.minimum(a.u)),
    ("atan2", |a| a.i.atan2(a.i)),
    ("next_after", |a| a.i.next_after(a.i)),
    ("ne", |a| a.x.ne(a.i)),
    ("lt", |a| a.c.lt(a.c)),
    ("le", |a| a.c.le(a.c)),
    ("gt", |a| a.x.gt(a.w)),
    ("ge", |a| a.x.ge(a.u)),
    ("select", |a| a.x.select(a.x, a.x)),
    ("clamp", |a| a.x.clamp(a.i, a.i)),
    ("clamp_bool", |a| a.b.clamp(0, 1)),
    ("constant", |_| Tensor::constant(&[1f32, 2.], [3])),
    ("splat", |_| Tensor::full(300, DType::U8, [2])),
    ("iota", |_| Tensor::iota(DType::Bool, [2], 0)),
];
