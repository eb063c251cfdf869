//! The leaves of a tree, and the type parameters that change with them.

use crate::shape::{mentions, replaced};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::fmt;
use syn::{DeriveInput, Error, Ident, Path, Result, Type, TypeParam, TypeParamBound, parse_quote};

/// The leaves of a tree.
pub struct Leaves {
    /// The type parameters that change with the leaves, at least one: the leaf itself, or all
    /// trees of a tree over trees, first the one that the attribute names.
    parameters: Vec<Ident>,
    /// Whether the parameters are trees, all with the same leaf.
    pub are_of_trees: bool,
}

impl Leaves {
    /// The leaves of a type: those that the attribute names (`T`, or `P::Leaf` of a tree `P`), the
    /// only type parameter, or the one whose default is `Tensor`.
    pub fn of(input: &DeriveInput, named: Option<Path>) -> Result<Leaves> {
        let parameters: Vec<&TypeParam> = input.generics.type_params().collect();
        if let Some(named) = named {
            return Leaves::named(input, &parameters, &named);
        }
        let only = |leaf: &Ident| Leaves { parameters: vec![leaf.clone()], are_of_trees: false };
        let message = match parameters.as_slice() {
            [] => format!(
                "`{}` has no type parameter for its leaves: write `{0}<T = Tensor>` and use `T` \
                 where tensors stand",
                input.ident
            ),
            [leaf] => return Ok(only(&leaf.ident)),
            several => {
                let mut tensors = several.iter().filter(|parameter| is_tensor(parameter));
                if let (Some(leaf), None) = (tensors.next(), tensors.next()) {
                    return Ok(only(&leaf.ident));
                }
                let names: Vec<String> =
                    several.iter().map(|parameter| format!("`{}`", parameter.ident)).collect();
                let last = &several[several.len() - 1].ident;
                format!(
                    "the leaves of `{}` may be any of {}: mark their parameter by the default \
                     `{last} = Tensor`, or by `#[tree(leaf = {last})]`",
                    input.ident,
                    names.join(", ")
                )
            }
        };
        Err(Error::new(input.ident.span(), message))
    }

    /// The leaves of the name `T`, or `P::Leaf`.
    fn named(input: &DeriveInput, parameters: &[&TypeParam], name: &Path) -> Result<Leaves> {
        let segments: Vec<&Ident> = name.segments.iter().map(|segment| &segment.ident).collect();
        let (first, are_of_trees) = match segments.as_slice() {
            [leaf] => (*leaf, false),
            [tree, leaf] if *leaf == "Leaf" => (*tree, true),
            _ => {
                return Err(Error::new_spanned(
                    name,
                    "the leaves are a type parameter, or `P::Leaf` of a parameter that is a tree",
                ));
            }
        };
        if parameters.iter().all(|parameter| parameter.ident != *first) {
            let message = format!("`{}` has no type parameter `{first}`", input.ident);
            return Err(Error::new(first.span(), message));
        }
        let others = parameters.iter().map(|parameter| &parameter.ident);
        let others = others.filter(|&ident| are_of_trees && ident != first);
        let parameters = [first].into_iter().chain(others).cloned().collect();
        Ok(Leaves { parameters, are_of_trees })
    }

    /// Whether a type parameter changes with the leaves.
    pub fn change(&self, parameter: &Ident) -> bool {
        self.parameters.contains(parameter)
    }

    /// Whether tokens mention a type parameter that changes with the leaves.
    pub fn occur_in(&self, tokens: &TokenStream) -> bool {
        self.parameters.iter().any(|parameter| mentions(tokens.clone(), parameter))
    }

    /// Whether a path is the type of the leaves.
    pub fn are(&self, path: &Path) -> bool {
        let segments = &path.segments;
        if self.are_of_trees {
            segments.len() == 2 && self.begin(path) && segments[1].ident == "Leaf"
        } else {
            path.is_ident(&self.parameters[0])
        }
    }

    /// Whether a path begins with a type parameter that changes with the leaves.
    pub fn begin(&self, path: &Path) -> bool {
        path.segments.first().is_some_and(|first| self.change(&first.ident))
    }

    /// The type of the leaves.
    pub fn ty(&self, krate: &TokenStream) -> TokenStream {
        let first = &self.parameters[0];
        if self.are_of_trees {
            quote!(<#first as #krate::Tree>::Leaf)
        } else {
            first.to_token_stream()
        }
    }

    /// A type parameter that changes with the leaves, for the leaves `other`.
    pub fn with(&self, parameter: &Ident, other: &TokenStream, krate: &TokenStream) -> TokenStream {
        if self.are_of_trees {
            quote!(<#parameter as #krate::Tree>::With<#other>)
        } else {
            other.clone()
        }
    }

    /// The bound on a type parameter that changes with the leaves.
    pub fn bound(&self, parameter: &Ident, krate: &TokenStream) -> TypeParamBound {
        if !self.are_of_trees {
            return parse_quote!(#krate::Leaf);
        }
        if *parameter == self.parameters[0] {
            return parse_quote!(#krate::Tree);
        }
        let leaf = self.ty(krate);
        parse_quote!(#krate::Tree<Leaf = #leaf>)
    }

    /// The tokens with the type parameters of another tree of the same kind.
    pub fn counterpart(&self, tokens: TokenStream) -> TokenStream {
        self.parameters.iter().fold(tokens, |tokens, parameter| {
            let other = if self.are_of_trees {
                format_ident!("Other{parameter}")
            } else {
                format_ident!("OtherLeaf")
            };
            replaced(tokens, parameter, &other.to_token_stream())
        })
    }

    /// The tokens with specs as leaves, of a tree whose leaves are a type parameter.
    pub fn of_specs(&self, tokens: TokenStream, krate: &TokenStream) -> TokenStream {
        replaced(tokens, &self.parameters[0], &quote!(#krate::Spec))
    }
}

impl fmt::Display for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = if self.are_of_trees { "::Leaf" } else { "" };
        write!(f, "{}{suffix}", self.parameters[0])
    }
}

/// Whether the default of a type parameter is `Tensor`, by any path.
fn is_tensor(parameter: &TypeParam) -> bool {
    match &parameter.default {
        Some(Type::Path(path)) => {
            path.path.segments.last().is_some_and(|segment| segment.ident == "Tensor")
        }
        _ => false,
    }
}
