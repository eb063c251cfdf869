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
mod config;
mod constant;
mod crate_path;
mod input;
mod mirror;
mod shape;
mod spec_tree;
mod structure;
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
