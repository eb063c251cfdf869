//! Rust numbers as operands.

use crate::{Lazy, node::NodeState};
use half::{bf16, f16};
use hloom_graph::{DType, Operand, Shape, Tensor};

/// The second operand of an elementwise op: another lazy tensor, or a Rust number, which becomes a
/// constant of the tensor's element type.
pub trait LazyOperand: private::Sealed + Operand {
    #[doc(hidden)]
    fn lazy_or_number(self) -> LazyOrNumber;
}

#[doc(hidden)]
pub enum LazyOrNumber {
    Lazy(Lazy),
    Number(Number),
}

/// A number of any Rust type.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
}

impl Number {
    /// Words that are different for different numbers.
    pub(crate) fn words(self) -> [u64; 2] {
        match self {
            Number::Bool(value) => [0, value.into()],
            Number::Int(value) => [1, value as u64],
            Number::Uint(value) => [2, value],
            Number::Float(value) => [3, value.to_bits()],
        }
    }

    /// The nearest float.
    pub(crate) fn to_f64(self) -> f64 {
        match self {
            Number::Bool(value) => value.into(),
            Number::Int(value) => value as f64,
            Number::Uint(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// Whether the number is certainly a value of the type, so that no trace is needed to check it.
    fn fits(self, dtype: DType) -> bool {
        let int = |value: i128| {
            if dtype.is_int() && dtype.bits() >= 8 {
                let bits = dtype.bits() as u32;
                let (low, high) = if dtype.is_signed_int() {
                    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
                } else {
                    (0, (1i128 << bits) - 1)
                };
                (low..=high).contains(&value)
            } else {
                matches!(dtype, DType::F32 | DType::F64) && value.unsigned_abs() < 1 << 24
            }
        };
        match self {
            Number::Bool(_) => dtype == DType::Bool,
            Number::Int(value) => int(value.into()),
            Number::Uint(value) => int(value.into()),
            Number::Float(value) => match dtype {
                DType::F32 => !value.is_finite() || value.abs() < 3e38,
                DType::F64 => true,
                DType::F16 | DType::BF16 => !value.is_finite() || value.abs() < 6e4,
                _ => false,
            },
        }
    }

    /// A handle of the number for every element of `like`, if it is a value of its type.
    pub(crate) fn splat(self, like: &Lazy) -> Option<Lazy> {
        self.fits(like.dtype()).then(|| {
            let (place, shapes) = (like.node.place.clone(), like.node.shapes.clone());
            Lazy::new(place, shapes, NodeState::Number(self), like.result as usize)
        })
    }

    /// The number as an element of the type, if numbers of that type are passed as arguments.
    pub(crate) fn bytes(self, dtype: DType) -> Option<Vec<u8>> {
        let int = match self {
            Number::Bool(value) => i128::from(value),
            Number::Int(value) => value.into(),
            Number::Uint(value) => value.into(),
            Number::Float(value) => value as i128,
        };
        let float = match self {
            Number::Float(value) => value,
            _ => int as f64,
        };
        Some(match dtype {
            DType::F64 => float.to_ne_bytes().into(),
            DType::F32 => (float as f32).to_ne_bytes().into(),
            DType::F16 => f16::from_f64(float).to_ne_bytes().into(),
            DType::BF16 => bf16::from_f64(float).to_ne_bytes().into(),
            DType::I64 | DType::U64 => (int as u64).to_ne_bytes().into(),
            DType::I32 | DType::U32 => (int as u32).to_ne_bytes().into(),
            DType::I16 | DType::U16 => (int as u16).to_ne_bytes().into(),
            DType::I8 | DType::U8 => (int as u8).to_ne_bytes().into(),
            _ => return None,
        })
    }

    /// The number for every element, in the current trace.
    pub(crate) fn tensor(self, shape: Shape) -> Tensor {
        let (dtype, dims) = (shape.dtype(), shape.axes());
        match self {
            Number::Bool(value) => Tensor::full(value, dtype, dims),
            Number::Int(value) => Tensor::full(value, dtype, dims),
            Number::Uint(value) => Tensor::full(value, dtype, dims),
            Number::Float(value) => Tensor::full(value, dtype, dims),
        }
    }
}

mod private {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($rust:ty: $value:ident => $number:expr),* $(,)?) => { $(
        impl private::Sealed for $rust {}
        impl LazyOperand for $rust {
            fn lazy_or_number(self) -> LazyOrNumber {
                let $value = self;
                LazyOrNumber::Number($number)
            }
        }
    )* };
}
numbers!(
    bool: v => Number::Bool(v),
    f64: v => Number::Float(v), f32: v => Number::Float(v.into()),
    f16: v => Number::Float(v.into()), bf16: v => Number::Float(v.into()),
    i8: v => Number::Int(v.into()), i16: v => Number::Int(v.into()),
    i32: v => Number::Int(v.into()), i64: v => Number::Int(v),
    u8: v => Number::Uint(v.into()), u16: v => Number::Uint(v.into()),
    u32: v => Number::Uint(v.into()), u64: v => Number::Uint(v),
    usize: v => Number::Uint(v as u64),
);

impl private::Sealed for &Lazy {}
impl LazyOperand for &Lazy {
    fn lazy_or_number(self) -> LazyOrNumber {
        LazyOrNumber::Lazy(self.clone())
    }
}

impl private::Sealed for Lazy {}
impl LazyOperand for Lazy {
    fn lazy_or_number(self) -> LazyOrNumber {
        LazyOrNumber::Lazy(self)
    }
}
