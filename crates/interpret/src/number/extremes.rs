//! The lowest and the highest value of each type, which are the initial values of maxima and
//! minima.

use super::{FloatFormat, Number, mask};
use hloom_graph::DType;

/// The highest value: infinity where the type has it.
pub(crate) fn highest(dtype: DType) -> Number {
    match dtype {
        DType::Bool => Number::Int(1),
        dtype if dtype.is_signed_int() => Number::Int(mask(dtype.bits() - 1) as i128),
        dtype if dtype.is_int() => Number::Int(mask(dtype.bits()) as i128),
        dtype => match FloatFormat::of(dtype) {
            Some(format) => {
                let infinite = Number::Float(f64::INFINITY).stored(dtype);
                let largest = Number::Float(format.decode(format.largest()));
                if infinite.real().is_infinite() { infinite } else { largest }
            }
            None => Number::Float(f64::INFINITY),
        },
    }
}

/// The lowest value: minus infinity where the type has it.
pub(crate) fn lowest(dtype: DType) -> Number {
    match dtype {
        DType::F8E8M0FNU => Number::decode(dtype, 0),
        dtype if dtype.is_signed_int() => Number::Int(-1 << (dtype.bits() - 1)),
        dtype if dtype.is_int() || dtype == DType::Bool => Number::Int(0),
        dtype => Number::Float(-highest(dtype).real()),
    }
}
