//! The implementation of `SpecTree`.

use crate::{
    attributes::Preset,
    input::{Field, Input},
    shape::{Shape, mentions},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, parse_quote};

/// `impl SpecTree for ..`, or nothing for an enum and for a struct with a field without a value.
pub fn implementation(input: &Input) -> TokenStream {
    let [variant] = input.variants.as_slice() else {
        return TokenStream::new();
    };
    let Some(fields) =
        variant.fields.iter().map(|field| read(input, field)).collect::<Option<Vec<_>>>()
    else {
        return TokenStream::new();
    };
    if input.is_enum {
        return TokenStream::new();
    }
    let Input { krate, leaf, .. } = input;
    let this = input.with_leaf(leaf);
    let mut generics = input.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter
            && parameter.ident == *leaf
        {
            parameter.bounds.push(parse_quote!(#krate::Leaf));
            parameter.bounds.push(parse_quote!(#krate::SpecTree));
        }
    }
    let predicates = &mut generics.make_where_clause().predicates;
    // Bounds on the fields keep the rest of a struct usable if one of its parts cannot be read; for
    // a recursive type they would be cyclic.
    for field in &variant.fields {
        let carried = matches!(field.shape, Shape::Carried { .. } | Shape::Leaf);
        if !carried
            && field.attributes.preset.is_none()
            && !mentions(field.ty.to_token_stream(), &input.name)
        {
            let ty = &field.ty;
            predicates.push(parse_quote!(#ty: #krate::SpecTree));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let constructor = &variant.constructor;
    quote! {
        #[automatically_derived]
        #[allow(
            unused_variables,
            clippy::all,
            reason = "a struct without leaves uses none of the arguments"
        )]
        impl #impl_generics #krate::SpecTree for #this #where_clause {
            fn spec_at(
                reader: &#krate::SpecReader<'_>,
                path: &#krate::Path<'_>,
                axes: ::core::option::Option<&[&str]>,
            ) -> Self {
                #constructor { #(#fields),* }
            }
        }
    }
}

fn read(input: &Input, field: &Field) -> Option<TokenStream> {
    let Field { member, ty, .. } = field;
    let krate = &input.krate;
    let value = match (&field.attributes.preset, &field.shape) {
        (Some(Preset::Default), _) => quote!(::core::default::Default::default()),
        (Some(Preset::Value(value)), _) => quote!(#value),
        (None, Shape::Carried { phantom: true }) => quote!(::core::marker::PhantomData),
        (None, Shape::Carried { phantom: false }) => return None,
        (None, _) => {
            let path = field.path();
            let axes = match &field.attributes.axes {
                Some(axes) => quote!(::core::option::Option::Some(&[#(#axes),*])),
                None => quote!(::core::option::Option::None),
            };
            let read = quote!(<#ty as #krate::SpecTree>::spec_at(reader, #path, #axes));
            match field.attributes.may_be_empty {
                false => read,
                true => quote! {
                    match reader.contains(#path) {
                        true => #read,
                        false => ::core::default::Default::default(),
                    }
                },
            }
        }
    };
    Some(quote!(#member: #value))
}
