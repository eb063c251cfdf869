//! Functions of two operands, one element at a time.

use super::elementwise::{CONVERT, aligned, common_axes, same_dtype};
use crate::{
    DType, Operand, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    takes::Takes,
    trace::{Rule, emit},
};
use std::{
    fmt,
    hash::Hasher,
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Sub},
    panic::Location,
};

/// Makes [`Binary`], the methods of [`Tensor`] and its operators: name of the method or operator, variant, and the element types
/// that it takes.
macro_rules! binary {
    (
        methods { $($(#[$doc:meta])* $method:ident $variant:ident $takes:ident,)* }
        operators { $($name:literal $trait:ident $operator_method:ident $operator:ident $operator_takes:ident,)* }
    ) => {
        /// An elementwise function of two operands.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Binary {
            $($(#[$doc])* $variant,)*
            $(#[doc = concat!("The operator `", $name, "`.")] $operator,)*
        }

        impl Binary {
            /// Every function of two operands.
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

        /// Functions of two operands of one element type, element by element: the tensor and another tensor or a Rust number. For
        /// `bool`, `+` is "or" and `*` is "and", as in NumPy; other arithmetic is an error.
        /// Fully named operands are aligned by name, others from the right, as NumPy broadcasts.
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
            // One float and one integer type, so that the type of a literal on the left is known.
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
    /// Integers keep the lowest bits of the exact power, as in multiplication, whatever the exponent; x to the power of 0 is 1, also
    /// of 0. A negative exponent divides 1 by the power, towards zero: that is 1 for 1, 1 or -1 for -1, and 0 for all others, 0
    /// itself among them.
    pow Pow Number,
    /// The larger of both; NaN wins. For `bool`, "or".
    maximum Maximum Any,
    /// The smaller of both; NaN wins. For `bool`, "and".
    minimum Minimum Any,
    /// The angle of the point (`rhs`, `self`) in radians.
    atan2 Atan2 FloatOrComplex,
    /// The next number that the element type has after `self` on the way to `rhs`: `rhs` where both are equal, and NaN where one is.
    /// It takes `f16`, `bf16`, `f32` and `f64`.
    next_after NextAfter Float,
    /// Bits moved up by `rhs`, zeros coming in.
    shift_left ShiftLeft Int,
    /// Bits moved down by `rhs`, copies of the sign bit coming in.
    shift_right_arithmetic ShiftRightArithmetic Int,
    /// Bits moved down by `rhs`, zeros coming in.
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
        // Before the sizes are looked at: of two mistakes this one comes first.
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
        self.takes()
            .check(left, if self == Binary::Sub { "`^`" } else { CONVERT })
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
