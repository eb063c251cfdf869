//! Element types that ops accept.

use crate::{DType, trace::Rule};

/// Element types that an op accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Takes {
    /// Every type but `bool`.
    Number,
    /// Every integer and `bool`.
    Logic,
    /// Integers.
    Int,
    /// Floats.
    Float,
    /// Floats and complex numbers.
    FloatOrComplex,
    /// Signed integers, floats and complex numbers.
    Signed,
    /// Integers and floats.
    Real,
    /// Integers, floats and `bool`.
    Ordered,
    /// Every type.
    Any,
}

impl Takes {
    pub(crate) fn accepts(self, dtype: DType) -> bool {
        match self {
            Takes::Number => dtype != DType::Bool,
            Takes::Logic => dtype.is_int() || dtype == DType::Bool,
            Takes::Int => dtype.is_int(),
            Takes::Float => dtype.is_float(),
            Takes::FloatOrComplex => dtype.is_float() || dtype.is_complex(),
            Takes::Signed => dtype.is_signed_int() || dtype.is_float() || dtype.is_complex(),
            Takes::Real => dtype.is_int() || dtype.is_float(),
            Takes::Ordered => !dtype.is_complex(),
            Takes::Any => true,
        }
    }

    /// Returns an error if the type is not accepted; `instead` names the alternative for `bool`.
    pub(crate) fn check(self, dtype: DType, instead: &str) -> Rule<()> {
        match (self.accepts(dtype), dtype) {
            (true, _) => Ok(()),
            (false, DType::Bool) => {
                Err(format!("takes {}, not bool; use {instead}", self.description()).into())
            }
            (false, _) => {
                let takes_floats = self.accepts(DType::F32) && !self.accepts(DType::I32);
                let hint = if takes_floats && dtype.is_int() {
                    "; use `.convert(DType::F32)`"
                } else {
                    ""
                };
                Err(format!("takes {}, not {dtype}{hint}", self.description()).into())
            }
        }
    }

    fn description(self) -> &'static str {
        match self {
            Takes::Number => "numbers",
            Takes::Logic => "integers or bool",
            Takes::Int => "integers",
            Takes::Float => "floats",
            Takes::FloatOrComplex => "floats or complex numbers",
            Takes::Signed => "signed integers, floats or complex numbers",
            Takes::Real => "integers or floats",
            Takes::Ordered => "integers, floats or bool",
            Takes::Any => "any elements",
        }
    }
}
