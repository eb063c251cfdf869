//! Limits on the source of a template, which the parser and the code generator recurse over.

use super::refused;
use minijinja::{
    Error,
    machinery::{Token, WhitespaceConfig, tokenize},
    syntax::SyntaxConfig,
};

/// Bytes of a source; the longest templates in use have a tenth of it.
const LENGTH: usize = 256 << 10;
/// Tokens of one tag: each may be an operator, and so a level of the syntax tree.
const TOKENS: usize = 2_000;
/// `elif` branches of a template, each of which is a level of the syntax tree.
const BRANCHES: usize = 1_000;

/// Checks a source before it is parsed. What is no template is left to the parser.
///
/// # Errors
/// The source breaks a limit.
pub(super) fn check(source: &str, white_space: WhitespaceConfig) -> Result<(), Error> {
    if source.len() > LENGTH {
        return Err(refused(format!(
            "has {} bytes; at most {LENGTH} are read",
            source.len()
        )));
    }
    let (mut tokens, mut branches) = (0, 0);
    for token in tokenize(source, false, SyntaxConfig, white_space) {
        let Ok((token, span)) = token else { return Ok(()) };
        tokens += 1;
        match token {
            Token::VariableStart | Token::BlockStart => tokens = 0,
            Token::Ident("elif") => branches += 1,
            _ => {}
        }
        if tokens > TOKENS {
            let line = span.start_line;
            return Err(refused(format!("has a tag of more than {TOKENS} tokens (line {line})")));
        }
        if branches > BRANCHES {
            return Err(refused(format!("has more than {BRANCHES} `elif` branches")));
        }
    }
    Ok(())
}
