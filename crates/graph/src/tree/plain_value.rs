//! Values that are compared by their bits.

use half::{bf16, f16};
use num_complex::Complex;
use std::{collections::BTreeMap, fmt::Debug};

/// A number, a string, or a collection of them. Two values are the same if their bits are, so that
/// a program compiled for one is right for the other: NaN equals NaN, and -0 does not equal 0.
#[doc(hidden)]
pub trait PlainValue: Clone + Debug + Send + Sync + 'static {
    fn is_same(&self, other: &Self) -> bool;
}

macro_rules! compared {
    ($($type:ty)*) => { $(
        impl PlainValue for $type {
            #[inline]
            fn is_same(&self, other: &$type) -> bool {
                self == other
            }
        }
    )* };
}
compared!(() bool char String &'static str crate::DType crate::Name);
compared!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! float {
    ($($type:ty)*) => { $(
        impl PlainValue for $type {
            #[inline]
            fn is_same(&self, other: &$type) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    )* };
}
float!(f32 f64 f16 bf16);

impl<T: PlainValue> PlainValue for Complex<T> {
    fn is_same(&self, other: &Complex<T>) -> bool {
        self.re.is_same(&other.re) && self.im.is_same(&other.im)
    }
}

impl<T: PlainValue> PlainValue for Option<T> {
    fn is_same(&self, other: &Option<T>) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.is_same(b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T: PlainValue> PlainValue for Box<T> {
    fn is_same(&self, other: &Box<T>) -> bool {
        (**self).is_same(other)
    }
}

impl<T: PlainValue> PlainValue for Vec<T> {
    fn is_same(&self, other: &Vec<T>) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.is_same(b))
    }
}

impl<T: PlainValue, const N: usize> PlainValue for [T; N] {
    fn is_same(&self, other: &[T; N]) -> bool {
        self.iter().zip(other).all(|(a, b)| a.is_same(b))
    }
}

impl<T: PlainValue> PlainValue for BTreeMap<String, T> {
    fn is_same(&self, other: &BTreeMap<String, T>) -> bool {
        let same = |((left, a), (right, b)): ((_, &T), (_, &T))| left == right && a.is_same(b);
        self.len() == other.len() && self.iter().zip(other).all(same)
    }
}

macro_rules! tuple {
    () => {};
    ($($value:ident $p:ident $at:tt),+) => {
        impl<$($value: PlainValue),+> PlainValue for ($($value,)+) {
            fn is_same(&self, other: &Self) -> bool {
                $(self.$at.is_same(&other.$at))&&+
            }
        }
    };
}
crate::for_each_arity!(tuple);
