//! The implementation of `Tree`.

use crate::{
    input::{Input, Variant},
    shape::Shape,
    structure,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Ident};

/// The purpose of a visit.
#[derive(Clone, Copy)]
enum Visit {
    Shared,
    Mutable,
    /// The leaves that other trees mark as buffers.
    Buffers,
}

/// `impl Tree for ..`.
pub fn implementation(input: &Input) -> TokenStream {
    let Input { krate, leaves, .. } = input;
    let leaf = &leaves.ty(krate);
    let mut generics = input.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter
            && leaves.change(&parameter.ident)
        {
            parameter.bounds.push(leaves.bound(&parameter.ident, krate));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let this = input.with(Ident::to_token_stream);
    let other = format_ident!("OtherLeaf");
    let with = input.with(|parameter| leaves.with(parameter, &other.to_token_stream(), krate));
    let maps = input.variants.iter().map(|variant| variant.map(krate));
    let visits = input.variants.iter().map(|variant| variant.visit(krate, Visit::Shared));
    let structure = structure::method(input);
    let buffers = input.variants.iter().map(|variant| variant.buffers(krate, leaf));
    let visits_mut = input.variants.iter().map(|variant| variant.visit(krate, Visit::Mutable));
    // An enum without variants has nothing to match by reference.
    let visited = if input.variants.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        #[allow(
            unused_variables,
            clippy::all,
            reason = "a struct without leaves uses none of the arguments"
        )]
        impl #impl_generics #krate::Tree for #this #where_clause {
            type Leaf = #leaf;
            type With<#other: #krate::Leaf> = #with;

            fn map_at<#other: #krate::Leaf>(
                self,
                path: &#krate::Path<'_>,
                f: &mut dyn ::core::ops::FnMut(&#krate::Path<'_>, #leaf) -> #other,
            ) -> #with {
                match self { #(#maps)* }
            }

            fn visit_at<'tree>(
                &'tree self,
                path: &#krate::Path<'_>,
                f: &mut dyn ::core::ops::FnMut(&#krate::Path<'_>, &'tree #leaf),
            ) {
                match #visited { #(#visits)* }
            }

            fn visit_mut_at<'tree>(
                &'tree mut self,
                path: &#krate::Path<'_>,
                f: &mut dyn ::core::ops::FnMut(&#krate::Path<'_>, &'tree mut #leaf),
            ) {
                match #visited { #(#visits_mut)* }
            }

            #structure

            fn buffers_at(
                &self,
                path: &#krate::Path<'_>,
                f: &mut dyn ::core::ops::FnMut(&#krate::Path<'_>),
            ) {
                match #visited { #(#buffers)* }
            }
        }
    }
}

impl Variant {
    /// A pattern that binds each field to its variable.
    pub fn pattern(&self) -> TokenStream {
        let constructor = &self.constructor;
        let fields = self.fields.iter().map(|field| {
            let (member, variable) = (&field.member, &field.variable);
            quote!(#member: #variable)
        });
        quote!(#constructor { #(#fields),* })
    }

    fn map(&self, krate: &TokenStream) -> TokenStream {
        let (pattern, constructor) = (self.pattern(), &self.constructor);
        let fields = self.fields.iter().map(|field| {
            let (member, variable) = (&field.member, &field.variable);
            let mapped =
                field.shape.map(krate, quote!(#variable), field.path(&format_ident!("path")));
            quote!(#member: #mapped)
        });
        quote!(#pattern => #constructor { #(#fields),* },)
    }

    fn visit(&self, krate: &TokenStream, purpose: Visit) -> TokenStream {
        let pattern = self.pattern();
        let visits = self.fields.iter().map(|field| {
            let variable = &field.variable;
            field.shape.visit(krate, purpose, quote!(#variable), field.path(&format_ident!("path")))
        });
        quote!(#pattern => { #(#visits)* })
    }
}

impl Variant {
    fn buffers(&self, krate: &TokenStream, leaf: &TokenStream) -> TokenStream {
        let pattern = self.pattern();
        let visits = self.fields.iter().map(|field| {
            let (variable, path) = (&field.variable, field.path(&format_ident!("path")));
            if !field.attributes.buffer {
                return field.shape.visit(krate, Visit::Buffers, quote!(#variable), path);
            }
            let visit = field.shape.visit(krate, Visit::Shared, quote!(#variable), path);
            quote!({
                let f = &mut |path: &#krate::Path<'_>, _: &#leaf| f(path);
                #visit
            })
        });
        quote!(#pattern => { #(#visits)* })
    }
}

impl Shape {
    /// An expression that rebuilds `value` at `path`.
    fn map(&self, krate: &TokenStream, value: TokenStream, path: TokenStream) -> TokenStream {
        match self {
            Shape::Leaf => quote!(f(#path, #value)),
            Shape::Carried { phantom: false } => value,
            Shape::Carried { phantom: true } => quote!(::core::marker::PhantomData),
            Shape::Tree(span) => {
                let value = located(value, *span);
                quote!(#krate::Tree::map_at(#value, #path, f))
            }
            Shape::Option(inner) => {
                let inner = inner.map(krate, quote!(value), path);
                quote!(match #value {
                    ::core::option::Option::Some(value) => ::core::option::Option::Some(#inner),
                    ::core::option::Option::None => ::core::option::Option::None,
                })
            }
            Shape::Box(inner) => {
                let inner = inner.map(krate, quote!((*#value)), path);
                quote!(::std::boxed::Box::new(#inner))
            }
            Shape::Vec(inner) => {
                let inner = inner.map(krate, quote!(value), quote!(&path.index(index)));
                quote!({
                    let path = #path;
                    ::core::iter::Iterator::collect(::core::iter::Iterator::map(
                        ::core::iter::Iterator::enumerate(
                            ::core::iter::IntoIterator::into_iter(#value),
                        ),
                        |(index, value)| #inner,
                    ))
                })
            }
            Shape::Array(inner) => {
                let inner = inner.map(krate, quote!(value), quote!(&path.index(index)));
                quote!({
                    let path = #path;
                    let mut next = 0usize;
                    #value.map(|value| {
                        let index = next;
                        next += 1;
                        #inner
                    })
                })
            }
            Shape::Map(inner) => {
                let inner = inner.map(krate, quote!(value), quote!(&path.field(&key)));
                quote!({
                    let path = #path;
                    ::core::iter::Iterator::collect(::core::iter::Iterator::map(
                        ::core::iter::IntoIterator::into_iter(#value),
                        |(key, value)| {
                            let value = #inner;
                            (key, value)
                        },
                    ))
                })
            }
            Shape::Tuple(parts) => {
                let names: Vec<_> = (0..parts.len()).map(|i| format_ident!("part_{i}")).collect();
                let mapped = parts.iter().zip(&names).enumerate().map(|(i, (part, name))| {
                    part.map(krate, quote!(#name), quote!(&path.index(#i)))
                });
                quote!({
                    let path = #path;
                    let (#(#names,)*) = #value;
                    (#(#mapped,)*)
                })
            }
        }
    }

    /// A statement that visits the leaves of `value`, a reference, at `path`.
    fn visit(
        &self,
        krate: &TokenStream,
        purpose: Visit,
        value: TokenStream,
        path: TokenStream,
    ) -> TokenStream {
        match self {
            Shape::Leaf if matches!(purpose, Visit::Buffers) => TokenStream::new(),
            Shape::Leaf => quote!(f(#path, #value);),
            Shape::Carried { .. } => TokenStream::new(),
            Shape::Tree(span) => {
                let value = located(value, *span);
                match purpose {
                    Visit::Shared => quote!(#krate::Tree::visit_at(#value, #path, f);),
                    Visit::Mutable => quote!(#krate::Tree::visit_mut_at(#value, #path, f);),
                    Visit::Buffers => quote!(#krate::Tree::buffers_at(#value, #path, f);),
                }
            }
            Shape::Option(inner) => {
                let inner = inner.visit(krate, purpose, quote!(value), path);
                quote!(if let ::core::option::Option::Some(value) = #value { #inner })
            }
            Shape::Box(inner) => match purpose {
                Visit::Shared | Visit::Buffers => {
                    inner.visit(krate, purpose, quote!((&**#value)), path)
                }
                Visit::Mutable => inner.visit(krate, purpose, quote!((&mut **#value)), path),
            },
            Shape::Vec(inner) | Shape::Array(inner) => {
                let inner = inner.visit(krate, purpose, quote!(value), quote!(&path.index(index)));
                quote!({
                    let path = #path;
                    for (index, value) in ::core::iter::Iterator::enumerate(
                        ::core::iter::IntoIterator::into_iter(#value),
                    ) {
                        #inner
                    }
                })
            }
            Shape::Map(inner) => {
                let inner = inner.visit(krate, purpose, quote!(value), quote!(&path.field(key)));
                quote!({
                    let path = #path;
                    for (key, value) in #value { #inner }
                })
            }
            Shape::Tuple(parts) => {
                let names: Vec<_> = (0..parts.len()).map(|i| format_ident!("part_{i}")).collect();
                let visits = parts.iter().zip(&names).enumerate().map(|(i, (part, name))| {
                    part.visit(krate, purpose, quote!(#name), quote!(&path.index(#i)))
                });
                quote!({
                    let path = #path;
                    let (#(#names,)*) = #value;
                    #(#visits)*
                })
            }
        }
    }
}

/// The tokens with the span `span`, so that compiler errors point there.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    tokens.collect()
}
