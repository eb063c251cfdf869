//! Trees that copy the structure of another.

use crate::Key;
use std::collections::BTreeMap;

/// A tree that can copy and compare the structure of another one, by reference: its shape (the
/// lengths of vectors, the variants of enums, the keys of maps) and the fields that are not leaves.
/// The type of the copy's leaves decides which part of a leaf is copied.
///
/// `#[derive(Tree)]` implements it; fields without leaves must be `Clone` and `PartialEq`.
#[diagnostic::on_unimplemented(
    message = "the structure of `{Other}` cannot be copied and compared",
    note = "each field without leaves must be `Clone` and `PartialEq`, and each tree inside derive \
            `Tree`"
)]
pub trait Mirror<Other> {
    /// A copy of the structure.
    fn mirror(other: &Other) -> Self;

    /// Whether a copy of `other` would be equal.
    fn is_mirror_of(&self, other: &Other) -> bool;
}

impl<A: Mirror<B>, B> Mirror<Vec<B>> for Vec<A> {
    fn mirror(other: &Vec<B>) -> Vec<A> {
        other.iter().map(A::mirror).collect()
    }

    fn is_mirror_of(&self, other: &Vec<B>) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.is_mirror_of(b))
    }
}

impl<A: Mirror<B>, B> Mirror<Option<B>> for Option<A> {
    fn mirror(other: &Option<B>) -> Option<A> {
        other.as_ref().map(A::mirror)
    }

    fn is_mirror_of(&self, other: &Option<B>) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.is_mirror_of(b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<A: Mirror<B>, B> Mirror<Box<B>> for Box<A> {
    fn mirror(other: &Box<B>) -> Box<A> {
        Box::new(A::mirror(other))
    }

    fn is_mirror_of(&self, other: &Box<B>) -> bool {
        (**self).is_mirror_of(other)
    }
}

impl<A: Mirror<B>, B, const N: usize> Mirror<[B; N]> for [A; N] {
    fn mirror(other: &[B; N]) -> [A; N] {
        std::array::from_fn(|i| A::mirror(&other[i]))
    }

    fn is_mirror_of(&self, other: &[B; N]) -> bool {
        self.iter().zip(other).all(|(a, b)| a.is_mirror_of(b))
    }
}

impl<A: Mirror<B>, B> Mirror<BTreeMap<String, B>> for BTreeMap<String, A> {
    fn mirror(other: &BTreeMap<String, B>) -> BTreeMap<String, A> {
        other.iter().map(|(key, b)| (key.clone(), A::mirror(b))).collect()
    }

    fn is_mirror_of(&self, other: &BTreeMap<String, B>) -> bool {
        let same = |((left, a), (right, b)): ((_, &A), (_, &B))| left == right && a.is_mirror_of(b);
        self.len() == other.len() && self.iter().zip(other).all(same)
    }
}

impl<A: Mirror<B>, B> Mirror<Key<B>> for Key<A> {
    fn mirror(other: &Key<B>) -> Key<A> {
        Key(A::mirror(&other.0))
    }

    fn is_mirror_of(&self, other: &Key<B>) -> bool {
        self.0.is_mirror_of(&other.0)
    }
}

macro_rules! tuple {
    () => {};
    ($($a:ident $b:ident $at:tt),+) => {
        impl<$($a: Mirror<$b>, $b),+> Mirror<($($b,)+)> for ($($a,)+) {
            fn mirror(other: &($($b,)+)) -> ($($a,)+) {
                ($($a::mirror(&other.$at),)+)
            }

            fn is_mirror_of(&self, other: &($($b,)+)) -> bool {
                $(self.$at.is_mirror_of(&other.$at))&&+
            }
        }
    };
}
crate::for_each_arity!(tuple);
