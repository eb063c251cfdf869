//! Comparison of the fields without leaves that trees carry.
//!
//! # How it works
//! The derive of `Tree` does not know which traits the type of a field implements, and a bound
//! would refuse trees with other fields. It calls a method on references to [`Carried`]: the
//! compiler removes one reference after another until an implementation fits, and each less
//! specific implementation is for one reference fewer.

use super::{plain_value::PlainValue, structure::StructureWalk};
use crate::Path;
use std::{any::Any, fmt::Debug};

/// The value of a field without leaves.
#[doc(hidden)]
pub struct Carried<'a, T>(pub &'a T);

/// Functions: two pointers to one function may differ, so they are not compared.
#[doc(hidden)]
pub trait CarriedFunction {
    fn structure_at(&self, _: &Path<'_>, _: &mut StructureWalk<'_>) {}
}

impl<R> CarriedFunction for &&&&Carried<'_, fn() -> R> {}
impl<A, R> CarriedFunction for &&&&Carried<'_, fn(A) -> R> {}
impl<A, B, R> CarriedFunction for &&&&Carried<'_, fn(A, B) -> R> {}

/// As [`CarriedFunction`], for functions that borrow.
#[doc(hidden)]
pub trait CarriedBorrowingFunction {
    fn structure_at(&self, _: &Path<'_>, _: &mut StructureWalk<'_>) {}
}

impl<A: ?Sized, R> CarriedBorrowingFunction for &&&&&Carried<'_, fn(&A) -> R> {}
impl<A: ?Sized, B, R> CarriedBorrowingFunction for &&&&&Carried<'_, fn(&A, B) -> R> {}

/// Numbers, strings and collections of them.
#[doc(hidden)]
pub trait CarriedPlain {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>);
}

impl<T: PlainValue> CarriedPlain for &&&Carried<'_, T> {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.value(path, self.0, T::is_same, shown::<T>);
    }
}

/// Other values that can be compared and printed.
#[doc(hidden)]
pub trait CarriedShown {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>);
}

impl<T: PartialEq + Debug + Clone + Send + Sync + 'static> CarriedShown for &&Carried<'_, T> {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.value(path, self.0, may_be_equal, shown::<T>);
    }
}

/// Values that can be compared.
#[doc(hidden)]
pub trait CarriedCompared {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>);
}

impl<T: PartialEq + Clone + Send + Sync + 'static> CarriedCompared for &Carried<'_, T> {
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.value(path, self.0, may_be_equal, |_| "another value".to_owned());
    }
}

/// Values that cannot be compared, which are not part of the structure.
#[doc(hidden)]
pub trait CarriedOpaque {
    fn structure_at(&self, _: &Path<'_>, _: &mut StructureWalk<'_>) {}
}

impl<T> CarriedOpaque for Carried<'_, T> {}

/// Whether two values are the same in a key of a cached program.
#[doc(hidden)]
pub trait SamePlain<T> {
    fn is_same(&self, other: &T) -> bool;
}

impl<T: PlainValue> SamePlain<T> for &Carried<'_, T> {
    fn is_same(&self, other: &T) -> bool {
        self.0.is_same(other)
    }
}

/// As [`SamePlain`], for other values that can be compared.
#[doc(hidden)]
pub trait SameCompared<T> {
    fn is_same(&self, other: &T) -> bool;
}

impl<T: PartialEq> SameCompared<T> for Carried<'_, T> {
    fn is_same(&self, other: &T) -> bool {
        self.0 == other
    }
}

/// Whether two values may be the same. A value that does not equal itself contains a NaN: its other
/// parts cannot be compared.
#[expect(clippy::eq_op, reason = "a value with a NaN does not equal itself")]
fn may_be_equal<T: PartialEq>(a: &T, b: &T) -> bool {
    a == b || (a != a && b != b)
}

/// The longest description of a value, in characters.
const MAX_SHOWN: usize = 60;

fn shown<T: Debug + 'static>(value: &dyn Any) -> String {
    let text = value.downcast_ref::<T>().map(|value| format!("{value:?}")).unwrap_or_default();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}
