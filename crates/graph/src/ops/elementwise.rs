//! Functions of one element at a time.

use super::broadcast::{align, broadcast};
use crate::{
    Binary, DType, Direction, Op, Operand, Shape, Tensor, Unary, ValueId,
    op::Takes,
    trace::{Builder, Mistake, Rule, apply, emit},
};
use std::{
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub},
    panic::Location,
};

/// What stands for arithmetic that `bool` does not have.
const CONVERT: &str = "`.convert(..)`";

fn same_dtype(left: &Shape, right: &Shape) -> Rule<()> {
    match left.dtype() == right.dtype() {
        true => Ok(()),
        false => Err(Mistake(format!(
            "element types {} and {} differ; use `.convert(..)`",
            left.dtype(),
            right.dtype()
        ))),
    }
}

/// Brings operands to common axes.
fn aligned<const N: usize>(builder: &mut Builder<'_>, values: [ValueId; N]) -> Rule<([ValueId; N], Shape)> {
    let mut all = builder.shape(values[0]);
    for &value in &values[1..] {
        let next = builder.shape(value);
        all = all.with_dims(align(&all, &next)?);
    }
    Ok((values.map(|value| broadcast(builder, value, all.axes())), all))
}

#[track_caller]
fn unary(op: Unary, x: Tensor) -> Tensor {
    apply(op.name(), &[x], |s| {
        let instead = if op == Unary::Neg { "`!`" } else { CONVERT };
        op.takes().check(s[0].dtype(), instead)?;
        let dtype = match op {
            Unary::IsFinite => DType::Bool,
            Unary::Abs | Unary::Real | Unary::Imag => s[0].dtype().real(),
            _ => s[0].dtype(),
        };
        Ok((Op::Unary(op), s[0].with_dtype(dtype)))
    })
}

#[track_caller]
fn binary(op: Binary, left: Tensor, right: Tensor) -> Tensor {
    let value = emit(op.name(), &[left, right], Location::caller(), |builder, s, v| {
        same_dtype(&s[0], &s[1])?;
        let instead = if op == Binary::Sub { "`^`" } else { CONVERT };
        op.takes().check(s[0].dtype(), instead)?;
        let (values, shape) = aligned(builder, [v[0], v[1]])?;
        let dtype = match (op, s[0].dtype()) {
            (Binary::Complex, DType::F32) => DType::C64,
            (Binary::Complex, DType::F64) => DType::C128,
            (Binary::Complex, dtype) => {
                return Err(format!("takes f32 or f64, not {dtype}").into());
            }
            (_, dtype) => dtype,
        };
        Ok(builder.node(Op::Binary(op), &values, shape.with_dtype(dtype)))
    });
    Tensor::or_poisoned(value)
}

#[track_caller]
fn compare(direction: Direction, left: Tensor, right: Tensor) -> Tensor {
    let value = emit(direction.name(), &[left, right], Location::caller(), |builder, s, v| {
        same_dtype(&s[0], &s[1])?;
        if s[0].dtype().is_complex() && !matches!(direction, Direction::Eq | Direction::Ne) {
            return Err("complex numbers have no order".into());
        }
        let (values, shape) = aligned(builder, [v[0], v[1]])?;
        Ok(builder.node(Op::Compare(direction), &values, shape.with_dtype(DType::Bool)))
    });
    Tensor::or_poisoned(value)
}

macro_rules! unary_methods {
    ($($(#[$doc:meta])* $method:ident $op:ident),* $(,)?) => {
        /// Functions of one operand, element by element. The result has the operand's shape.
        ///
        /// Errors are stated in units in the last place (ulps) of the exact result, as measured on CPUs; other platforms choose
        /// their own. `bf16` and `f16` are computed in `f32` and rounded, which is 1 ulp at most, 2 for `sigmoid`. Operands and
        /// results below the normal numbers may be taken for 0.
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self) -> Tensor {
                unary(Unary::$op, self)
            }
        )* }
    };
}

unary_methods!(
    /// The absolute value; for complex numbers the modulus, of the real type.
    abs Abs,
    /// -1, 0 or 1 by the sign; NaN stays NaN. For complex numbers, x / |x|.
    sign Sign,
    /// e to the power of x. At most 5 ulps in `f32`, most of them where it is about to overflow, and 5 in `f64`.
    exp Exp,
    /// e to the power of x, minus 1, exact near 0.
    exp_m1 ExpM1,
    /// The natural logarithm.
    log Log,
    /// The natural logarithm of 1 + x, exact near 0.
    log1p Log1p,
    /// The square root.
    sqrt Sqrt,
    /// 1 over the square root.
    rsqrt Rsqrt,
    /// The cubic root.
    cbrt Cbrt,
    /// The sine.
    sin Sin,
    /// The cosine.
    cos Cos,
    /// The tangent.
    tan Tan,
    /// The hyperbolic tangent, between -1 and 1, which it is far from 0. At most 5 ulps in `f32` and 6 in `f64`.
    tanh Tanh,
    /// The logistic function, 1 / (1 + e^-x), between 0 and 1. At most 3 ulps in `f32` and `f64`.
    sigmoid Logistic,
    /// The error function, between -1 and 1; exactly these from where it rounds to them on, in `f32` for |x| >= 3.919206. At most
    /// 6 ulps in `f32` and `f64`.
    erf Erf,
    /// The largest integer not above x.
    floor Floor,
    /// The smallest integer not below x.
    ceil Ceil,
    /// The nearest integer; halves away from zero.
    round Round,
    /// The nearest integer; halves to even.
    round_even RoundEven,
    /// Whether x is neither infinite nor NaN, as `bool`.
    is_finite IsFinite,
    /// How many zero bits stand before the first one bit.
    count_leading_zeros CountLeadingZeros,
    /// How many bits are one.
    population_count PopulationCount,
    /// The real part, of the real type.
    real Real,
    /// The imaginary part, of the real type; 0 for real numbers.
    imag Imag,
);

macro_rules! binary_methods {
    ($($(#[$doc:meta])* $method:ident $op:ident),* $(,)?) => {
        /// Functions of two operands of one element type, element by element: the tensor and another tensor or a Rust number. For
        /// `bool`, `+` is "or" and `*` is "and", as in NumPy; other arithmetic is an error.
        /// Fully named operands are aligned by name, others from the right, as NumPy broadcasts.
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, rhs: impl Operand) -> Tensor {
                let rhs = rhs.like(self);
                binary(Binary::$op, self, rhs)
            }
        )* }
    };
}

binary_methods!(
    /// `self` to the power of `rhs`.
    ///
    /// Integers keep the lowest bits of the exact power, as in multiplication, whatever the exponent; x to the power of 0 is 1, also
    /// of 0. A negative exponent divides 1 by the power, towards zero: that is 1 for 1, 1 or -1 for -1, and 0 for all others, 0
    /// itself among them.
    pow Pow,
    /// The larger of both; NaN wins. For `bool`, "or".
    maximum Maximum,
    /// The smaller of both; NaN wins. For `bool`, "and".
    minimum Minimum,
    /// The angle of the point (`rhs`, `self`) in radians.
    atan2 Atan2,
    /// Bits moved up by `rhs`, zeros coming in.
    shift_left ShiftLeft,
    /// Bits moved down by `rhs`, copies of the sign bit coming in.
    shift_right_arithmetic ShiftRightArithmetic,
    /// Bits moved down by `rhs`, zeros coming in.
    shift_right_logical ShiftRightLogical,
    /// The complex number with this real part and the imaginary part `rhs`.
    complex Complex,
);

macro_rules! compare_methods {
    ($($(#[$doc:meta])* $method:ident $direction:ident),* $(,)?) => {
        /// Comparisons of two operands of one element type, element by element; the result is `bool`. A comparison with NaN is
        /// false, but for `ne`.
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, rhs: impl Operand) -> Tensor {
                let rhs = rhs.like(self);
                compare(Direction::$direction, self, rhs)
            }
        )* }
    };
}

compare_methods!(
    /// Whether both are equal.
    eq Eq,
    /// Whether both differ.
    ne Ne,
    /// Whether `self` is less.
    lt Lt,
    /// Whether `self` is less or equal.
    le Le,
    /// Whether `self` is greater.
    gt Gt,
    /// Whether `self` is greater or equal.
    ge Ge,
);

impl Tensor {
    /// Where `self`, a `bool` tensor, is true the elements of `on_true`, elsewhere those of `on_false`. A Rust number takes the
    /// element type of the other branch, which must be a tensor.
    #[track_caller]
    pub fn select(self, on_true: Tensor, on_false: impl Operand) -> Tensor {
        let on_false = on_false.like(on_true);
        let value = emit(
            "select",
            &[self, on_true, on_false],
            Location::caller(),
            |builder, s, v| {
                if s[0].dtype() != DType::Bool {
                    return Err(format!("the condition is {}, not bool", s[0].dtype()).into());
                }
                same_dtype(&s[1], &s[2])?;
                let (values, shape) = aligned(builder, [v[0], v[1], v[2]])?;
                Ok(builder.node(Op::Select, &values, shape.with_dtype(s[1].dtype())))
            },
        );
        Tensor::or_poisoned(value)
    }

    /// `self` where it lies between `low` and `high`, else the nearer of both; NaN stays NaN.
    #[track_caller]
    pub fn clamp(self, low: impl Operand, high: impl Operand) -> Tensor {
        let (low, high) = (low.like(self), high.like(self));
        let value = emit("clamp", &[low, self, high], Location::caller(), |builder, s, v| {
            same_dtype(&s[0], &s[1])?;
            same_dtype(&s[1], &s[2])?;
            Takes::Ordered.check(s[1].dtype(), CONVERT)?;
            let (values, shape) = aligned(builder, [v[0], v[1], v[2]])?;
            Ok(builder.node(Op::Clamp, &values, shape))
        });
        Tensor::or_poisoned(value)
    }

    /// Whether the element is NaN, as `bool`.
    #[track_caller]
    pub fn is_nan(self) -> Tensor {
        compare(Direction::Ne, self, self)
    }

    /// Reads the same bits as elements of another type of the same width.
    #[track_caller]
    pub fn bitcast(self, dtype: DType) -> Tensor {
        apply("bitcast", &[self], |s| {
            if s[0].dtype().bits() != dtype.bits() || s[0].dtype().is_complex() != dtype.is_complex() {
                return Err(format!("{} and {dtype} differ in width or kind", s[0].dtype()).into());
            }
            Ok((Op::BitcastConvert, s[0].with_dtype(dtype)))
        })
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => { $(
        impl<R: Operand> $trait<R> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: R) -> Tensor {
                let rhs = rhs.like(self);
                binary(Binary::$op, self, rhs)
            }
        }
        // One float and one integer type, so that the type of a literal on the left is known.
        operators!(@left $trait $method $op: f64 i32 bool);
    )* };
    (@left $trait:ident $method:ident $op:ident: $($number:ty)*) => { $(
        impl $trait<Tensor> for $number {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor {
                let left = Operand::like(self, rhs);
                binary(Binary::$op, left, rhs)
            }
        }
    )* };
}
operators!(
    Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor
);

impl Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        unary(Unary::Neg, self)
    }
}

impl Not for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn not(self) -> Tensor {
        unary(Unary::Not, self)
    }
}
