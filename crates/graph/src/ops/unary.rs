//! Elementwise unary ops.

use super::{elementwise::CONVERT, special::erf_slope};
use crate::{
    DType, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    takes::Takes,
    trace::{Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt,
    hash::Hasher,
    ops::{Neg, Not},
};

/// Generates [`Unary`] and the methods of [`Tensor`]: name of the method, variant, and the accepted
/// element types.
macro_rules! unary {
    (
        methods { $($(#[$doc:meta])* $method:ident $variant:ident $takes:ident,)* }
        operators { $($name:literal $operator:ident $operator_takes:ident,)* }
    ) => {
        /// An elementwise unary op.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Unary {
            $($(#[$doc])* $variant,)*
            $(#[doc = concat!("The operator `", $name, "`.")] $operator,)*
        }

        impl Unary {
            /// Every unary op.
            pub const ALL: &[Unary] = &[$(Unary::$variant,)* $(Unary::$operator,)*];

            /// The name of the method of `Tensor`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Unary::$variant => stringify!($method),)*
                    $(Unary::$operator => $name,)*
                }
            }

            const fn takes(self) -> Takes {
                match self {
                    $(Unary::$variant => Takes::$takes,)*
                    $(Unary::$operator => Takes::$operator_takes,)*
                }
            }
        }

        /// Elementwise unary ops. The result has the operand's shape.
        ///
        /// Errors are in units in the last place (ulps) of the exact result, as measured on CPUs;
        /// other platforms may differ. `bf16` and `f16` are computed in `f32` and rounded, which is
        /// 1 ulp at most, 2 for `sigmoid`. Operands and results below the normal numbers may be
        /// flushed to 0.
        #[hloom_derive::tensor_methods(unary)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self) -> Tensor {
                apply_unary(Unary::$variant, self)
            }
        )* }
    };
}

unary! {
    methods {
    /// The absolute value; for complex numbers the modulus, of the real type.
    abs Abs Signed,
    /// -1, 0 or 1 by the sign; NaN stays NaN. For complex numbers, x / |x|.
    sign Sign Signed,
    /// e to the power of x. At most 5 ulps in `f32`, most of them close to overflow, and 5 in
    /// `f64`.
    exp Exp FloatOrComplex,
    /// e to the power of x, minus 1, exact near 0.
    #[doc(alias = "exponentialMinusOne")]
    exp_m1 ExpM1 FloatOrComplex,
    /// The natural logarithm.
    log Log FloatOrComplex,
    /// The natural logarithm of 1 + x, exact near 0.
    log1p Log1p FloatOrComplex,
    /// The square root.
    sqrt Sqrt FloatOrComplex,
    /// 1 over the square root.
    rsqrt Rsqrt FloatOrComplex,
    /// The cube root.
    cbrt Cbrt Float,
    /// The sine.
    sin Sin FloatOrComplex,
    /// The cosine.
    cos Cos FloatOrComplex,
    /// The tangent.
    tan Tan FloatOrComplex,
    /// The hyperbolic tangent, between -1 and 1, and equal to them far from 0. At most 5 ulps in
    /// `f32` and 6 in `f64`.
    tanh Tanh FloatOrComplex,
    /// The logistic function, 1 / (1 + e^-x), between 0 and 1. At most 3 ulps in `f32` and `f64`.
    #[doc(alias = "logistic")]
    sigmoid Logistic FloatOrComplex,
    /// The error function, between -1 and 1; exactly ±1 from the point where it rounds to them, in
    /// `f32` for |x| >= 3.919206. At most 6 ulps in `f32` and `f64`.
    erf Erf Float,
    /// The largest integer not above x.
    floor Floor Float,
    /// The smallest integer not below x.
    ceil Ceil Float,
    /// Rounds to the nearest integer; ties away from zero.
    round Round Float,
    /// Rounds to the nearest integer; ties to even.
    #[doc(alias = "roundNearestEven")]
    round_even RoundEven Float,
    /// Whether x is neither infinite nor NaN, as `bool`.
    is_finite IsFinite Float,
    /// The number of leading zero bits.
    #[doc(alias = "clz")]
    count_leading_zeros CountLeadingZeros Int,
    /// The number of one bits.
    population_count PopulationCount Int,
    /// The real part, of the real type.
    real Real FloatOrComplex,
    /// The imaginary part, of the real type; 0 for real numbers.
    imag Imag FloatOrComplex,
    }
    operators {
    "neg" Neg Number,
    "not" Not Logic,
    }
}

#[track_caller]
fn apply_unary(op: Unary, operand: Tensor) -> Tensor {
    apply(op.name(), &[operand], |_| Ok(op))
}

impl Definition for Unary {
    fn name(&self) -> &'static str {
        Unary::name(*self)
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let instead = if *self == Unary::Neg { "`!`" } else { CONVERT };
        self.takes().check(operand.dtype(), instead)?;
        let dtype = match self {
            Unary::IsFinite => DType::Bool,
            Unary::Abs | Unary::Real | Unary::Imag => operand.dtype().real(),
            Unary::Sign
            | Unary::Exp
            | Unary::ExpM1
            | Unary::Log
            | Unary::Log1p
            | Unary::Sqrt
            | Unary::Rsqrt
            | Unary::Cbrt
            | Unary::Sin
            | Unary::Cos
            | Unary::Tan
            | Unary::Tanh
            | Unary::Logistic
            | Unary::Erf
            | Unary::Floor
            | Unary::Ceil
            | Unary::Round
            | Unary::RoundEven
            | Unary::CountLeadingZeros
            | Unary::PopulationCount
            | Unary::Neg
            | Unary::Not => operand.dtype(),
        };
        one(operand.with_dtype(dtype))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.name().as_bytes());
    }
}

plain!(Unary);
as_it_is!(Unary);

/// For short floats, slopes are computed in `f32`: several roundings in the short type would cause
/// errors of several units.
impl Vjp for Unary {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let dtype = pull.x(0).dtype();
        let is_exact = matches!(self, Unary::Abs | Unary::Real | Unary::Imag | Unary::Neg);
        let wide = |x: Tensor| if is_exact { x } else { x.at_least_f32() };
        let (g, x) = (wide(pull.g()), wide(pull.x(0)));
        let y = || if x.dtype() == dtype { pull.y(0) } else { record(*self, &[x])[0] };
        let is_complex = dtype.is_complex();
        let cotangent = match self {
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
            Unary::Tan if is_complex => g * secant_squared(x),
            Unary::Tan => {
                let y = y();
                g * (y * y + 1)
            }
            // The hyperbolic cosine of x is the cosine of `i x`.
            Unary::Tanh if is_complex => g * secant_squared((-x.imag()).complex(x.real())),
            // `1 - y` would lose the digits of a y next to 1, here and below.
            Unary::Tanh => {
                let decay = (x.abs() * -2).exp();
                let sum = decay + 1;
                g * (decay * 4 / (sum * sum))
            }
            // The slope is a quarter of the squared hyperbolic secant of x / 2.
            Unary::Logistic if is_complex => {
                let half = (x.imag() * -0.5).complex(x.real() * 0.5);
                g * (secant_squared(half) * 0.25)
            }
            Unary::Logistic => g * (y() * (-x).sigmoid()),
            Unary::Erf => g * erf_slope(x),
            Unary::Real if is_complex => g.complex(g.full_like(0)),
            Unary::Imag if is_complex => g.full_like(0).complex(-g),
            Unary::Real => g,
            Unary::Neg => -g,
            // These functions are constant almost everywhere, or have results of other types.
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
        };
        pull.one(cotangent.convert(dtype))
    }
}

/// 1 over the squared cosine of complex numbers: `1 + tan²` would lose the digits of a tangent next
/// to i, far from the real axis. The cosine of the bounded operand is finite.
fn secant_squared(x: Tensor) -> Tensor {
    let bound = if x.dtype() == DType::C128 { 500 } else { 70 };
    let cosine = x.real().complex(x.imag().clamp(-bound, bound)).cos();
    let secant = cosine.full_like(1) / cosine;
    secant * secant
}

impl Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        apply_unary(Unary::Neg, self)
    }
}

impl Not for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn not(self) -> Tensor {
        apply_unary(Unary::Not, self)
    }
}
