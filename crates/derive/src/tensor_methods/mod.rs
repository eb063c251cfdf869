//! `#[tensor_methods(name)]` and `tensor_method_blocks!`: the public methods of `Tensor` and of the
//! types that its methods take, as a list that other crates generate code from.

mod record;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use record::{Forwarding, record};
use syn::{Error, Result, Token, parse::Parser, punctuated::Punctuated};

/// The block, token for token except for the marks of its methods, and the macro that passes on the
/// records of its public methods.
pub fn block(name: &Ident, block: TokenStream) -> Result<TokenStream> {
    let mut tokens: Vec<TokenTree> = block.into_iter().collect();
    let body = match tokens.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => return Err(Error::new(name.span(), "`tensor_methods` is an attribute of a block")),
    };
    let Some(TokenTree::Ident(of)) = tokens.last() else {
        return Err(Error::new(name.span(), "expected a block of a type without parameters"));
    };
    let Methods { records, unmarked, errors } = Methods::read(of, body.stream());
    let body = match unmarked {
        None => body,
        Some(unmarked) => {
            let mut unmarked = Group::new(Delimiter::Brace, unmarked);
            unmarked.set_span(body.span());
            unmarked
        }
    };
    let passes_on = macro_of(name);
    Ok(quote! {
        #(#tokens)* #body
        // The errors are emitted together with the block: otherwise each call of its methods would
        // be an error too.
        #errors

        // Without a row in `tensor_method_blocks!` this does not compile.
        const _: () = crate::ops::collected::#name;

        #[doc(hidden)]
        #[macro_export]
        macro_rules! #passes_on {
            ($($then:tt)*) => { $($then)* ! { #({ #records })* } };
        }
    })
}

/// The macro `tensor_methods!` of these blocks, and a constant for each.
pub fn blocks(names: TokenStream) -> Result<TokenStream> {
    let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(names)?;
    let blocks = names.iter().map(macro_of);
    let names = names.iter();
    Ok(quote! {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! tensor_methods {
            ($($then:tt)*) => { #($crate::#blocks! { $($then)* })* };
        }

        #[allow(non_upper_case_globals, reason = "a block is named as its file")]
        pub(crate) mod collected {
            #(pub(crate) const #names: () = ();)*
        }
    })
}

fn macro_of(block: &Ident) -> Ident {
    format_ident!("__tensor_methods_{block}")
}

/// The methods of a block.
struct Methods {
    /// A record of each public method.
    records: Vec<TokenStream>,
    /// The block's tokens without the marks, if it has any.
    unmarked: Option<TokenStream>,
    /// Errors about methods, as compiler errors.
    errors: TokenStream,
}

impl Methods {
    fn read(of: &Ident, body: TokenStream) -> Methods {
        let (mut records, mut errors) = (Vec::new(), TokenStream::new());
        let (mut kept, mut is_marked) = (Vec::new(), false);
        // The tokens before the body of a method: only these are parsed.
        let (mut head, mut forwarding) = (Vec::new(), None);
        let mut tokens = body.into_iter().peekable();
        while let Some(token) = tokens.next() {
            if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#')
                && let Some(mark) = tokens.peek().and_then(Forwarding::of_attribute)
            {
                match mark {
                    Ok(mark) => forwarding = Some(mark),
                    Err(error) => errors.extend(error.into_compile_error()),
                }
                is_marked = true;
                tokens.next();
                continue;
            }
            kept.push(token.clone());
            match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let head = head.drain(..).collect();
                    match record(of, head, forwarding.take()) {
                        Ok(record) => records.extend(record),
                        Err(error) => errors.extend(error.into_compile_error()),
                    }
                }
                token => head.push(token),
            }
        }
        Methods { records, unmarked: is_marked.then(|| kept.into_iter().collect()), errors }
    }
}
