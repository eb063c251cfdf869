//! Limits on the source of a template, because the parser and the code generator are recursive.

use super::refused;
use minijinja::{
    Error,
    machinery::{Token, WhitespaceConfig, tokenize},
    syntax::SyntaxConfig,
};

/// The length limit of a source in bytes; the longest templates in use have a tenth of it.
const LENGTH: usize = 256 << 10;
/// The token limit of one tag: each token may be an operator, and so a level of the syntax tree.
const TOKENS: usize = 2_000;
/// The limit of `elif` branches of a template, each of which is a level of the syntax tree.
const BRANCHES: usize = 1_000;

/// Checks a source before it is parsed. Syntax errors are left to the parser.
///
/// # Errors
/// The source exceeds a limit.
pub(super) fn check(source: &str, white_space: WhitespaceConfig) -> Result<(), Error> {
    if source.len() > LENGTH {
        return Err(refused(format!("has {} bytes; at most {LENGTH} are read", source.len())));
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
