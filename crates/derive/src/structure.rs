//! The method `structure_at` of `Tree`.

use crate::{
    input::{Input, Variant},
    shape::Shape,
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Type;

/// `fn structure_at ..`.
pub fn method(input: &Input) -> TokenStream {
    let krate = &input.krate;
    // An enum without variants has nothing to match by reference.
    let matched = if input.variants.is_empty() { quote!(*self) } else { quote!(self) };
    let arms = input.variants.iter().enumerate().map(|(index, variant)| {
        let (pattern, fields) = (variant.pattern(), variant.structure(krate));
        let name = variant.constructor.clone().into_iter().last().map(|name| name.to_string());
        let chosen = input.is_enum.then(|| quote!(walk.variant(path, #index, #name);));
        quote!(#pattern => { #chosen #fields })
    });
    quote! {
        fn structure_at(&self, path: &#krate::Path<'_>, walk: &mut #krate::StructureWalk<'_>) {
            #[allow(
                unused_imports,
                reason = "one of the traits is used for each field without leaves"
            )]
            use #krate::{
                CarriedBorrowingFunction as _, CarriedCompared as _, CarriedFunction as _,
                CarriedOpaque as _, CarriedPlain as _, CarriedShown as _,
            };
            match #matched { #(#arms)* }
        }
    }
}

impl Variant {
    fn structure(&self, krate: &TokenStream) -> TokenStream {
        let fields = self.fields.iter().map(|field| {
            let (variable, path) = (&field.variable, field.path(&format_ident!("path")));
            match field.shape {
                Shape::Carried { phantom: false } if is_comparable(&field.ty) => quote! {
                    (&&&&&&#krate::Carried(#variable)).structure_at(#path, walk);
                },
                _ => field.shape.structure(krate, quote!(#variable), path),
            }
        });
        fields.collect()
    }
}

impl Shape {
    /// A statement that passes the structure of `value`, a reference, at `path` to `walk`.
    fn structure(&self, krate: &TokenStream, value: TokenStream, path: TokenStream) -> TokenStream {
        match self {
            Shape::Leaf | Shape::Carried { .. } => TokenStream::new(),
            Shape::Tree(_) => quote!(#krate::Tree::structure_at(#value, #path, walk);),
            Shape::Option(inner) => {
                let inner = inner.structure(krate, quote!(value), quote!(path));
                quote!({
                    let path = #path;
                    walk.option(path, #value.is_some());
                    if let ::core::option::Option::Some(value) = #value { #inner }
                })
            }
            Shape::Box(inner) => inner.structure(krate, quote!((&**#value)), path),
            Shape::Vec(inner) => {
                let each = inner.each_structure(krate, value.clone());
                quote!({
                    let path = #path;
                    walk.length(path, #value.len());
                    #each
                })
            }
            Shape::Array(inner) => {
                let each = inner.each_structure(krate, value);
                quote!({
                    let path = #path;
                    #each
                })
            }
            Shape::Map(inner) => {
                let inner = inner.structure(krate, quote!(value), quote!(&path.field(key)));
                quote!({
                    let path = #path;
                    walk.length(path, #value.len());
                    for (key, value) in #value {
                        walk.key(path, key);
                        #inner
                    }
                })
            }
            Shape::Tuple(parts) => {
                let names: Vec<_> = (0..parts.len()).map(|i| format_ident!("part_{i}")).collect();
                let parts = parts.iter().zip(&names).enumerate().map(|(i, (part, name))| {
                    part.structure(krate, quote!(#name), quote!(&path.index(#i)))
                });
                quote!({
                    let path = #path;
                    let (#(#names,)*) = #value;
                    #(#parts)*
                })
            }
        }
    }

    /// As [`structure`](Self::structure), for each element of a list; leaves have none.
    fn each_structure(&self, krate: &TokenStream, list: TokenStream) -> TokenStream {
        let inner = self.structure(krate, quote!(value), quote!(&path.index(index)));
        if inner.is_empty() {
            return inner;
        }
        quote! {
            for (index, value) in ::core::iter::Iterator::enumerate(
                ::core::iter::IntoIterator::into_iter(#list),
            ) {
                #inner
            }
        }
    }
}

/// Whether values of a type without leaves may be compared. A copy of a value that borrows cannot
/// be kept, and two pointers to one function may differ.
fn is_comparable(ty: &Type) -> bool {
    fn is_kept(tokens: TokenStream) -> bool {
        let mut after_quote = false;
        tokens.into_iter().all(|token| match token {
            TokenTree::Ident(ident) => {
                let is_lifetime = std::mem::take(&mut after_quote);
                ident != "fn" && (!is_lifetime || ident == "static")
            }
            TokenTree::Group(group) => is_kept(group.stream()),
            TokenTree::Punct(punct) => {
                after_quote = punct.as_char() == '\'';
                true
            }
            TokenTree::Literal(_) => true,
        })
    }
    is_kept(ty.to_token_stream())
}
