//! Trees of specs that are read from named tensors.

use crate::{Path, Spec, SpecReader};
use std::collections::BTreeMap;

/// A tree of specs that can be read from a [`SpecSource`](crate::SpecSource) such as a checkpoint,
/// with a configuration of type `C`: every leaf is looked up by its path.
/// [`Tree::spec`](crate::Tree::spec) and [`Tree::spec_with`](crate::Tree::spec_with) do it.
///
/// `#[derive(Tree)]` implements it for a struct whose fields all hold leaves or carry
/// `#[tree(default)]` or `#[tree(value = ..)]`: for every configuration, unless the struct names
/// one by `#[tree(config = Type)]`. A struct passes its configuration on to the trees in its
/// fields. An `Option` is `Some` if a tensor exists at or below its path, a `Vec` has as many
/// elements as there are consecutive indices from 0, and a `BTreeMap` has the segments that follow
/// its path as keys. A `Vec` or a map without elements is an error, unless its field carries
/// `#[tree(may_be_empty)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a checkpoint with the configuration `{C}`",
    note = "a tree with `#[tree(config = Type)]`, or one that contains such a tree, is read by \
            `spec_with(&source, &config)` with a configuration of this type",
    note = "the derive of `Tree` makes structs readable, and no enums: a checkpoint does not name \
            the variant"
)]
pub trait SpecTree<C = ()>: Sized {
    /// The specs found at `path` and below it. `axes` are the names in the field's `#[axes(..)]`.
    /// The reader records missing tensors.
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>, config: &C)
    -> Self;
}

/// The type of a field that holds no leaves and has a value when the struct `Struct` is read with
/// the configuration `C`; No type implements it: derived implementations of [`SpecTree`] require it
/// where a field has no value, for the sake of the compiler's message.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Struct}` cannot be read from a checkpoint: its field of type `{Self}` holds no \
               tensors and has no value",
    label = "a field of type `{Self}` has no value",
    note = "give the field its value by `#[tree(value = expression)]` or `#[tree(default)]`",
    note = "with `#[tree(config = Type)]` on the struct, the expression may use `config`: \
            `#[tree(value = config.heads)]`"
)]
pub trait FieldValue<Struct, C> {}

impl<C> SpecTree<C> for Spec {
    fn spec_at(reader: &SpecReader<'_>, path: &Path<'_>, axes: Option<&[&str]>, _: &C) -> Spec {
        reader.leaf(path, axes)
    }
}

impl<A: SpecTree<C>, C> SpecTree<C> for Vec<A> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &C,
    ) -> Vec<A> {
        reader.list(path, None, |path| A::spec_at(reader, path, axes, config))
    }
}

impl<A: SpecTree<C>, C> SpecTree<C> for Option<A> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &C,
    ) -> Option<A> {
        reader.option(path).then(|| A::spec_at(reader, path, axes, config))
    }
}

impl<A: SpecTree<C>, C> SpecTree<C> for Box<A> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &C,
    ) -> Box<A> {
        Box::new(A::spec_at(reader, path, axes, config))
    }
}

impl<A: SpecTree<C>, C, const N: usize> SpecTree<C> for [A; N] {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &C,
    ) -> [A; N] {
        std::array::from_fn(|i| A::spec_at(reader, &path.index(i), axes, config))
    }
}

impl<A: SpecTree<C>, C> SpecTree<C> for BTreeMap<String, A> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &C,
    ) -> BTreeMap<String, A> {
        let keys = reader.children(path);
        if keys.is_empty() {
            reader.missing(path);
        }
        keys.into_iter()
            .map(|key| {
                let tree = A::spec_at(reader, &path.field(&key), axes, config);
                (key, tree)
            })
            .collect()
    }
}

macro_rules! tuple {
    () => {};
    ($first:ident $p:ident $first_at:tt $(, $rest:ident $q:ident $rest_at:tt)*) => {
        impl<Config, $first: SpecTree<Config>, $($rest: SpecTree<Config>),*> SpecTree<Config>
            for ($first, $($rest,)*)
        {
            fn spec_at(
                reader: &SpecReader<'_>,
                path: &Path<'_>,
                axes: Option<&[&str]>,
                config: &Config,
            ) -> Self {
                (
                    $first::spec_at(reader, &path.index($first_at), axes, config),
                    $($rest::spec_at(reader, &path.index($rest_at), axes, config),)*
                )
            }
        }
    };
}
crate::for_each_arity!(tuple);
