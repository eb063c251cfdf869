//! Attributes in MLIR's syntax.

use super::literal::{Dense, Splat};
use crate::attribute::Attribute;
use std::fmt::{self, Display, Write};

/// Items separated by commas.
pub(crate) struct Separated<I>(pub I);

impl<I: Iterator<Item: Display> + Clone> Display for Separated<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.clone().enumerate().try_for_each(|(i, item)| {
            f.write_str(if i > 0 { ", " } else { "" })?;
            item.fmt(f)
        })
    }
}

/// A string: quotes, backslashes and characters other than printable ASCII are written as
/// hexadecimal bytes.
pub(crate) struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |&byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        f.write_char('"')?;
        let mut rest = self.0;
        while !rest.is_empty() {
            // Plain bytes are whole characters.
            let (text, others) = rest.split_at(rest.bytes().take_while(plain).count());
            f.write_str(text)?;
            rest = match others.chars().next() {
                Some(character) => {
                    let (escaped, others) = others.split_at(character.len_utf8());
                    escaped.bytes().try_for_each(|byte| write!(f, "\\{byte:02X}"))?;
                    others
                }
                None => "",
            };
        }
        f.write_char('"')
    }
}

/// An attribute with its name.
pub(crate) struct NamedAttribute<'a>(pub &'a str, pub &'a Attribute<'a>);

impl Display for NamedAttribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NamedAttribute(name, attribute) = self;
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(inside)
        {
            f.write_str(name)?
        } else {
            Quoted(name).fmt(f)?
        }
        match attribute {
            Attribute::Unit => Ok(()),
            attribute => write!(f, " = {attribute}"),
        }
    }
}

impl Display for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Unit => f.write_str("unit"),
            Attribute::Bool(value) => value.fmt(f),
            Attribute::I32(value) => write!(f, "{value} : i32"),
            Attribute::I64(value) => write!(f, "{value} : i64"),
            Attribute::String(text) => Quoted(text).fmt(f),
            Attribute::I64s(values) if values.is_empty() => f.write_str("array<i64>"),
            Attribute::I64s(values) => write!(f, "array<i64: {}>", Separated(values.iter())),
            Attribute::Number(r#type, number) => Splat(r#type, *number).fmt(f),
            Attribute::Elements(r#type, bytes) => Dense(r#type, bytes).fmt(f),
            Attribute::Array(attributes) => write!(f, "[{}]", Separated(attributes.iter())),
            Attribute::Dictionary(attributes) => {
                let entries =
                    attributes.iter().map(|(name, attribute)| NamedAttribute(name, attribute));
                write!(f, "{{{}}}", Separated(entries))
            }
            Attribute::Function { inputs, results } => {
                write!(f, "({}) -> ({})", Separated(inputs.iter()), Separated(results.iter()))
            }
            Attribute::Text(text) => f.write_str(text),
        }
    }
}
