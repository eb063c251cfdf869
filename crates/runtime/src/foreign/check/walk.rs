//! One pass over the tokens of a module.

use super::{
    custom_calls::is_written,
    functions::Functions,
    lexer::{Lexer, Token, Unreadable},
    too_large,
};
use crate::ForeignError;
use hloom_pjrt::PlatformKind;
use std::collections::HashMap;

/// The limit on brackets within brackets. The plugin recurses over them.
const MAX_NESTING: usize = 256;
/// The limit on the elements of an array: a terabyte of bytes.
const MAX_ELEMENTS: u64 = 1 << 40;
/// The limit on the elements of a constant, which the compiler may hold in memory.
const MAX_CONSTANT: u64 = 1 << 28;

/// Ops that exchange values with the host or another program, and wait for it without a time limit.
const FEEDS: [&str; 4] = ["infeed", "outfeed", "send", "recv"];
/// The dialects that have these ops.
const DIALECTS: [&str; 4] = ["stablehlo", "mhlo", "vhlo", "chlo"];

/// A custom call whose result has the type of its operand, and which needs this attribute.
const RESULT_SHARDING: &[u8] = b"xla.sdy.FuncResultSharding";
const SHARDING: &[u8] = b"xla.sdy.sharding";
/// The limit on the tokens of its types.
const MAX_TYPE: usize = 64;

/// The tokens read so far, as far as they matter for the next one.
pub(super) struct Walk<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
    platform: PlatformKind,
    allowed: &'a [String],
    /// The tokens before, the latest first.
    last: [Option<Token<'a>>; 5],
    open: Vec<Open>,
    /// The open brackets that are `<`.
    angles: usize,
    functions: Functions<'a>,
    /// The elements of the types that aliases name.
    aliases: HashMap<&'a str, u64>,
    constant: Constant,
    /// Whether the value of a custom call's target is expected.
    is_target: bool,
    call: Option<Call>,
}

/// An open bracket.
struct Open {
    bracket: u8,
    is_constant: bool,
}

/// The part of a constant that was read last.
#[derive(Clone, Copy, PartialEq)]
enum Constant {
    None,
    /// Its elements.
    Elements,
    /// The colon before its type, and a part of that.
    Colon,
}

/// A custom call whose types were not read yet.
struct Call {
    depth: usize,
    is_result_sharding: bool,
    has_sharding: bool,
}

impl<'a> Walk<'a> {
    pub fn new(text: &'a str, platform: PlatformKind, allowed: &'a [String]) -> Walk<'a> {
        Walk {
            lexer: Lexer::new(text),
            text,
            platform,
            allowed,
            last: [const { None }; 5],
            open: Vec::new(),
            angles: 0,
            functions: Functions::default(),
            aliases: HashMap::new(),
            constant: Constant::None,
            is_target: false,
            call: None,
        }
    }

    /// Reads all tokens.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(mut self) -> Result<(), ForeignError> {
        loop {
            let token = self.lexer.next(self.angles > 0);
            let token = token.map_err(|Unreadable { at, problem }| self.unreadable(at, problem))?;
            let Some(token) = token else { break };
            self.functions.token();
            self.target(&token)?;
            self.array(&token)?;
            self.name(&token)?;
            if let Token::Mark(mark) = token {
                self.mark(mark)?;
            }
            self.last.rotate_right(1);
            self.last[0] = Some(token);
        }
        self.functions.check()
    }

    /// Names of ops, functions and handlers.
    fn name(&mut self, token: &Token<'a>) -> Result<(), ForeignError> {
        match (&self.last[0], token) {
            // An op in its generic form.
            (Some(Token::Text(name)), Token::Mark(b'(')) => {
                let name = String::from_utf8_lossy(name).into_owned();
                if name == "func.func" {
                    let problem = "a function in generic form: print the module without it";
                    return Err(self.unreadable(self.lexer.at(), problem));
                }
                self.op(&name)?;
                if is_custom_call(&name) {
                    self.begin_call(false);
                }
            }
            (_, Token::Word(name)) => self.op(name)?,
            (Some(Token::Word(op)), Token::Symbol(target)) if is_custom_call(op) => {
                self.begin_call(&**target == RESULT_SHARDING);
                self.handler(target)?;
            }
            (_, Token::Symbol(name)) => {
                let is_visibility = |word: &str| matches!(word, "public" | "private" | "nested");
                let is_function =
                    |token: &Option<Token<'_>>| *token == Some(Token::Word("func.func"));
                let is_defined = match &self.last[0] {
                    Some(Token::Word(word)) if is_visibility(word) => is_function(&self.last[1]),
                    last => is_function(last),
                };
                if is_defined {
                    self.functions.begin(name.clone())
                } else {
                    self.functions.symbol(name.clone())
                }
            }
            _ => {}
        }
        let text = match token {
            Token::Word(word) => word.as_bytes(),
            Token::Text(text) => text,
            _ => return Ok(()),
        };
        if let Some(call) = &mut self.call {
            call.has_sharding |= text == SHARDING;
        }
        Ok(())
    }

    fn op(&self, name: &str) -> Result<(), ForeignError> {
        match name.split_once('.') {
            Some((dialect, op)) if DIALECTS.contains(&dialect) && FEEDS.contains(&plain(op)) => {
                Err(ForeignError::Feed(name.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn begin_call(&mut self, is_result_sharding: bool) {
        let depth = self.open.len();
        self.call = Some(Call { depth, is_result_sharding, has_sharding: false });
    }

    fn handler(&self, target: &[u8]) -> Result<(), ForeignError> {
        let target = String::from_utf8_lossy(target);
        if is_written(self.platform, &target, self.allowed) {
            Ok(())
        } else {
            Err(ForeignError::CustomCalls(vec![target.into_owned()]))
        }
    }

    /// The target of a custom call among its attributes.
    fn target(&mut self, token: &Token<'a>) -> Result<(), ForeignError> {
        if !self.is_target {
            let is_key = match &self.last[0] {
                Some(Token::Word(key)) => *key == "call_target_name",
                Some(Token::Text(key)) => **key == *b"call_target_name",
                _ => false,
            };
            self.is_target = is_key && *token == Token::Mark(b'=');
            return Ok(());
        }
        match token {
            Token::Text(target) => {
                self.is_target = false;
                if let Some(call) = &mut self.call {
                    call.is_result_sharding |= **target == *RESULT_SHARDING;
                }
                self.handler(target)
            }
            // A string of the versioned dialect.
            Token::Mark(b'#' | b'<') | Token::Word("vhlo.string_v1") => Ok(()),
            _ => Err(self.unreadable(self.lexer.at(), "a custom call's target is not a string")),
        }
    }

    /// Sizes of arrays and constants.
    fn array(&mut self, token: &Token<'a>) -> Result<(), ForeignError> {
        let constant = std::mem::replace(&mut self.constant, Constant::None);
        let elements = match (&self.last, token) {
            (
                [Some(Token::Mark(b'<')), Some(Token::Word("tensor" | "vector" | "memref")), ..],
                Token::Word(sizes),
            ) => {
                let elements = elements(sizes);
                if let [
                    ..,
                    Some(Token::Mark(b'=')),
                    Some(Token::Word(name)),
                    Some(Token::Mark(b'!')),
                ] = self.last
                {
                    self.aliases.insert(name, elements);
                }
                elements
            }
            ([Some(Token::Mark(b'!')), ..], Token::Word(name)) => match self.aliases.get(name) {
                Some(&elements) => elements,
                None => return Ok(()),
            },
            (_, Token::Mark(b':')) if constant == Constant::Elements => {
                self.constant = Constant::Colon;
                return Ok(());
            }
            (_, Token::Mark(b'!' | b'<') | Token::Word(_)) => {
                self.constant = constant;
                return Ok(());
            }
            _ => return Ok(()),
        };
        let (what, limit) = match constant {
            Constant::Colon => ("constant, in elements", MAX_CONSTANT),
            _ => ("array, in elements", MAX_ELEMENTS),
        };
        if elements > limit { Err(too_large(what, elements, limit)) } else { Ok(()) }
    }

    fn mark(&mut self, mark: u8) -> Result<(), ForeignError> {
        match mark {
            b'(' | b'[' | b'{' | b'<' => {
                let is_elements =
                    matches!(self.last[0], Some(Token::Word("dense" | "dense_resource")));
                let is_constant = mark == b'<' && is_elements;
                self.open.push(Open { bracket: mark, is_constant });
                self.angles += usize::from(mark == b'<');
                let depth = self.open.len();
                if depth > MAX_NESTING {
                    Err(too_large("nesting", depth as u64, MAX_NESTING as u64))
                } else {
                    Ok(())
                }
            }
            b'>' => {
                // Otherwise the sign of a comparison.
                if let Some(open) = self.open.pop_if(|open| open.bracket == b'<') {
                    self.angles -= 1;
                    if open.is_constant {
                        self.constant = Constant::Elements;
                    }
                }
                Ok(())
            }
            b')' | b']' | b'}' => {
                while self.open.pop_if(|open| open.bracket == b'<').is_some() {
                    self.angles -= 1;
                }
                let opened = match mark {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                match self.open.pop_if(|open| open.bracket == opened) {
                    Some(_) => Ok(()),
                    None => Err(self.unreadable(self.lexer.at(), "a bracket that closes no other")),
                }
            }
            b':' => self.types(),
            _ => Ok(()),
        }
    }

    /// The types of a custom call, which begin here.
    fn types(&mut self) -> Result<(), ForeignError> {
        let depth = self.open.len();
        let Some(call) = self.call.take_if(|call| call.depth == depth) else { return Ok(()) };
        if call.is_result_sharding && !(call.has_sharding && self.is_of_one_type()) {
            let target = String::from_utf8_lossy(RESULT_SHARDING).into_owned();
            return Err(ForeignError::CustomCalls(vec![target]));
        }
        Ok(())
    }

    /// Whether the following types are `(T) -> T`.
    fn is_of_one_type(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let mut next = || ahead.next(true).ok().flatten();
        if next() != Some(Token::Mark(b'(')) {
            return false;
        }
        let mut operand = Vec::new();
        while operand.len() < MAX_TYPE {
            match next() {
                Some(Token::Mark(b')')) => {
                    return next() == Some(Token::Arrow)
                        && operand.into_iter().all(|token| next() == Some(token));
                }
                Some(token) => operand.push(token),
                None => return false,
            }
        }
        false
    }

    fn unreadable(&self, at: usize, problem: &'static str) -> ForeignError {
        let line = self.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        ForeignError::Text { line, problem }
    }
}

/// The name of an op without the version that the dialect `vhlo` appends.
fn plain(op: &str) -> &str {
    match op.rsplit_once("_v") {
        Some((name, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => op,
    }
}

fn is_custom_call(name: &str) -> bool {
    name.split_once('.').is_some_and(|(_, op)| plain(op) == "custom_call")
}

/// The number of elements, or the largest size where that is more, of a type such as `4x8xf32`.
fn elements(sizes: &str) -> u64 {
    let (mut product, mut largest) = (1u64, 0u64);
    for size in sizes.split('x').take_while(|size| is_number(size)) {
        let size = size.parse().unwrap_or(u64::MAX);
        product = product.saturating_mul(size);
        largest = largest.max(size);
    }
    product.max(largest)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
