//! Trees of specs that are read from named tensors.

use crate::{Mismatch, Path, Spec, SpecReader, SpecSource, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// A tree of specs that can be read from a [`SpecSource`] such as a checkpoint: every leaf is
/// looked up by its path.
///
/// `#[derive(Tree)]` implements it for a struct whose fields all hold leaves or carry
/// `#[tree(default)]` or `#[tree(value = ..)]`. An `Option` is `Some` if a tensor exists at or
/// below its path, a `Vec` has as many elements as there are consecutive indices from 0, and a
/// `BTreeMap` has the segments that follow its path as keys. A `Vec` or a map without elements is
/// an error, unless its field carries `#[tree(may_be_empty)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read off a checkpoint",
    note = "a struct that derives `Tree` can when every field holds leaves or carries \
            `#[tree(default)]` or `#[tree(value = ..)]`"
)]
pub trait SpecTree: Tree + Sized {
    /// The specs found at `path` and below it. `axes` are the names in the field's `#[axes(..)]`.
    /// The reader records what is missing.
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Self;

    /// The specs of the tensors in `source`.
    ///
    /// # Errors
    /// All tensors that are missing or have another rank than `#[axes(..)]` names.
    fn spec(source: &dyn SpecSource) -> Result<Self, Mismatch>
    where
        // Here, not on the trait: a derived implementation is for any leaf that can be read, which
        // is `Spec` alone, and from this `Mlp::spec(..)` infers `Mlp<Spec>`.
        Self: Tree<Leaf = Spec>,
    {
        let reader = SpecReader::new(source);
        let tree = Self::spec_at(&reader, &Path::ROOT, None);
        reader.finish(tree)
    }
}

impl SpecTree for Spec {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Spec {
        reader.leaf(path, axes)
    }
}

impl<A: SpecTree> SpecTree for Vec<A> {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Vec<A> {
        let segments = reader.children(path);
        let indices: BTreeSet<usize> =
            segments.iter().filter_map(|segment| segment.parse().ok()).collect();
        let count =
            indices.iter().zip(0..).take_while(|(found, expected)| **found == *expected).count();
        if count < indices.len() {
            reader.missing(&path.index(count));
        }
        if count == 0 {
            reader.missing(&path.index(0));
        }
        (0..count).map(|i| A::spec_at(reader, &path.index(i), axes)).collect()
    }
}

impl<A: SpecTree> SpecTree for Option<A> {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Option<A> {
        reader.contains(path).then(|| A::spec_at(reader, path, axes))
    }
}

impl<A: SpecTree> SpecTree for Box<A> {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Box<A> {
        Box::new(A::spec_at(reader, path, axes))
    }
}

impl<A: SpecTree, const N: usize> SpecTree for [A; N] {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> [A; N] {
        std::array::from_fn(|i| A::spec_at(reader, &path.index(i), axes))
    }
}

impl<A: SpecTree> SpecTree for BTreeMap<String, A> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
    ) -> BTreeMap<String, A> {
        let keys = reader.children(path);
        if keys.is_empty() {
            reader.missing(path);
        }
        keys.into_iter()
            .map(|key| {
                let tree = A::spec_at(reader, &path.field(&key), axes);
                (key, tree)
            })
            .collect()
    }
}

macro_rules! tuple {
    ($first:ident $first_at:tt $(, $rest:ident $rest_at:tt)*) => {
        impl<$first: SpecTree, $($rest: SpecTree<Leaf = $first::Leaf>),*> SpecTree
            for ($first, $($rest,)*)
        {
            fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>) -> Self {
                (
                    $first::spec_at(reader, &path.index($first_at), axes),
                    $($rest::spec_at(reader, &path.index($rest_at), axes),)*
                )
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
