//! Trees: one structure of leaves, shared by specs, tensors and buffers.

use super::{structure::StructureWalk, zip};
use crate::{Mismatch, Path, Spec, SpecReader, SpecSource, SpecTree, Tensor};
use std::collections::{BTreeMap, BTreeSet};

/// A leaf of a tree: a spec, a tensor, a buffer.
pub trait Leaf: Tree<Leaf = Self> + Sized {}

/// A structure of leaves, always visited in the same order, which can be rebuilt with leaves of
/// another type.
///
/// `#[derive(Tree)]` implements it for a struct that is generic over its leaf: `Mlp<Spec>`
/// describes what to compile for, `Mlp<Tensor>` is used inside the function, `Mlp<Buffer>` holds
/// the data. Tuples, arrays, `Vec`, `Option`, `Box` and `BTreeMap<String, _>` of trees are trees.
/// Fields that do not mention the leaf type are copied unchanged.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tree of leaves",
    note = "derive `Tree` for a struct; tuples, arrays, `Vec`, `Option`, `Box` and \
            `BTreeMap<String, _>` of trees are trees"
)]
pub trait Tree {
    /// The type of the leaves.
    type Leaf: Leaf;
    /// The same structure with other leaves.
    type With<L: Leaf>: Tree<Leaf = L>;

    /// Rebuilds the tree with `f` applied to each leaf; `path` is the path of this tree.
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, Self::Leaf) -> L,
    ) -> Self::With<L>;

    /// Calls `f` on each leaf; `path` is the path of this tree.
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a Self::Leaf));

    /// Calls `f` on each leaf mutably; `path` is the path of this tree.
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut Self::Leaf),
    );

    /// Passes the parts of the structure to `walk`, in the order of the leaves; `path` is the path
    /// of this tree. By default, the structure of a tree is the paths of its leaves.
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        self.visit_at(path, &mut |path, _| walk.leaf(path));
    }

    /// Calls `f` with the path of each leaf in a field with `#[tree(buffer)]`; `path` is the path
    /// of this tree. By default there are none.
    fn buffers_at(&self, _path: &Path<'_>, _f: &mut dyn FnMut(&Path<'_>)) {}

    /// The paths of the leaves in fields with `#[tree(buffer)]`, which no optimizer changes, such as
    /// the running statistics of a normalisation.
    fn buffers(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        self.buffers_at(&Path::ROOT, &mut |path| {
            paths.insert(path.to_string());
        });
        paths
    }

    /// Rebuilds the tree with `f` applied to each leaf and its path.
    #[doc(alias = "map_with_path")]
    #[doc(alias = "tree_map_with_path")]
    fn map<L: Leaf>(self, f: &mut dyn FnMut(&Path<'_>, Self::Leaf) -> L) -> Self::With<L>
    where
        Self: Sized,
    {
        self.map_at(&Path::ROOT, f)
    }

    /// Calls `f` on each leaf and its path.
    #[doc(alias = "tree_leaves")]
    #[doc(alias = "tree_flatten_with_path")]
    fn visit<'a>(&'a self, f: &mut dyn FnMut(&Path<'_>, &'a Self::Leaf)) {
        self.visit_at(&Path::ROOT, f);
    }

    /// Calls `f` on each leaf mutably.
    fn visit_mut<'a>(&'a mut self, f: &mut dyn FnMut(&Path<'_>, &'a mut Self::Leaf)) {
        self.visit_mut_at(&Path::ROOT, f);
    }

    /// The specs of the tensors in `source`, such as a part of a checkpoint.
    ///
    /// # Errors
    /// All tensors that are missing or have another rank than `#[axes(..)]` names.
    fn spec(source: &dyn SpecSource) -> Result<Self, Mismatch>
    where
        Self: SpecTree + Tree<Leaf = Spec>,
    {
        Self::spec_with(source, &())
    }

    /// As [`spec`](Self::spec), with a configuration: that of the type's `#[tree(config = Type)]`,
    /// or of the trees in it. The values of fields without tensors come from there.
    ///
    /// ```
    /// use hloom_graph::{Spec, Tensor, Tree};
    /// use std::collections::BTreeMap;
    ///
    /// struct Config {
    ///     heads: usize,
    /// }
    ///
    /// #[derive(Tree)]
    /// #[tree(config = Config)]
    /// struct Attention<T = Tensor> {
    ///     weight: T,
    ///     #[tree(value = config.heads)]
    ///     heads: usize,
    /// }
    ///
    /// let source = BTreeMap::from([("weight".to_owned(), Spec::f32([8, 8]))]);
    /// assert_eq!(Attention::spec_with(&source, &Config { heads: 2 })?.heads, 2);
    /// # Ok::<(), hloom_graph::Mismatch>(())
    /// ```
    ///
    /// # Errors
    /// As [`spec`](Self::spec), and all tensors that a configuration demands and that are missing.
    fn spec_with<C>(source: &dyn SpecSource, config: &C) -> Result<Self, Mismatch>
    where
        Self: SpecTree<C> + Tree<Leaf = Spec>,
    {
        let reader = SpecReader::new(source);
        let tree = Self::spec_at(&reader, &Path::ROOT, None, config);
        reader.finish(tree)
    }

    /// The paths of the leaves, in order.
    fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.visit(&mut |path, _| paths.push(path.to_string()));
        paths
    }

    /// The number of leaves.
    fn count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_, _| count += 1);
        count
    }

    /// Rebuilds two trees of one structure as one tree, with `f` applied to each pair of leaves;
    /// fields that are not leaves come from `self`.
    ///
    /// # Errors
    /// The paths at which only one of the trees has a leaf.
    ///
    /// ```
    /// use hloom_graph::{Path, Spec, Tree};
    ///
    /// let sizes = vec![Spec::f32([2]), Spec::f32([3])];
    /// let types = vec![Spec::i32([1]), Spec::u8([1])];
    /// let typed = &mut |_: &Path<'_>, a: Spec, b: Spec| a.with_dtype(b.shape().dtype());
    /// let both = sizes.zip_map(types, typed)?;
    /// assert_eq!(both, [Spec::i32([2]), Spec::u8([3])]);
    /// # Ok::<(), hloom_graph::Mismatch>(())
    /// ```
    #[doc(alias = "tree_map")]
    fn zip_map<M: Leaf, L: Leaf>(
        self,
        other: Self::With<M>,
        f: &mut dyn FnMut(&Path<'_>, Self::Leaf, M) -> L,
    ) -> Result<Self::With<L>, Mismatch>
    where
        Self: Sized,
    {
        zip::check(&self.paths(), &other.paths())?;
        let mut leaves = Vec::new();
        let nothing = Spec::of(crate::Shape::scalar(crate::DType::Bool));
        other.map(&mut |_, leaf| {
            leaves.push(leaf);
            nothing.clone()
        });
        let mut leaves = leaves.into_iter();
        Ok(self.map(&mut |path, leaf| {
            let other = leaves.next().expect("both trees have the same paths");
            f(path, leaf, other)
        }))
    }

    /// Folds two trees of one structure, from the first pair of leaves to the last.
    ///
    /// # Errors
    /// As [`zip_map`](Self::zip_map).
    #[doc(alias = "tree_reduce")]
    fn zip_fold<M: Leaf, A>(
        &self,
        other: &Self::With<M>,
        start: A,
        mut f: impl FnMut(A, &Path<'_>, &Self::Leaf, &M) -> A,
    ) -> Result<A, Mismatch>
    where
        Self: Sized,
    {
        zip::check(&self.paths(), &other.paths())?;
        let mut leaves = Vec::new();
        other.visit(&mut |_, leaf| leaves.push(leaf));
        let mut leaves = leaves.into_iter();
        let mut folded = Some(start);
        self.visit(&mut |path, leaf| {
            let other = leaves.next().expect("both trees have the same paths");
            let before = folded.take().expect("each step puts the next value back");
            folded = Some(f(before, path, leaf, other));
        });
        Ok(folded.expect("each step puts the next value back"))
    }
}

/// Implements `Leaf` for a type: a tree of one leaf.
#[macro_export]
macro_rules! leaf {
    ($type:ty) => {
        impl $crate::Leaf for $type {}
        impl $crate::Tree for $type {
            type Leaf = $type;
            type With<L: $crate::Leaf> = L;
            fn map_at<L: $crate::Leaf>(
                self,
                path: &$crate::Path<'_>,
                f: &mut dyn FnMut(&$crate::Path<'_>, $type) -> L,
            ) -> L {
                f(path, self)
            }
            fn visit_at<'a>(
                &'a self,
                path: &$crate::Path<'_>,
                f: &mut dyn FnMut(&$crate::Path<'_>, &'a $type),
            ) {
                f(path, self)
            }
            fn visit_mut_at<'a>(
                &'a mut self,
                path: &$crate::Path<'_>,
                f: &mut dyn FnMut(&$crate::Path<'_>, &'a mut $type),
            ) {
                f(path, self)
            }
            #[inline]
            fn structure_at(&self, _: &$crate::Path<'_>, _: &mut $crate::StructureWalk<'_>) {}
        }
    };
}
leaf!(Tensor);
leaf!(Spec);

impl<A: Tree> Tree for Vec<A> {
    type Leaf = A::Leaf;
    type With<L: Leaf> = Vec<A::With<L>>;
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, A::Leaf) -> L,
    ) -> Vec<A::With<L>> {
        self.into_iter().enumerate().map(|(i, a)| a.map_at(&path.index(i), f)).collect()
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a A::Leaf)) {
        for (i, a) in self.iter().enumerate() {
            a.visit_at(&path.index(i), f);
        }
    }
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut A::Leaf),
    ) {
        for (i, a) in self.iter_mut().enumerate() {
            a.visit_mut_at(&path.index(i), f);
        }
    }
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.length(path, self.len());
        for (i, a) in self.iter().enumerate() {
            a.structure_at(&path.index(i), walk);
        }
    }
    fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
        for (i, a) in self.iter().enumerate() {
            a.buffers_at(&path.index(i), f);
        }
    }
}

impl<A: Tree> Tree for Option<A> {
    type Leaf = A::Leaf;
    type With<L: Leaf> = Option<A::With<L>>;
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, A::Leaf) -> L,
    ) -> Option<A::With<L>> {
        self.map(|a| a.map_at(path, f))
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a A::Leaf)) {
        if let Some(a) = self {
            a.visit_at(path, f);
        }
    }
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut A::Leaf),
    ) {
        if let Some(a) = self {
            a.visit_mut_at(path, f);
        }
    }
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.option(path, self.is_some());
        if let Some(a) = self {
            a.structure_at(path, walk);
        }
    }
    fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
        if let Some(a) = self {
            a.buffers_at(path, f);
        }
    }
}

impl<A: Tree> Tree for Box<A> {
    type Leaf = A::Leaf;
    type With<L: Leaf> = Box<A::With<L>>;
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, A::Leaf) -> L,
    ) -> Box<A::With<L>> {
        Box::new((*self).map_at(path, f))
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a A::Leaf)) {
        (**self).visit_at(path, f);
    }
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut A::Leaf),
    ) {
        (**self).visit_mut_at(path, f);
    }
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        (**self).structure_at(path, walk);
    }
    fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
        (**self).buffers_at(path, f);
    }
}

impl<A: Tree, const N: usize> Tree for [A; N] {
    type Leaf = A::Leaf;
    type With<L: Leaf> = [A::With<L>; N];
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, A::Leaf) -> L,
    ) -> [A::With<L>; N] {
        let mut i = 0;
        self.map(|a| {
            i += 1;
            a.map_at(&path.index(i - 1), f)
        })
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a A::Leaf)) {
        for (i, a) in self.iter().enumerate() {
            a.visit_at(&path.index(i), f);
        }
    }
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut A::Leaf),
    ) {
        for (i, a) in self.iter_mut().enumerate() {
            a.visit_mut_at(&path.index(i), f);
        }
    }
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        for (i, a) in self.iter().enumerate() {
            a.structure_at(&path.index(i), walk);
        }
    }
    fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
        for (i, a) in self.iter().enumerate() {
            a.buffers_at(&path.index(i), f);
        }
    }
}

impl<A: Tree> Tree for BTreeMap<String, A> {
    type Leaf = A::Leaf;
    type With<L: Leaf> = BTreeMap<String, A::With<L>>;
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, A::Leaf) -> L,
    ) -> Self::With<L> {
        self.into_iter()
            .map(|(key, a)| {
                let mapped = a.map_at(&path.field(&key), f);
                (key, mapped)
            })
            .collect()
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a A::Leaf)) {
        for (key, a) in self {
            a.visit_at(&path.field(key), f);
        }
    }
    fn visit_mut_at<'a>(
        &'a mut self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, &'a mut A::Leaf),
    ) {
        for (key, a) in self {
            a.visit_mut_at(&path.field(key), f);
        }
    }
    fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
        walk.length(path, self.len());
        for (key, a) in self {
            walk.key(path, key);
            a.structure_at(&path.field(key), walk);
        }
    }
    fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
        for (key, a) in self {
            a.buffers_at(&path.field(key), f);
        }
    }
}

macro_rules! tuple {
    () => {};
    ($first:ident $p:ident $first_at:tt $(, $rest:ident $q:ident $rest_at:tt)*) => {
        impl<$first: Tree, $($rest: Tree<Leaf = $first::Leaf>),*> Tree for ($first, $($rest,)*) {
            type Leaf = $first::Leaf;
            type With<L: Leaf> = ($first::With<L>, $($rest::With<L>,)*);
            fn map_at<L: Leaf>(
                self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, Self::Leaf) -> L,
            ) -> Self::With<L> {
                (
                    self.$first_at.map_at(&path.index($first_at), f),
                    $(self.$rest_at.map_at(&path.index($rest_at), f),)*
                )
            }
            fn visit_at<'a>(
                &'a self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a Self::Leaf),
            ) {
                self.$first_at.visit_at(&path.index($first_at), f);
                $(self.$rest_at.visit_at(&path.index($rest_at), f);)*
            }
            fn visit_mut_at<'a>(
                &'a mut self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a mut Self::Leaf),
            ) {
                self.$first_at.visit_mut_at(&path.index($first_at), f);
                $(self.$rest_at.visit_mut_at(&path.index($rest_at), f);)*
            }
            fn structure_at(&self, path: &Path<'_>, walk: &mut StructureWalk<'_>) {
                self.$first_at.structure_at(&path.index($first_at), walk);
                $(self.$rest_at.structure_at(&path.index($rest_at), walk);)*
            }
            fn buffers_at(&self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>)) {
                self.$first_at.buffers_at(&path.index($first_at), f);
                $(self.$rest_at.buffers_at(&path.index($rest_at), f);)*
            }
        }
    };
}
crate::for_each_arity!(tuple);
