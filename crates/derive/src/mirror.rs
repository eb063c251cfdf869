//! The implementation of `Mirror`.

use crate::{
    input::{Field, Input, Variant},
    shape::{Shape, mentions},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Ident, TypeParamBound, parse_quote};

/// `impl Mirror for ..`, with bounds on the fields.
pub fn implementation(input: &Input) -> TokenStream {
    let Input { krate, leaves, .. } = input;
    let this = input.with(Ident::to_token_stream);
    let that = leaves.counterpart(this.clone());
    let mut generics = input.generics.clone();
    let mut other_parameters: Vec<GenericParam> = Vec::new();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter
            && leaves.change(&parameter.ident)
        {
            let ident = &parameter.ident;
            let other = leaves.counterpart(ident.to_token_stream());
            let bounds = leaves.counterpart(parameter.bounds.to_token_stream());
            // Those of trees follow from the fields.
            if leaves.are_of_trees {
                other_parameters.push(parse_quote!(#other: #bounds));
                continue;
            }
            let own: TypeParamBound = leaves.bound(ident, krate);
            other_parameters.push(parse_quote!(#other: #own + #bounds));
            parameter.bounds.push(own);
            parameter.bounds.push(parse_quote!(#krate::Mirror<#other>));
        }
    }
    generics.params.extend(other_parameters);
    let predicates = &mut generics.make_where_clause().predicates;
    for field in input.variants.iter().flat_map(|variant| &variant.fields) {
        let ty = &field.ty;
        match field.shape {
            Shape::Leaf if !leaves.are_of_trees => {}
            Shape::Carried { phantom: true } => {}
            // A bound that mentions no parameter may only be false if it is over a lifetime.
            Shape::Carried { phantom: false } => predicates.push(parse_quote! {
                for<'any> #ty: ::core::clone::Clone + ::core::cmp::PartialEq
            }),
            // For a recursive type the bound would be cyclic.
            _ if mentions(ty.to_token_stream(), &input.name) => {}
            _ => {
                let counterpart = leaves.counterpart(ty.to_token_stream());
                predicates.push(parse_quote!(#ty: #krate::Mirror<#counterpart>));
            }
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let mirrors = input.variants.iter().map(|variant| variant.mirror(krate));
    let compares = input.variants.iter().map(|variant| variant.compare(krate));
    // An enum without variants has nothing to match by reference.
    let is_empty = input.variants.is_empty();
    let matched = if is_empty { quote!(*other) } else { quote!(other) };
    let compare = if is_empty {
        quote!(match *self {})
    } else {
        quote! {
            match (self, other) {
                #(#compares)*
                _ => false,
            }
        }
    };
    quote! {
        #[automatically_derived]
        #[allow(
            private_bounds,
            unused_variables,
            unreachable_patterns,
            clippy::all,
            reason = "fields may be private; a struct has no other variant, and perhaps no leaves"
        )]
        impl #impl_generics #krate::Mirror<#that> for #this #where_clause {
            fn mirror(other: &#that) -> Self {
                match #matched { #(#mirrors)* }
            }

            fn is_mirror_of(&self, other: &#that) -> bool {
                #[allow(
                    unused_imports,
                    reason = "one of the traits is used for each field without leaves"
                )]
                use #krate::{SameCompared as _, SamePlain as _};
                #compare
            }
        }
    }
}

impl Variant {
    fn mirror(&self, krate: &TokenStream) -> TokenStream {
        let (constructor, pattern) = (&self.constructor, self.borrowed("other"));
        let fields = self.fields.iter().map(|field| {
            let (member, variable) = (&field.member, variable("other", field));
            let value = match field.shape {
                Shape::Carried { phantom: true } => quote!(::core::marker::PhantomData),
                Shape::Carried { .. } => quote!(::core::clone::Clone::clone(#variable)),
                _ => quote!(#krate::Mirror::mirror(#variable)),
            };
            quote!(#member: #value)
        });
        quote!(#pattern => #constructor { #(#fields),* },)
    }

    fn compare(&self, krate: &TokenStream) -> TokenStream {
        let (left, right) = (self.borrowed("this"), self.borrowed("other"));
        let fields = self.fields.iter().map(|field| {
            let (a, b) = (variable("this", field), variable("other", field));
            match field.shape {
                Shape::Carried { phantom: true } => quote!(true),
                Shape::Carried { .. } => quote!((&&#krate::Carried(#a)).is_same(#b)),
                _ => quote!(#krate::Mirror::is_mirror_of(#a, #b)),
            }
        });
        quote!((#left, #right) => true #(&& #fields)*,)
    }

    /// A pattern of references to the fields.
    fn borrowed(&self, side: &str) -> TokenStream {
        let constructor = &self.constructor;
        let fields = self.fields.iter().map(|field| {
            let (member, variable) = (&field.member, variable(side, field));
            quote!(#member: #variable)
        });
        quote!(#constructor { #(#fields),* })
    }
}

fn variable(side: &str, field: &Field) -> Ident {
    format_ident!("{side}_{}", field.variable)
}
