//! Constants that a field's attribute sets in the trees of the field: `set(norm.epsilon = 1e-6)`.

use crate::shape::Shape;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Expr, Ident, Member, Result, Token,
    parse::{Parse, ParseStream},
};

/// One constant.
pub struct Constant {
    /// The path from the tree to its field.
    path: Vec<Member>,
    /// The value.
    value: Expr,
}

impl Parse for Constant {
    fn parse(input: ParseStream<'_>) -> Result<Constant> {
        let mut path = vec![input.parse()?];
        while input.peek(Token![.]) {
            input.parse::<Token![.]>()?;
            path.push(input.parse()?);
        }
        input.parse::<Token![=]>()?;
        Ok(Constant { path, value: input.parse()? })
    }
}

impl Constant {
    /// The value.
    pub fn value(&self) -> &Expr {
        &self.value
    }
}

impl Shape {
    /// Statements that set the constants in the trees of the expression `tree`, which has this
    /// shape; the constants may use `index`, the index in the innermost list. `None` if the shape
    /// has no trees.
    pub fn set(&self, tree: &TokenStream, constants: &[Constant]) -> Option<TokenStream> {
        // The expressions are the user's: they can use `index`, but not the names of generated
        // code.
        let part = Ident::new("part", Span::mixed_site()).into_token_stream();
        Some(match self {
            Shape::Tree(_) => {
                let set = constants
                    .iter()
                    .map(|Constant { path, value }| quote!(#tree #(.#path)* = #value;));
                quote!(#(#set)*)
            }
            Shape::Option(inner) => {
                let set = inner.set(&part, constants)?;
                quote!(if let ::core::option::Option::Some(#part) = &mut #tree { #set })
            }
            Shape::Box(inner) => {
                let set = inner.set(&part, constants)?;
                quote!({ let #part = &mut *#tree; #set })
            }
            Shape::Vec(inner) | Shape::Array(inner) => {
                let index = Ident::new("index", Span::call_site());
                let set = inner.set(&part, constants)?;
                quote! {
                    for (#index, #part) in
                        ::core::iter::Iterator::enumerate(#tree.iter_mut())
                    {
                        #set
                    }
                }
            }
            Shape::Map(inner) => {
                let set = inner.set(&part, constants)?;
                quote!(for #part in #tree.values_mut() { #set })
            }
            Shape::Leaf | Shape::Carried { .. } | Shape::Tuple(_) => return None,
        })
    }
}
