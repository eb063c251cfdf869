//! Elementwise ops.

use crate::{
    Tensor, Unary,
    grad::{pull::Pull, tape::is_differentiable},
    op::{Binary, Clamp, Convert, ReducePrecision, Select},
};

type Cotangents = Vec<Option<Tensor>>;

pub(super) fn unary(pull: &Pull<'_>, op: Unary) -> Cotangents {
    let (g, x) = (pull.g(), pull.x(0));
    let y = || pull.y(0);
    let is_complex = x.dtype().is_complex();
    pull.one(match op {
        Unary::Abs if is_complex => {
            let modulus = y();
            let modulus = modulus.eq(0).select(modulus.full_like(1), modulus);
            let conjugate = x.real().complex(-x.imag());
            (g / modulus).convert(x.dtype()) * conjugate
        }
        Unary::Abs => x.ge(0).select(g, -g),
        Unary::Exp => g * y(),
        // `y + 1` would lose the digits of a y next to -1.
        Unary::ExpM1 => g * x.exp(),
        Unary::Log => g / x,
        Unary::Log1p => g / (x + 1),
        Unary::Sqrt => g * (x.full_like(0.5) / y()),
        Unary::Rsqrt => g * (y() / x * -0.5),
        Unary::Cbrt => {
            let y = y();
            g * (x.full_like(1.0 / 3.0) / (y * y))
        }
        Unary::Sin => g * x.cos(),
        Unary::Cos => -(g * x.sin()),
        Unary::Tan => {
            let y = y();
            g * (y * y + 1)
        }
        Unary::Tanh if is_complex => {
            let y = y();
            (g + g * y) * (1 - y)
        }
        // `1 - y` would lose the digits of a y next to 1, here and below.
        Unary::Tanh => {
            let decay = (x.abs() * -2).exp();
            let sum = decay + 1;
            g * (decay * 4 / (sum * sum))
        }
        Unary::Logistic => g * (y() * (-x).sigmoid()),
        Unary::Erf => g * ((-(x * x)).exp() * std::f64::consts::FRAC_2_SQRT_PI),
        Unary::Real if is_complex => g.complex(g.full_like(0)),
        Unary::Imag if is_complex => g.full_like(0).complex(-g),
        Unary::Real => g,
        Unary::Neg => -g,
        // Constant almost everywhere, or of other types.
        Unary::Sign
        | Unary::Imag
        | Unary::Floor
        | Unary::Ceil
        | Unary::Round
        | Unary::RoundEven
        | Unary::IsFinite
        | Unary::CountLeadingZeros
        | Unary::PopulationCount
        | Unary::Not => return Vec::new(),
    })
}

/// The part of a cotangent that a maximum or minimum `y` of `x` and `other` passes on to `x`: half
/// of it where both are equal.
fn share(x: Tensor, y: Tensor, other: Tensor) -> Tensor {
    let one = y.full_like(1);
    let count = other.eq(y).select(y.full_like(2), one);
    x.eq(y).select(one, y.full_like(0)) / count
}

pub(super) fn binary(pull: &Pull<'_>, op: Binary) -> Cotangents {
    let (g, x, y) = (pull.g(), pull.x(0), pull.x(1));
    let result = || pull.y(0);
    match op {
        Binary::Add => pull.two(|| g, || g),
        Binary::Sub => pull.two(|| g, || -g),
        Binary::Mul => pull.two(|| g * y, || g * x),
        // The square of a large or a small y would be infinite or 0.
        Binary::Div => pull.two(|| g / y, || -(g * (result() / y))),
        Binary::Rem => {
            let quotient = || {
                let quotient = x / y;
                quotient.sign() * quotient.abs().floor()
            };
            pull.two(|| g, || -g * quotient())
        }
        Binary::Pow => {
            // A constant power of 0 has no part that could be NaN.
            let of_base = || {
                let is_zero = y.eq(0);
                let power = is_zero.select(y.full_like(1), y - 1);
                g * is_zero.select(y, y * x.pow(power))
            };
            let of_exponent = || {
                let base = x.eq(0).select(x.full_like(1), x);
                g * (base.log() * result())
            };
            pull.two(of_base, of_exponent)
        }
        Binary::Maximum | Binary::Minimum => {
            pull.two(|| g * share(x, result(), y), || g * share(y, result(), x))
        }
        Binary::Atan2 if x.dtype().is_complex() => {
            let scaled = || g / (x * x + y * y);
            pull.two(|| scaled() * y, || -(scaled() * x))
        }
        Binary::Atan2 => {
            // By the quotient of the smaller and the larger one, which have no large or small
            // squares.
            let is_steep = x.abs().gt(y.abs());
            let larger = is_steep.select(x, y);
            let quotient = is_steep.select(y, x) / larger;
            let scaled = g / (larger * (quotient * quotient + 1));
            let small = scaled * quotient;
            pull.two(|| is_steep.select(small, scaled), || -is_steep.select(scaled, small))
        }
        Binary::Complex => pull.two(|| g.real(), || -g.imag()),
        Binary::NextAfter => pull.refuse("has no derivative"),
        Binary::ShiftLeft
        | Binary::ShiftRightArithmetic
        | Binary::ShiftRightLogical
        | Binary::And
        | Binary::Or
        | Binary::Xor => Vec::new(),
    }
}

pub(super) fn select(pull: &Pull<'_>, _: Select) -> Cotangents {
    let (g, condition) = (pull.g(), pull.x(0));
    let zero = g.full_like(0);
    let on_true = pull.wants(1).then(|| condition.select(g, zero));
    let on_false = pull.wants(2).then(|| condition.select(zero, g));
    vec![None, on_true, on_false]
}

pub(super) fn clamp(pull: &Pull<'_>, _: Clamp) -> Cotangents {
    let (g, [low, x, high]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
    let zero = g.full_like(0);
    vec![
        pull.wants(0).then(|| low.gt(x).select(g, zero)),
        pull.wants(1).then(|| (x.gt(low) & x.lt(high)).select(g, zero)),
        pull.wants(2).then(|| high.lt(x).select(g, zero)),
    ]
}

pub(super) fn convert(pull: &Pull<'_>, _: Convert) -> Cotangents {
    let (g, dtype) = (pull.g(), pull.shape(0).dtype());
    if !is_differentiable(dtype) {
        return Vec::new();
    }
    let part = if g.dtype().is_complex() && !dtype.is_complex() { g.real() } else { g };
    pull.one(part.convert(dtype))
}

pub(super) fn reduce_precision(pull: &Pull<'_>, op: ReducePrecision) -> Cotangents {
    pull.one(crate::record(op, &[pull.g()])[0])
}
