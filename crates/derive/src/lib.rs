//! `#[derive(Tree)]`: one structure that holds specs, tensors or buffers.
//!
//! # How it works
//! A field's type is analysed syntactically. The leaf parameter itself is a leaf; `Option`, `Vec`,
//! `Box`, arrays, tuples and `BTreeMap<String, _>` around it are visited by generated code, because
//! `<T as Tree>::With<L>` is not known to be `L` for a `T` that is any leaf; every other type that
//! mentions the parameter is a tree of its own and is visited through the trait; a type that does
//! not mention it is copied unchanged. The generated order and paths are those of the trait's own
//! implementations for containers.

#![forbid(unsafe_code)]

mod attributes;
mod crate_path;
mod input;
mod shape;
mod spec_tree;
mod tree;

use proc_macro::TokenStream;

/// Implements `Tree` for a struct or an enum that is generic over its leaves, and `SpecTree` where
/// that is possible.
///
/// The leaf is the first type parameter (commonly `T = Tensor`), or the one named by `#[tree(leaf =
/// Name)]`. Leaves are visited in the order of the fields, each under its field's name, or its
/// index in a tuple.
///
/// ```
/// use hloom_graph::{Spec, Tensor, Tree};
///
/// #[derive(Tree)]
/// struct Linear<T = Tensor> {
///     #[axes(out, in)]
///     weight: T,
///     bias: Option<T>,
/// }
///
/// #[derive(Tree)]
/// struct Mlp<T = Tensor> {
///     #[tree(rename = "layer")]
///     layers: Vec<Linear<T>>,
///     #[tree(value = 1e-5)]
///     epsilon: f64,
/// }
///
/// let linear = Linear { weight: Spec::f32([10, 784]), bias: Some(Spec::f32([10])) };
/// let mlp = Mlp { layers: vec![linear], epsilon: 1e-5 };
/// assert_eq!(mlp.paths(), ["layer.0.weight", "layer.0.bias"]);
/// ```
///
/// # Attributes of the type
/// - `#[tree(leaf = T)]`: the leaf parameter, if it is not the first type parameter.
/// - `#[tree(crate = path)]`: the path of the graph crate, if neither `hloom` nor `hloom-graph` is
///   a dependency.
///
/// # Attributes of a field
/// - `#[axes(out, in)]` or `#[axes("out", "in")]`: the names of a leaf's axes, assigned to specs
///   read from a checkpoint; `_` for an axis without a name.
/// - `#[tree(rename = "self_attn.q_proj")]`: the path segment, if it is not the field's name.
/// - `#[tree(flatten)]`: no path segment.
/// - `#[tree(default)]`, `#[tree(value = expression)]`: the field's value when specs are read.
///   `SpecTree` is implemented only if every field without leaves has one of them.
///
/// # Enums
/// The fields of a variant are treated as those of a struct; the variant adds no path segment.
/// Enums do not implement `SpecTree`, since a checkpoint does not name the variant.
#[proc_macro_derive(Tree, attributes(tree, axes))]
pub fn derive_tree(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    match input::Input::read(&input) {
        Ok(input) => {
            let mut tokens = tree::implementation(&input);
            tokens.extend(spec_tree::implementation(&input));
            tokens.into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}
