//! Elementwise functions of one number.

use crate::number::Number;
use hloom_graph::{DType, Unary};

/// A function of a number of type `dtype`, not yet rounded.
pub(crate) fn apply(function: Unary, dtype: DType, x: Number) -> Number {
    match x {
        Number::Int(value) => of_integer(function, dtype, value),
        Number::Float(value) => of_float(function, dtype, value),
        Number::Complex(_) => of_complex(function, x),
    }
}

fn of_integer(function: Unary, dtype: DType, x: i128) -> Number {
    Number::Int(match function {
        Unary::Abs => x.abs(),
        Unary::Sign => x.signum(),
        Unary::Neg => -x,
        Unary::Not if dtype == DType::Bool => (x == 0).into(),
        Unary::Not => !x,
        Unary::CountLeadingZeros => {
            let width = dtype.bits();
            let bits = Number::Int(x).encode(dtype);
            (bits.leading_zeros() as usize + width - 128) as i128
        }
        Unary::PopulationCount => Number::Int(x).encode(dtype).count_ones().into(),
        Unary::Real => x,
        Unary::Imag => 0,
        Unary::IsFinite => 1,
        Unary::Floor | Unary::Ceil | Unary::Round | Unary::RoundEven => x,
        // The shape rules refuse integers for these.
        Unary::Exp
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
        | Unary::Erf => return of_float(function, dtype, x as f64),
    })
}

fn of_float(function: Unary, dtype: DType, x: f64) -> Number {
    Number::Float(match function {
        Unary::Abs => x.abs(),
        Unary::Sign if x.is_nan() || x == 0.0 => x,
        Unary::Sign => 1f64.copysign(x),
        Unary::Neg => -x,
        Unary::Exp => x.exp(),
        Unary::ExpM1 => x.exp_m1(),
        Unary::Log => x.ln(),
        Unary::Log1p => x.ln_1p(),
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Cbrt => x.cbrt(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Tanh => x.tanh(),
        Unary::Logistic => 1.0 / (1.0 + (-x).exp()),
        Unary::Erf => libm::erf(x),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round(),
        Unary::RoundEven => x.round_ties_even(),
        Unary::IsFinite => return Number::truth(x.is_finite()),
        Unary::Real => x,
        Unary::Imag => 0.0,
        // The shape rules refuse floats for these.
        Unary::CountLeadingZeros | Unary::PopulationCount | Unary::Not => {
            return of_integer(function, dtype, x as i128);
        }
    })
}

fn of_complex(function: Unary, x: Number) -> Number {
    let z = x.complex();
    Number::Complex(match function {
        Unary::Abs => return Number::Float(z.abs()),
        Unary::Real => return Number::Float(z.re),
        Unary::Imag => return Number::Float(z.im),
        Unary::IsFinite => return Number::truth(z.re.is_finite() && z.im.is_finite()),
        Unary::Sign => z.sign(),
        Unary::Neg => -z,
        Unary::Exp => z.exp(),
        Unary::ExpM1 => z.exp_m1(),
        Unary::Log => z.log(),
        Unary::Log1p => z.log1p(),
        Unary::Sqrt => z.sqrt(),
        Unary::Rsqrt => z.rsqrt(),
        Unary::Sin => z.sin(),
        Unary::Cos => z.cos(),
        Unary::Tan => z.tan(),
        Unary::Tanh => z.tanh(),
        Unary::Logistic => z.logistic(),
        // The shape rules refuse complex numbers for these.
        Unary::Cbrt
        | Unary::Erf
        | Unary::Floor
        | Unary::Ceil
        | Unary::Round
        | Unary::RoundEven
        | Unary::CountLeadingZeros
        | Unary::PopulationCount
        | Unary::Not => z,
    })
}
