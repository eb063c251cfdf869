//! The struct or enum with the derive.

use crate::{
    attributes::{FieldAttributes, TypeAttributes},
    crate_path::graph_crate,
    leaves::Leaves,
    shape::Shape,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Data, DeriveInput, Error, Fields, GenericParam, Generics, Ident, Index, Member, Result, Type,
    ext::IdentExt,
};

/// The parsed type.
pub struct Input {
    /// Its name.
    pub name: Ident,
    /// Its parameters, without defaults.
    pub generics: Generics,
    /// Its leaves.
    pub leaves: Leaves,
    /// The path of the graph crate.
    pub krate: TokenStream,
    /// The type of the configuration; `None` for any.
    pub config: Option<Type>,
    /// The variants; a struct has one.
    pub variants: Vec<Variant>,
    /// Whether it is an enum.
    pub is_enum: bool,
}

/// A struct's fields, or those of an enum's variant.
pub struct Variant {
    /// Its constructor and pattern: `Mlp` or `Layer::Dense`.
    pub constructor: TokenStream,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field.
pub struct Field {
    /// Its name or index.
    pub member: Member,
    /// The variable that holds it in generated code.
    pub variable: Ident,
    /// Its type.
    pub ty: Type,
    /// Its role in the tree.
    pub shape: Shape,
    /// Its attributes.
    pub attributes: FieldAttributes,
}

impl Input {
    /// Parses a derive's input.
    pub fn read(input: &DeriveInput) -> Result<Input> {
        let TypeAttributes { leaf, krate, config } = TypeAttributes::read(&input.attrs)?;
        let name = input.ident.clone();
        let leaves = Leaves::of(input, leaf)?;
        let (variants, is_enum) = match &input.data {
            Data::Struct(data) => {
                (vec![Variant::read(name.to_token_stream(), &data.fields, &leaves)?], false)
            }
            Data::Enum(data) => {
                let variants = data.variants.iter().map(|variant| {
                    let ident = &variant.ident;
                    Variant::read(quote!(#name::#ident), &variant.fields, &leaves)
                });
                (variants.collect::<Result<_>>()?, true)
            }
            Data::Union(data) => {
                return Err(Error::new(
                    data.union_token.span,
                    "`Tree` cannot be derived for a union: which of its fields holds leaves is \
                     not known",
                ));
            }
        };
        Ok(Input {
            name,
            generics: input.generics.clone(),
            leaves,
            config,
            krate: krate.map_or_else(graph_crate, |path| path.to_token_stream()),
            variants,
            is_enum,
        })
    }

    /// The type with these arguments for the type parameters that change with the leaves.
    pub fn with(&self, argument: impl Fn(&Ident) -> TokenStream) -> TokenStream {
        let name = &self.name;
        let arguments = self.generics.params.iter().map(|parameter| match parameter {
            GenericParam::Lifetime(parameter) => parameter.lifetime.to_token_stream(),
            GenericParam::Const(parameter) => parameter.ident.to_token_stream(),
            GenericParam::Type(parameter) if self.leaves.change(&parameter.ident) => {
                argument(&parameter.ident)
            }
            GenericParam::Type(parameter) => parameter.ident.to_token_stream(),
        });
        quote!(#name<#(#arguments),*>)
    }
}

impl Variant {
    fn read(constructor: TokenStream, fields: &Fields, leaves: &Leaves) -> Result<Variant> {
        let fields = fields.iter().enumerate().map(|(i, field)| {
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index {
                    index: u32::try_from(i).expect("a struct has fewer than 2^32 fields"),
                    span: Span::call_site(),
                }),
            };
            let shape = Shape::of(&field.ty, leaves)?;
            let attributes = FieldAttributes::read(&field.attrs)?;
            if attributes.axes.is_some() && !shape.holds_bare_leaves() {
                let message = match shape {
                    Shape::Carried { .. } => {
                        format!(
                            "`axes` names the axes of a leaf, and this field does not hold a \
                             `{leaves}`"
                        )
                    }
                    _ => "`axes` names the axes of a leaf; those of another tree are named in its \
                          own fields"
                        .to_owned(),
                };
                return Err(Error::new_spanned(field, message));
            }
            attributes.check(field, &shape)?;
            if attributes.flatten && matches!(shape, Shape::Option(_)) {
                let message =
                    "an optional field cannot be flattened: nothing would say whether it is there";
                return Err(Error::new_spanned(field, message));
            }
            Ok(Field {
                member,
                variable: format_ident!("field_{i}"),
                ty: field.ty.clone(),
                shape,
                attributes,
            })
        });
        Ok(Variant { constructor, fields: fields.collect::<Result<_>>()? })
    }
}

impl Field {
    /// The path of the field, given the variable with the path of the tree.
    pub fn path(&self, path: &Ident) -> TokenStream {
        if self.attributes.flatten {
            return quote!(#path);
        }
        match (&self.attributes.rename, &self.member) {
            (Some(name), _) => quote!(&#path.field(#name)),
            (None, Member::Named(ident)) => {
                let name = ident.unraw().to_string();
                quote!(&#path.field(#name))
            }
            (None, Member::Unnamed(index)) => {
                let index = index.index as usize;
                quote!(&#path.index(#index))
            }
        }
    }
}
