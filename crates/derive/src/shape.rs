//! The role of a field's type in a tree, determined syntactically.

use crate::leaves::Leaves;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Error, GenericArgument, Ident, PathArguments, PathSegment, Result, Type, spanned::Spanned,
};

/// The role of a type in the tree that contains it.
pub enum Shape {
    /// The leaf itself.
    Leaf,
    /// Mentions no type parameter that changes with the leaves, or is a `PhantomData` of it.
    Carried {
        /// Whether it is a `PhantomData` that mentions the leaf.
        phantom: bool,
    },
    /// Another tree, visited through the trait; its span, for the compiler's messages.
    Tree(Span),
    /// `Option<_>`.
    Option(Box<Shape>),
    /// `Vec<_>`.
    Vec(Box<Shape>),
    /// `Box<_>`.
    Box(Box<Shape>),
    /// `[_; N]`.
    Array(Box<Shape>),
    /// `BTreeMap<String, _>`.
    Map(Box<Shape>),
    /// `(_, _)`.
    Tuple(Vec<Shape>),
}

impl Shape {
    /// The role of `ty` in a tree with these leaves.
    pub fn of(ty: &Type, leaves: &Leaves) -> Result<Shape> {
        if !leaves.occur_in(&ty.to_token_stream()) {
            return Ok(Shape::Carried { phantom: false });
        }
        match ty {
            Type::Paren(inner) => Shape::of(&inner.elem, leaves),
            Type::Group(inner) => Shape::of(&inner.elem, leaves),
            Type::Array(array) => Ok(Shape::Array(Box::new(Shape::of(&array.elem, leaves)?))),
            Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|part| Shape::of(part, leaves));
                Ok(Shape::Tuple(parts.collect::<Result<_>>()?))
            }
            Type::Path(path) if path.qself.is_none() => {
                if leaves.are(&path.path) {
                    return Ok(Shape::Leaf);
                }
                let last = path.path.segments.last().expect("a path has at least one segment");
                if path.path.segments.len() > 1 && leaves.begin(&path.path) {
                    let what = if leaves.are_of_trees { "a tree with" } else { "the leaf" };
                    return Err(Error::new(
                        ty.span(),
                        format!("an associated type of {what} `{leaves}` is not a tree"),
                    ));
                }
                Shape::of_named(ty, last, leaves)
            }
            _ => Err(Error::new_spanned(
                ty,
                format!(
                    "a tree owns its leaves: `{leaves}` may stand alone, in `Option`, `Vec`, \
                     `Box`, an array, a tuple, `BTreeMap<String, _>` or another tree"
                ),
            )),
        }
    }

    fn of_named(ty: &Type, name: &PathSegment, leaves: &Leaves) -> Result<Shape> {
        let arguments = type_arguments(name);
        let inner =
            |wrap: fn(Box<Shape>) -> Shape| Ok(wrap(Box::new(Shape::of(arguments[0], leaves)?)));
        match (name.ident.to_string().as_str(), arguments.len()) {
            ("PhantomData", _) => Ok(Shape::Carried { phantom: true }),
            ("Option", 1) => inner(Shape::Option),
            ("Vec", 1) => inner(Shape::Vec),
            ("Box", 1) => inner(Shape::Box),
            ("BTreeMap", 2) => {
                let is_string = |key: &syn::TypePath| {
                    key.path.segments.last().is_some_and(|s| s.ident == "String")
                };
                if !matches!(arguments[0], Type::Path(key) if is_string(key)) {
                    return Err(Error::new(
                        arguments[0].span(),
                        "the keys of a map in a tree are `String`s",
                    ));
                }
                Ok(Shape::Map(Box::new(Shape::of(arguments[1], leaves)?)))
            }
            ("HashMap", _) => Err(Error::new_spanned(
                ty,
                "a `HashMap` has no fixed order of its leaves: use `BTreeMap<String, _>`",
            )),
            _ => Ok(Shape::Tree(Span::call_site().located_at(ty.span()))),
        }
    }

    /// Whether there are other trees in here whose fields can be set.
    pub fn holds_trees(&self) -> bool {
        match self {
            Shape::Tree(_) => true,
            Shape::Leaf | Shape::Carried { .. } | Shape::Tuple(_) => false,
            Shape::Option(inner)
            | Shape::Vec(inner)
            | Shape::Box(inner)
            | Shape::Array(inner)
            | Shape::Map(inner) => inner.holds_trees(),
        }
    }

    /// Whether the field can name the axes of the leaves in here: they are not inside another tree.
    pub fn holds_bare_leaves(&self) -> bool {
        match self {
            Shape::Leaf => true,
            Shape::Carried { .. } | Shape::Tree(_) => false,
            Shape::Option(inner)
            | Shape::Vec(inner)
            | Shape::Box(inner)
            | Shape::Array(inner)
            | Shape::Map(inner) => inner.holds_bare_leaves(),
            Shape::Tuple(parts) => parts.iter().any(Shape::holds_bare_leaves),
        }
    }
}

/// The type of the elements of a `Vec`.
pub fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Paren(inner) => element(&inner.elem),
        Type::Group(inner) => element(&inner.elem),
        Type::Path(path) => type_arguments(path.path.segments.last()?).first().copied(),
        _ => None,
    }
}

fn type_arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// Replaces an identifier by a path, wherever it occurs in the tokens.
pub fn replaced(tokens: TokenStream, ident: &Ident, path: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(found) if found == *ident => {
            path.clone()
                .into_iter()
                .map(|mut token| {
                    // Errors point at the user's type.
                    token.set_span(token.span().located_at(found.span()));
                    token
                })
                .collect()
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replaced(group.stream(), ident, path));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        token => TokenStream::from(token),
    });
    replaced.collect()
}

/// Whether the identifier occurs anywhere in the tokens.
pub fn mentions(tokens: TokenStream, ident: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == *ident,
        TokenTree::Group(group) => mentions(group.stream(), ident),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
