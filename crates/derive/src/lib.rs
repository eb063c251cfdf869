//! `#[derive(Tree)]`: one structure that holds specs, tensors or buffers. And
//! `#[tensor_methods(..)]`, the list of the methods of tensors, for the crates of Hloom only.
//!
//! # How trees are derived
//! A field's type is analysed syntactically. The leaf parameter itself is a leaf; `Option`, `Vec`,
//! `Box`, arrays, tuples and `BTreeMap<String, _>` around it are visited by generated code, because
//! `<T as Tree>::With<L>` is not known to be `L` for a `T` that is any leaf; every other type that
//! mentions the parameter is a tree of its own and is visited through the trait; a type that does
//! not mention it is copied unchanged. In a type over trees (`leaf = P::Leaf`) the type parameters
//! are such trees. The generated order and paths are those of the trait's own
//! implementations for containers.

#![forbid(unsafe_code)]

mod attributes;
mod config;
mod constant;
mod crate_path;
mod input;
mod leaves;
mod mirror;
mod shape;
mod spec_tree;
mod structure;
mod tensor_methods;
mod tree;

use proc_macro::TokenStream;

/// Implements `Tree` for a struct or an enum that is generic over its leaves. `hloom_graph`, which
/// re-exports it, documents the attributes.
#[proc_macro_derive(Tree, attributes(tree, axes))]
pub fn derive_tree(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let implementations = input::Input::read(&input).and_then(|input| {
        let mut tokens = tree::implementation(&input);
        tokens.extend(spec_tree::implementation(&input)?);
        tokens.extend(mirror::implementation(&input));
        Ok(tokens)
    });
    implementations.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The public methods of a block `impl Tensor { .. }` as a list, which `hloom_graph`'s
/// `tensor_methods!` passes on together with those of all other blocks. `#[tensor_methods(name)]`
/// does not change the block; `name` has a row in `tensor_method_blocks!`.
///
/// `tensor_methods!(then)` calls `then! { {..} {..} .. }` for each block, instead of items or
/// statements, with a record of each method:
///
/// ```text
/// { Tensor dot_with generated [] (self right) (axes: impl IntoAxes, options: DotOptions) one [] }
/// ```
///
/// - its type: `Tensor`, or one that methods of tensors take or return;
/// - its name;
/// - its form for lazy tensors: `generated`, unless it is marked as `by_hand` (`#[lazy(by_hand)]`:
///   `hloom-lazy` has a hand-written function) or `absent` (`#[lazy(absent)]`: lazy tensors lack
///   it, as methods of other types);
/// - its generic parameters;
/// - `self`, if it is not an associated function, and the parameters of type `Tensor`, which come
///   before all others;
/// - the other parameters, whose types are without paths: the caller of `tensor_methods!` imports
///   their names;
/// - its result: `one`, `two`, `three` or `many` tensors, as a tuple or a `Vec`; or `other`;
/// - its names elsewhere: those of `#[doc(alias = "..")]`.
///
/// A method does not compile without a mark if no forwarder can be generated for it.
#[proc_macro_attribute]
pub fn tensor_methods(name: TokenStream, block: TokenStream) -> TokenStream {
    let name = syn::parse_macro_input!(name as syn::Ident);
    let block = tensor_methods::block(&name, block.into());
    block.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The macro `tensor_methods!` for the blocks of these names, each with the attribute
/// `#[tensor_methods(name)]`.
#[proc_macro]
pub fn tensor_method_blocks(names: TokenStream) -> TokenStream {
    let blocks = tensor_methods::blocks(names.into());
    blocks.unwrap_or_else(syn::Error::into_compile_error).into()
}
