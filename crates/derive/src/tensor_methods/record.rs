//! The record of a method: the parts of its signature that generated code needs.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Error, FnArg, LitStr, Pat, Result, ReturnType, Signature, Token, Type, Visibility,
    parse::{ParseStream, Parser},
    parse_quote,
    punctuated::Punctuated,
};

/// The form of a method for lazy tensors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Forwarding {
    /// A generated function records a call of the method.
    Generated,
    /// A hand-written function.
    ByHand,
    /// Lazy tensors lack the method.
    Absent,
}

impl Forwarding {
    /// The mark in the brackets of `#[lazy(..)]`, if it is this attribute.
    pub fn of_attribute(brackets: &TokenTree) -> Option<Result<Forwarding>> {
        let TokenTree::Group(brackets) = brackets else { return None };
        let mut tokens = brackets.stream().into_iter();
        let Some(TokenTree::Ident(lazy)) = tokens.next().filter(|_| is_bracket(brackets)) else {
            return None;
        };
        if lazy != "lazy" {
            return None;
        }
        let mark = tokens.next().map(|mark| mark.to_string());
        Some(match mark.as_deref() {
            Some("(by_hand)") => Ok(Forwarding::ByHand),
            Some("(absent)") => Ok(Forwarding::Absent),
            _ => Err(Error::new(lazy.span(), "expected `lazy(by_hand)` or `lazy(absent)`")),
        })
    }

    fn name(self) -> TokenStream {
        match self {
            Forwarding::Generated => quote!(generated),
            Forwarding::ByHand => quote!(by_hand),
            Forwarding::Absent => quote!(absent),
        }
    }
}

fn is_bracket(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
}

/// The record of a method of a type, from the tokens before the method's body; `None` for a private
/// method.
pub fn record(
    of: &Ident,
    head: TokenStream,
    mark: Option<Forwarding>,
) -> Result<Option<TokenStream>> {
    let read = |input: ParseStream<'_>| -> Result<(Vec<Attribute>, Visibility, Signature)> {
        Ok((Attribute::parse_outer(input)?, input.parse()?, input.parse()?))
    };
    let (attributes, visibility, signature) = read.parse2(head)?;
    let name = &signature.ident;
    if !matches!(visibility, Visibility::Public(_)) {
        return Ok(None);
    }
    let usual = if of == "Tensor" { Forwarding::Generated } else { Forwarding::Absent };
    let forwarding = mark.unwrap_or(usual);
    let (mut tensors, mut arguments) = (Vec::new(), Vec::new());
    let mut unsuited = signature.generics.where_clause.as_ref().map(|_| "has a `where` clause");
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(_) => tensors.push(quote!(self)),
            FnArg::Typed(argument) => {
                let (argument, kind) = (argument_name(&argument.pat)?, &*argument.ty);
                if is_tensor(kind) && arguments.is_empty() && !tensors.is_empty() {
                    tensors.push(quote!(#argument));
                    continue;
                }
                if is_tensor(kind) {
                    unsuited = Some("takes a tensor after another argument");
                } else if has_tensor(kind.to_token_stream()) && !is_closure(kind) {
                    unsuited = Some("takes tensors in another value");
                }
                let kind = unqualified(kind.to_token_stream());
                arguments.push(quote!(#argument: #kind));
            }
        }
    }
    let result = results(&signature.output).unwrap_or_else(|| {
        unsuited = Some("returns something else than tensors");
        quote!(other)
    });
    if let Some(unsuited) = unsuited.filter(|_| forwarding == Forwarding::Generated) {
        let message = format!(
            "`{name}` {unsuited}: a method of lazy tensors cannot be generated; write it in \
             `hloom-lazy` and mark this one `#[lazy(by_hand)]`, or mark it `#[lazy(absent)]`"
        );
        return Err(Error::new(name.span(), message));
    }
    let (forwarding, generics) = (forwarding.name(), &signature.generics.params);
    let aliases = aliases(&attributes)?;
    Ok(Some(quote! {
        #of #name #forwarding [#generics] (#(#tensors)*) (#(#arguments),*) #result [#(#aliases)*]
    }))
}

/// The name of an argument; for a destructured array, the names of its elements.
fn argument_name(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(pattern) => Ok(pattern.ident.clone()),
        Pat::Slice(elements) => {
            let names: Result<Vec<_>> = elements.elems.iter().map(argument_name).collect();
            let names: Vec<_> = names?.iter().map(Ident::to_string).collect();
            Ok(format_ident!("{}", names.join("_")))
        }
        other => Err(Error::new_spanned(other, "expected a name, or names in brackets")),
    }
}

fn is_tensor(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.qself.is_none() && path.path.is_ident("Tensor"))
}

/// Whether it is a closure, which is called inside of the trace.
fn is_closure(of: &Type) -> bool {
    let Type::ImplTrait(of) = of else { return false };
    of.bounds.iter().any(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else { return false };
        let last = bound.path.segments.last();
        last.is_some_and(|last| matches!(last.arguments, syn::PathArguments::Parenthesized(_)))
    })
}

fn has_tensor(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "Tensor",
        TokenTree::Group(group) => has_tensor(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The number of tensors that a method returns, if these are all.
fn results(output: &ReturnType) -> Option<TokenStream> {
    let ReturnType::Type(_, of) = output else { return None };
    match &**of {
        of if is_tensor(of) => Some(quote!(one)),
        Type::Tuple(of) if of.elems.iter().all(is_tensor) => match of.elems.len() {
            2 => Some(quote!(two)),
            3 => Some(quote!(three)),
            _ => None,
        },
        of if *of == parse_quote!(Vec<Tensor>) => Some(quote!(many)),
        _ => None,
    }
}

/// A type without `crate::`: code that is generated from it imports its names.
fn unqualified(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) if name == "crate" => {
                // Skips the two colons after `crate`.
                tokens.next();
                tokens.next();
            }
            TokenTree::Group(group) => {
                let inner = unqualified(group.stream());
                kept.extend([TokenTree::from(Group::new(group.delimiter(), inner))]);
            }
            token => kept.extend([token]),
        }
    }
    kept
}

/// The names of the method in other libraries: those of `#[doc(alias = "..")]` and of
/// `#[doc(alias("..", ".."))]`.
fn aliases(attributes: &[Attribute]) -> Result<Vec<LitStr>> {
    let mut aliases = Vec::new();
    for attribute in attributes {
        let syn::Meta::List(list) = &attribute.meta else { continue };
        if !list.path.is_ident("doc") {
            continue;
        }
        list.parse_nested_meta(|meta| {
            if !meta.path.is_ident("alias") {
                return Ok(());
            }
            if let Ok(alias) = meta.value() {
                aliases.push(alias.parse()?);
                return Ok(());
            }
            let names;
            syn::parenthesized!(names in meta.input);
            aliases.extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&names)?);
            Ok(())
        })?;
    }
    Ok(aliases)
}
