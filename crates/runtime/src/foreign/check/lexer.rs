//! The tokens of MLIR's text form.
//!
//! Names are read as by MLIR's own lexer: strings with their escapes decoded, comments skipped.
//! Where the two lexers might differ, the text is refused.

use std::borrow::Cow;

/// A token of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A keyword, a name without its sigil, or a number.
    Word(&'a str),
    /// A string, decoded.
    Text(Cow<'a, [u8]>),
    /// A name after `@`, decoded.
    Symbol(Cow<'a, [u8]>),
    /// `->`.
    Arrow,
    /// Another character.
    Mark(u8),
}

/// The reason why a text is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unreadable {
    pub at: usize,
    pub problem: &'static str,
}

/// Reads the tokens of a text.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// The position of the next character, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next token; `None` at the end. `is_enclosed` is true inside of `<..>`: MLIR keeps the
    /// contents of attributes of dialects as characters and skips no comments there.
    pub fn next(&mut self, is_enclosed: bool) -> Result<Option<Token<'a>>, Unreadable> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => return Ok(None),
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0) => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    if is_enclosed {
                        return Err(self.unreadable("a comment between `<` and `>`"));
                    }
                    let rest = &bytes[self.at..];
                    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    self.at += end.unwrap_or(rest.len());
                }
                Some(_) => break,
            }
        }
        let start = self.at;
        match bytes[start] {
            b'"' => Ok(Some(Token::Text(self.string()?))),
            b'@' if bytes.get(start + 1) == Some(&b'"') => {
                self.at += 1;
                Ok(Some(Token::Symbol(self.string()?)))
            }
            b'@' => {
                self.at += 1;
                Ok(Some(Token::Symbol(Cow::Borrowed(self.word().as_bytes()))))
            }
            b'-' if bytes.get(start + 1) == Some(&b'>') => {
                self.at += 2;
                Ok(Some(Token::Arrow))
            }
            byte if is_of_word(byte) => Ok(Some(Token::Word(self.word()))),
            byte => {
                self.at += 1;
                Ok(Some(Token::Mark(byte)))
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&byte| !is_of_word(byte)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        // All its bytes are ASCII.
        &self.text[start..self.at]
    }

    fn string(&mut self) -> Result<Cow<'a, [u8]>, Unreadable> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut decoded: Option<Vec<u8>> = None;
        // The first byte that is not in `decoded` yet.
        let mut from = start;
        let mut at = start;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let hex =
                        |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
                    let (byte, length) = match (bytes.get(at + 1), hex(at + 1), hex(at + 2)) {
                        (Some(&byte @ (b'"' | b'\\')), ..) => (byte, 2),
                        (Some(b'n'), ..) => (b'\n', 2),
                        (Some(b't'), ..) => (b'\t', 2),
                        (_, Some(high), Some(low)) => ((high * 16 + low) as u8, 3),
                        _ => return Err(self.unreadable("an unknown escape in a string")),
                    };
                    let decoded = decoded.get_or_insert_default();
                    decoded.extend(&bytes[from..at]);
                    decoded.push(byte);
                    at += length;
                    from = at;
                }
                None | Some(b'\n' | 0x0b | 0x0c) => {
                    return Err(self.unreadable("a string without an end"));
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Ok(match decoded {
            Some(mut decoded) => {
                decoded.extend(&bytes[from..at]);
                Cow::Owned(decoded)
            }
            None => Cow::Borrowed(&bytes[start..at]),
        })
    }

    fn unreadable(&self, problem: &'static str) -> Unreadable {
        Unreadable { at: self.at, problem }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, Unreadable> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        while let Some(token) = lexer.next(false)? {
            tokens.push(token);
        }
        Ok(tokens)
    }

    fn text(bytes: &[u8]) -> Token<'_> {
        Token::Text(bytes.into())
    }

    #[test]
    fn names_are_decoded() {
        let found = tokens(r#"%r:2 = "a.\69n" @"b\\\"" @c.d$_1 -> tensor<4x?xf32> // "x"#).unwrap();
        let mark = Token::Mark;
        let expected = [
            mark(b'%'),
            Token::Word("r"),
            mark(b':'),
            Token::Word("2"),
            mark(b'='),
            text(b"a.in"),
            Token::Symbol(b"b\\\""[..].into()),
            Token::Symbol(b"c.d$_1"[..].into()),
            Token::Arrow,
            Token::Word("tensor"),
            mark(b'<'),
            Token::Word("4x"),
            mark(b'?'),
            Token::Word("xf32"),
            mark(b'>'),
        ];
        assert_eq!(found, expected);
        assert_eq!(tokens("//a\r\"b\"").unwrap(), [text(b"b")], "a comment ends with its line");
        assert_eq!(tokens("é").unwrap().len(), 2);
    }

    #[test]
    fn text_that_mlir_might_read_in_another_way_is_refused() {
        for (wrong, problem) in [
            ("x \"a", "a string without an end"),
            ("\"a\nb\"", "a string without an end"),
            ("\"a\\", "an unknown escape in a string"),
            (r#""\x""#, "an unknown escape in a string"),
            (r#""\4g""#, "an unknown escape in a string"),
        ] {
            assert_eq!(tokens(wrong).unwrap_err().problem, problem, "{wrong}");
        }
        assert!(Lexer::new("// a").next(true).is_err());
    }
}
