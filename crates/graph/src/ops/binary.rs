//! Elementwise binary ops.

use super::elementwise::{CONVERT, aligned, common_axes, same_dtype};
use crate::{
    DType, Operand, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    takes::Takes,
    trace::{Rule, emit},
    vmap::spread_all,
};
use std::{
    fmt,
    hash::Hasher,
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Sub},
    panic::Location,
};

/// Generates [`Binary`], the methods of [`Tensor`] and its operators: name of the method or
/// operator, variant, and the accepted element types.
macro_rules! binary {
    (
        methods { $($(#[$doc:meta])* $method:ident $variant:ident $takes:ident,)* }
        operators { $(
            $name:literal $trait:ident $operator_method:ident $operator:ident $operator_takes:ident,
        )* }
    ) => {
        /// An elementwise binary op.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Binary {
            $($(#[$doc])* $variant,)*
            $(#[doc = concat!("The operator `", $name, "`.")] $operator,)*
        }

        impl Binary {
            /// Every binary op.
            pub const ALL: &[Binary] = &[$(Binary::$variant,)* $(Binary::$operator,)*];

            /// The name of the method of `Tensor`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Binary::$variant => stringify!($method),)*
                    $(Binary::$operator => $name,)*
                }
            }

            const fn takes(self) -> Takes {
                match self {
                    $(Binary::$variant => Takes::$takes,)*
                    $(Binary::$operator => Takes::$operator_takes,)*
                }
            }
        }

        /// Elementwise binary ops on operands of one element type: the tensor and another tensor or
        /// a Rust number. For `bool`, `+` is "or" and `*` is "and", as in NumPy; other arithmetic
        /// is an error. Fully named operands are aligned by name, and one of them must have all
        /// axes of the other ([`outer`](crate::outer) broadcasts two operands against each other);
        /// others are aligned from the right, as NumPy broadcasts.
        #[hloom_derive::tensor_methods(binary)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, rhs: impl Operand) -> Tensor {
                let rhs = rhs.like(self);
                apply_binary(Binary::$variant, self, rhs)
            }
        )* }

        $(
            impl<R: Operand> $trait<R> for Tensor {
                type Output = Tensor;
                #[track_caller]
                fn $operator_method(self, rhs: R) -> Tensor {
                    let rhs = rhs.like(self);
                    apply_binary(Binary::$operator, self, rhs)
                }
            }
            // Only one float and one integer type, so that the type of a literal on the left can be
            // inferred.
            left_number!($trait $operator_method $operator: f64 i32 bool);
        )*
    };
}

macro_rules! left_number {
    ($trait:ident $method:ident $operator:ident: $($number:ty)*) => { $(
        impl $trait<Tensor> for $number {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor {
                let left = Operand::like(self, rhs);
                apply_binary(Binary::$operator, left, rhs)
            }
        }
    )* };
}

binary! {
    methods {
    /// `self` to the power of `rhs`.
    ///
    /// Integers wrap around, as in multiplication, for any exponent; x to the power of 0 is 1, also
    /// for x = 0. A negative exponent returns 1 divided by the power, rounded toward zero: 1 for 1,
    /// 1 or -1 for -1, and 0 for all others, including 0.
    #[doc(alias = "power")]
    pow Pow Number,
    /// The maximum; NaN propagates. For `bool`, "or".
    maximum Maximum Any,
    /// The minimum; NaN propagates. For `bool`, "and".
    minimum Minimum Any,
    /// The angle of the point (`rhs`, `self`) in radians.
    #[doc(alias = "arctan2")]
    atan2 Atan2 FloatOrComplex,
    /// The next representable number after `self` towards `rhs`: `rhs` where both are equal, and
    /// NaN where either is NaN. Takes `f16`, `bf16`, `f32` and `f64`.
    next_after NextAfter Float,
    /// Shifts bits left by `rhs`, filling with zeros.
    #[doc(alias = "left_shift")]
    #[doc(alias = "bitwise_left_shift")]
    shift_left ShiftLeft Int,
    /// Shifts bits right by `rhs`, filling with copies of the sign bit.
    #[doc(alias = "bitwise_right_shift")]
    shift_right_arithmetic ShiftRightArithmetic Int,
    /// Shifts bits right by `rhs`, filling with zeros.
    shift_right_logical ShiftRightLogical Int,
    /// The complex number with this real part and the imaginary part `rhs`.
    complex Complex Float,
    }
    operators {
    "add" Add add Add Any,
    "sub" Sub sub Sub Number,
    "mul" Mul mul Mul Any,
    "div" Div div Div Number,
    "rem" Rem rem Rem Real,
    "and" BitAnd bitand And Logic,
    "or" BitOr bitor Or Logic,
    "xor" BitXor bitxor Xor Logic,
    }
}

#[track_caller]
fn apply_binary(op: Binary, left: Tensor, right: Tensor) -> Tensor {
    let value = emit(op.name(), &[left, right], Location::caller(), |builder, s, v| {
        // Types are checked before sizes: if both are wrong, the type is reported.
        op.check(s[0].dtype(), s[1].dtype())?;
        let values = aligned(builder, [v[0], v[1]])?;
        builder.add(op, &values)
    });
    Tensor::or_poisoned(value)
}

impl Binary {
    fn check(self, left: DType, right: DType) -> Rule<()> {
        same_dtype(left, right)?;
        if self == Binary::NextAfter && left.is_float() && left.bits() < 16 {
            return Err(format!("takes f16, bf16, f32 or f64, not {left}").into());
        }
        self.takes().check(left, if self == Binary::Sub { "`^`" } else { CONVERT })
    }
}

impl Definition for Binary {
    fn name(&self) -> &'static str {
        Binary::name(*self)
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operands @ [left, right] = context.operands()?;
        self.check(left.dtype(), right.dtype())?;
        let dtype = match (self, left.dtype()) {
            (Binary::Complex, DType::F32) => DType::C64,
            (Binary::Complex, DType::F64) => DType::C128,
            (Binary::Complex, dtype) => return Err(format!("takes f32 or f64, not {dtype}").into()),
            (_, dtype) => dtype,
        };
        one(left.with_dims(common_axes(operands)?).with_dtype(dtype))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.name().as_bytes());
    }
}

plain!(Binary);
spread_all!(Binary);

/// Slopes of quotients, powers and angles of short floats are computed in `f32`, as those of
/// [`Unary`](super::Unary).
impl Vjp for Binary {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let dtype = pull.shape(0).dtype();
        let is_computed = matches!(self, Binary::Div | Binary::Rem | Binary::Pow | Binary::Atan2);
        let wide = |x: Tensor| if is_computed { x.at_least_f32() } else { x };
        let [g, x, y] = [pull.g(), pull.x(0), pull.x(1)].map(wide);
        let result = || if x.dtype() == dtype { pull.y(0) } else { record(*self, &[x, y])[0] };
        let cotangents = match self {
            Binary::Add => pull.two(|| g, || g),
            Binary::Sub => pull.two(|| g, || -g),
            Binary::Mul => pull.two(|| g * y, || g * x),
            // The square of a large or a small y would be infinite or 0.
            Binary::Div => pull.two(|| g / y, || -(g * (result() / y))),
            Binary::Rem => {
                // The quotient itself may be rounded up to a whole number.
                pull.two(|| g, || -g * ((x - result()) / y).round())
            }
            Binary::Pow => {
                // Where the exponent is 0, the slope is 0, without a factor that could be NaN.
                let of_base = || {
                    let is_zero = y.eq(0);
                    let power = is_zero.select(y.full_like(1), y - 1);
                    g * is_zero.select(y, y * lower_power(x, y, power, result()))
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
                // Uses the quotient of the smaller and the larger operand, so that no square
                // overflows or underflows.
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
        };
        cotangents.into_iter().map(|cotangent| Some(cotangent?.convert(dtype))).collect()
    }
}

/// x to `power`, which is `y - 1`, computed from `result`, x to y.
fn lower_power(x: Tensor, y: Tensor, power: Tensor, result: Tensor) -> Tensor {
    if x.dtype().is_complex() {
        return x.pow(power);
    }
    // Below 1/2, `y - 1` is rounded, and the power amplifies its error: a quotient, where it is in
    // range, has no such error.
    let smallest = if x.dtype() == DType::F64 { 1e-307 } else { 1e-37 };
    let is_quotient = y.lt(0.5) & result.abs().gt(smallest) & result.is_finite() & x.ne(0);
    let [dividend, divisor] = [result, x].map(|of| is_quotient.select(of, of.full_like(1)));
    is_quotient.select(dividend / divisor, x.pow(power))
}

/// The part of a cotangent that a maximum or minimum `y` of `x` and `other` passes on to `x`: half
/// of it where both are equal.
fn share(x: Tensor, y: Tensor, other: Tensor) -> Tensor {
    let one = y.full_like(1);
    let count = other.eq(y).select(y.full_like(2), one);
    x.eq(y).select(one, y.full_like(0)) / count
}
