//! The derive macro of the Tree trait.
use proc_macro::TokenStream;
/// Placeholder.
#[proc_macro_derive(Tree, attributes(tree, axes))]
pub fn tree(_: TokenStream) -> TokenStream { TokenStream::new() }
