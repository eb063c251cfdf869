//! The path of the graph crate in generated code.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The path of the graph crate in the deriving crate: the graph crate itself if it is a dependency,
/// otherwise the facade's `graph` module. Both crates declare themselves under their own name, so
/// the path is also valid inside them.
pub fn graph_crate() -> TokenStream {
    if let Some(name) = dependency("hloom-graph") {
        return quote!(::#name);
    }
    let name = dependency("hloom").unwrap_or_else(|| Ident::new("hloom", Span::call_site()));
    quote!(::#name::graph)
}

fn dependency(package: &str) -> Option<Ident> {
    let name = match crate_name(package).ok()? {
        FoundCrate::Itself => package.replace('-', "_"),
        FoundCrate::Name(name) => name,
    };
    Some(Ident::new(&name, Span::call_site()))
}
