//! States of optimizers, as trees.

/// Defines a state: a struct over the tree of parameters `P`, whose fields are single leaves
/// (`leaf`), trees like the parameters (`tree`) or optional ones (`option`).
///
/// The derive of `Tree` is for structs that are generic over a leaf; states are generic over a
/// tree, so that they have the structure of the parameters.
macro_rules! state {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ident,)* }
    ) => {
        $(#[$doc])*
        pub struct $name<P: Tree> {
            $($(#[$field_doc])* pub $field: $crate::state::field_type!($kind P),)*
        }

        impl<P: Tree> Tree for $name<P> {
            type Leaf = P::Leaf;
            type With<L: Leaf> = $name<P::With<L>>;

            fn map_at<L: Leaf>(
                self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, P::Leaf) -> L,
            ) -> $name<P::With<L>> {
                $name {
                    $($field: $crate::state::map_field!(
                        $kind, self.$field, &path.field(stringify!($field)), f
                    ),)*
                }
            }

            fn visit_at<'a>(
                &'a self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a P::Leaf),
            ) {
                $($crate::state::visit_field!(
                    $kind, &self.$field, &path.field(stringify!($field)), f, visit_at
                );)*
            }

            fn visit_mut_at<'a>(
                &'a mut self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a mut P::Leaf),
            ) {
                $($crate::state::visit_field!(
                    $kind, &mut self.$field, &path.field(stringify!($field)), f, visit_mut_at
                );)*
            }

            fn structure_at(&self, path: &Path<'_>, walk: &mut hloom_graph::StructureWalk<'_>) {
                $(self.$field.structure_at(&path.field(stringify!($field)), walk);)*
            }
        }

        // Written out, since the derive would require the bound on `P` and not on its leaf.
        impl<P: Tree + Clone> Clone for $name<P>
        where
            P::Leaf: Clone,
        {
            fn clone(&self) -> $name<P> {
                $name { $($field: self.$field.clone(),)* }
            }
        }

        impl<P: Tree + std::fmt::Debug> std::fmt::Debug for $name<P>
        where
            P::Leaf: std::fmt::Debug,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut text = f.debug_struct(stringify!($name));
                $(text.field(stringify!($field), &self.$field);)*
                text.finish()
            }
        }

        impl<A: Tree + Mirror<B>, B: Tree> Mirror<$name<B>> for $name<A>
        where
            A::Leaf: Mirror<B::Leaf>,
        {
            fn mirror(other: &$name<B>) -> $name<A> {
                $name { $($field: Mirror::mirror(&other.$field),)* }
            }

            fn is_mirror_of(&self, other: &$name<B>) -> bool {
                $(self.$field.is_mirror_of(&other.$field))&&*
            }
        }
    };
}

macro_rules! field_type {
    (leaf $tree:ident) => { <$tree as Tree>::Leaf };
    (tree $tree:ident) => { $tree };
    (option $tree:ident) => { Option<$tree> };
}

macro_rules! map_field {
    (leaf, $value:expr, $path:expr, $f:ident) => {
        $f($path, $value)
    };
    ($kind:ident, $value:expr, $path:expr, $f:ident) => {
        $value.map_at($path, $f)
    };
}

macro_rules! visit_field {
    (leaf, $value:expr, $path:expr, $f:ident, $visit:ident) => {
        $f($path, $value)
    };
    ($kind:ident, $value:expr, $path:expr, $f:ident, $visit:ident) => {
        Tree::$visit($value, $path, $f)
    };
}

pub(crate) use {field_type, map_field, state, visit_field};
