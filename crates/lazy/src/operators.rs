//! Operators.

use crate::{
    Lazy, LazyOperand,
    memo::{binary, binary_of_number, memoized},
    number::Number,
};
use std::{
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub},
    panic::Location,
};

macro_rules! binary_operators {
    ($($trait:ident $method:ident $name:literal),* $(,)?) => { $(
        impl<R: LazyOperand> $trait<R> for &Lazy {
            type Output = Lazy;
            #[track_caller]
            fn $method(self, rhs: R) -> Lazy {
                let caller = Location::caller();
                binary($name, self, rhs.lazy_or_number(), caller, |[x, y], _| $trait::$method(x, y))
            }
        }

        impl<R: LazyOperand> $trait<R> for Lazy {
            type Output = Lazy;
            #[track_caller]
            fn $method(self, rhs: R) -> Lazy {
                $trait::$method(&self, rhs)
            }
        }

        // One float and one integer type, as for tensors.
        binary_operators!(@left $trait $method $name: f64 Float, i32 Int, bool Bool);
    )* };
    (@left $trait:ident $method:ident $name:literal: $($number:ident $variant:ident),*) => { $(
        impl $trait<&Lazy> for $number {
            type Output = Lazy;
            #[track_caller]
            fn $method(self, rhs: &Lazy) -> Lazy {
                let number = Number::$variant(self.into());
                let caller = Location::caller();
                binary_of_number($name, number, rhs, caller, |[x, y], _| $trait::$method(x, y))
            }
        }

        impl $trait<Lazy> for $number {
            type Output = Lazy;
            #[track_caller]
            fn $method(self, rhs: Lazy) -> Lazy {
                $trait::$method(self, &rhs)
            }
        }
    )* };
}
binary_operators!(
    Add add "+", Sub sub "-", Mul mul "*", Div div "/", Rem rem "%",
    BitAnd bitand "&", BitOr bitor "|", BitXor bitxor "^",
);

macro_rules! unary_operators {
    ($($trait:ident $method:ident $name:literal),*) => { $(
        impl $trait for &Lazy {
            type Output = Lazy;
            #[track_caller]
            fn $method(self) -> Lazy {
                let (own, caller) = ([self.clone()], Location::caller());
                memoized($name, own, &[], caller, |[x], _| $trait::$method(x))
            }
        }

        impl $trait for Lazy {
            type Output = Lazy;
            #[track_caller]
            fn $method(self) -> Lazy {
                $trait::$method(&self)
            }
        }
    )* };
}
unary_operators!(Neg neg "unary -", Not not "!");
