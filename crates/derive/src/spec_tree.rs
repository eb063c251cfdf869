//! The implementation of `SpecTree`.

use crate::{
    attributes::Preset,
    config::check_config,
    input::{Field, Input},
    shape::{Shape, element, mentions},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Error, Expr, GenericParam, Result, Type, parse_quote, spanned::Spanned};

/// `impl SpecTree for ..`, or nothing for an enum or a type over trees.
///
/// It is implemented for specs only, since no other leaves are read: so no bound is needed for the
/// leaves in a field with a configuration of its own.
pub fn implementation(input: &Input) -> Result<TokenStream> {
    let [variant] = input.variants.as_slice() else {
        return Ok(TokenStream::new());
    };
    for field in &variant.fields {
        check_config(input, field)?;
    }
    let Input { krate, leaves, .. } = input;
    if input.is_enum || leaves.are_of_trees {
        return Ok(TokenStream::new());
    }
    let this = input.with(|_| quote!(#krate::Spec));
    let mut generics = input.generics.clone();
    generics.params = generics
        .params
        .into_iter()
        .filter(
            |parameter| !matches!(parameter, GenericParam::Type(ty) if leaves.change(&ty.ident)),
        )
        .collect();
    let config = match &input.config {
        Some(config) => config.to_token_stream(),
        None => {
            let config = format_ident!("TreeConfig", span = Span::mixed_site());
            generics.params.push(parse_quote!(#config));
            config.to_token_stream()
        }
    };
    let read = |ty: &Type| leaves.of_specs(ty.to_token_stream(), krate);
    let predicates = &mut generics.make_where_clause().predicates;
    for field in &variant.fields {
        if let Some(bound) = bound(input, field, &this, &config, &read)? {
            predicates.push(parse_quote!(#bound));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let constructor = &variant.constructor;
    let names = Names::new(input);
    let Names { reader, path, axes, config: variable } = &names;
    let fields = variant.fields.iter().map(|field| {
        let member = &field.member;
        let value = field.read(&names, krate, &config, &read);
        quote!(#member: #value)
    });
    Ok(quote! {
        #[automatically_derived]
        #[allow(
            unused_variables,
            unreachable_code,
            clippy::all,
            reason = "a struct without leaves uses none of the arguments, and one with a field \
                      that has no value ends there"
        )]
        impl #impl_generics #krate::SpecTree<#config> for #this #where_clause {
            fn spec_at(
                #reader: &#krate::SpecReader<'_>,
                #path: &#krate::Path<'_>,
                #axes: ::core::option::Option<&[&str]>,
                #variable: &#config,
            ) -> Self {
                #constructor { #(#fields),* }
            }
        }
    })
}

/// The bounds that the implementation needs of a field.
fn bound(
    input: &Input,
    field: &Field,
    this: &TokenStream,
    config: &TokenStream,
    read: &impl Fn(&Type) -> TokenStream,
) -> Result<Option<TokenStream>> {
    let krate = &input.krate;
    let Field { ty, shape, attributes, .. } = field;
    if attributes.preset.is_some() {
        return Ok(None);
    }
    let span = ty.span();
    let with_specs = read(ty);
    Ok(match shape {
        Shape::Leaf | Shape::Carried { phantom: true } => None,
        Shape::Carried { phantom: false } if input.config.is_some() => {
            let name = field.member.to_token_stream();
            let message = format!(
                "`{name}` holds no tensors: give it a value by `#[tree(value = expression)]`, \
                 which may use `config`, or by `#[tree(default)]`"
            );
            return Err(Error::new(span, message));
        }
        // A bound that no type fulfils, for the sake of the compiler's message where the tree is
        // read.
        Shape::Carried { phantom: false } => {
            Some(quote_spanned!(span=> #with_specs: #krate::FieldValue<#this, #config>))
        }
        // Bounds on the fields keep the rest of a struct usable if one of its parts cannot be read;
        // for a recursive type they would be cyclic. With a named configuration they would not
        // depend on a type parameter.
        _ if mentions(ty.to_token_stream(), &input.name)
            || attributes.config.is_some()
            || input.config.is_some() =>
        {
            None
        }
        _ => Some(quote_spanned!(span=> #with_specs: #krate::SpecTree<#config>)),
    })
}

/// The arguments of `spec_at`. The user's expressions can only use the configuration, and only if
/// the type names it.
struct Names {
    reader: Ident,
    path: Ident,
    axes: Ident,
    config: Ident,
}

impl Names {
    fn new(input: &Input) -> Names {
        let hidden = |name| Ident::new(name, Span::mixed_site());
        let config = match input.config {
            Some(_) => Ident::new("config", Span::call_site()),
            None => hidden("config"),
        };
        Names { reader: hidden("reader"), path: hidden("path"), axes: hidden("axes"), config }
    }
}

impl Field {
    /// An expression that reads the field; `ty` returns the field's type with specs as leaves.
    fn read(
        &self,
        names: &Names,
        krate: &TokenStream,
        config_type: &TokenStream,
        ty: &impl Fn(&Type) -> TokenStream,
    ) -> TokenStream {
        let attributes = &self.attributes;
        match (&attributes.preset, &self.shape) {
            (Some(Preset::Default), _) => return quote!(::core::default::Default::default()),
            (Some(Preset::Value(value)), _) => return quote!(#value),
            (None, Shape::Carried { phantom: true }) => {
                return quote!(::core::marker::PhantomData);
            }
            (None, Shape::Carried { phantom: false }) => {
                return quote!(::core::unreachable!("the field has no value"));
            }
            (None, _) => {}
        }
        let Names { reader, path, config, .. } = names;
        let at = self.path(path);
        let axes = match &attributes.axes {
            Some(axes) => quote!(::core::option::Option::Some(&[#(#axes),*])),
            None => quote!(::core::option::Option::None),
        };
        let (config, config_type) = match &attributes.config {
            Some(config) => (quote!(#config), &quote!(_)),
            None => (quote!(#config), config_type),
        };
        let read_at = |ty: TokenStream, path: &TokenStream| {
            let trait_ = quote!(#krate::SpecTree<#config_type>);
            quote!(<#ty as #trait_>::spec_at(#reader, #path, #axes, #config))
        };
        let mut read = match (&attributes.count, element(&self.ty)) {
            (Some(count), Some(element)) => {
                let element_path = Ident::new("element_path", Span::mixed_site());
                let read = read_at(ty(element), &quote!(#element_path));
                quote!(#reader.list(
                    #at,
                    ::core::option::Option::Some(#count),
                    |#element_path| #read,
                ))
            }
            _ => read_at(ty(&self.ty), &at),
        };
        // `sizes` apply to the leaves of one tree further inside.
        if !self.shape.holds_bare_leaves() {
            read = quote!(#reader.inside(|| #read));
        }
        let pairs = |values: &[(String, Expr)]| {
            let values = values.iter().map(|(name, value)| quote!((#name, #value)));
            quote!(&[#(#values),*])
        };
        if !attributes.all_sizes.is_empty() {
            let sizes = pairs(&attributes.all_sizes);
            read = quote!(#reader.with_all_sizes(#at, #sizes, || #read));
        }
        if !attributes.sizes.is_empty() {
            let sizes = pairs(&attributes.sizes);
            read = quote!(#reader.with_sizes(#at, #sizes, || #read));
        }
        if !attributes.has.is_empty() {
            let options = pairs(&attributes.has);
            read = quote!(#reader.with_options(#options, || #read));
        }
        if attributes.may_be_empty {
            read = quote! {
                if #reader.contains(#at) { #read } else { ::core::default::Default::default() }
            };
        }
        let tree = Ident::new("tree", Span::mixed_site());
        match self.shape.set(&tree.to_token_stream(), &attributes.set) {
            Some(set) if !attributes.set.is_empty() => quote!({
                let mut #tree = #read;
                #set
                #tree
            }),
            _ => read,
        }
    }
}
