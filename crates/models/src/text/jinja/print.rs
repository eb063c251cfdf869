//! Values as Python prints them: `str` and `repr`.

use super::{generator::Generator, refused};
use minijinja::{Error, Value, value::ValueKind};
use std::{borrow::Cow, fmt::Write};

/// A list that Python prints as a tuple.
#[derive(Debug)]
struct Tuple(Vec<Value>);

impl minijinja::value::Object for Tuple {
    fn repr(self: &std::sync::Arc<Self>) -> minijinja::value::ObjectRepr {
        minijinja::value::ObjectRepr::Seq
    }

    fn get_value(self: &std::sync::Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &std::sync::Arc<Self>) -> minijinja::value::Enumerator {
        minijinja::value::Enumerator::Seq(self.0.len())
    }
}

/// The items as a tuple.
pub(super) fn tuple(items: Vec<Value>) -> Value {
    Value::from_object(Tuple(items))
}

/// A pair of a map as a tuple.
pub(super) fn pair(key: Value, value: Value) -> Value {
    tuple(vec![key, value])
}

/// `str(value)`. The caller has charged the value, and a multiple of it unless it is a text.
///
/// # Errors
/// Python prints the address of such a value.
pub(super) fn text(value: &Value) -> Result<Cow<'_, str>, Error> {
    match value.kind() {
        ValueKind::Undefined => Ok(Cow::Borrowed("")),
        ValueKind::String => Ok(Cow::Borrowed(value.as_str().unwrap_or_default())),
        _ => {
            let mut out = String::new();
            repr(value, &mut out)?;
            Ok(Cow::Owned(out))
        }
    }
}

/// Appends `repr(value)`.
fn repr(value: &Value, out: &mut String) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => out.push_str("Undefined"),
        ValueKind::None => out.push_str("None"),
        ValueKind::Bool => out.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number => out.push_str(&number(value)),
        ValueKind::String => quoted(value.as_str().unwrap_or_default(), out),
        ValueKind::Map => {
            let namespace = is_namespace(value);
            out.push_str(if namespace { "<Namespace {" } else { "{" });
            let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
            for (at, (key, item)) in pairs.into_iter().flatten().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                repr(&key, out)?;
                out.push_str(": ");
                repr(&item, out)?;
            }
            out.push_str(if namespace { "}>" } else { "}" });
        }
        ValueKind::Iterable if value.downcast_object_ref::<Generator>().is_some() => {
            return Err(refused("prints a generator; `| list` makes a list of it"));
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let tuple = value.downcast_object_ref::<Tuple>().is_some();
            out.push(if tuple { '(' } else { '[' });
            let mut count = 0;
            for item in value.try_iter()? {
                out.push_str(if count > 0 { ", " } else { "" });
                repr(&item, out)?;
                count += 1;
            }
            out.push_str(match (tuple, count) {
                (true, 1) => ",)",
                (true, _) => ")",
                (false, _) => "]",
            });
        }
        kind => return Err(refused(format!("prints a value of type {kind}"))),
    }
    Ok(())
}

/// Whether a value was made by `namespace`, whose type is private to the engine.
pub(super) fn is_namespace(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.type_name().ends_with("::Namespace"))
}

/// `repr` of a number.
pub(in crate::text) fn number(value: &Value) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    f64::try_from(value.clone()).map_or_else(|_| value.to_string(), float)
}

/// `repr` of a float: the shortest digits that parse to the same float, with an exponent below 1e-4
/// and from 1e16 on.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value:?}")
}

/// Appends `repr` of a text: in single quotes, unless it has only single quotes itself.
fn quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        let code = u32::from(c);
        let _ = match c {
            '\\' => write!(out, "\\\\"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            _ if c == quote => write!(out, "\\{c}"),
            ' '..='~' => write!(out, "{c}"),
            _ if is_printable(c) => write!(out, "{c}"),
            _ if code <= 0xff => write!(out, "\\x{code:02x}"),
            _ if code <= 0xffff => write!(out, "\\u{code:04x}"),
            _ => write!(out, "\\U{code:08x}"),
        };
    }
    out.push(quote);
}

/// `str.isprintable` of one character. Rust escapes the same categories, and no others after the
/// first character of a text.
pub(super) fn is_printable(c: char) -> bool {
    let mut buffer = [0; 5];
    buffer[0] = b'a';
    let len = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let text = std::str::from_utf8(&buffer[..len]).unwrap_or_default();
    matches!(c, '\'' | '"' | '\\') || text.escape_debug().skip(1).eq([c])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_pythons() {
        // repr(value) of Python 3.
        for (value, expected) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e-5, "1.5e-05"),
            (0.0001, "0.0001"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (123456789.125, "123456789.125"),
        ] {
            assert_eq!(float(value), expected);
        }
    }

    #[test]
    fn texts_are_quoted_as_in_python() {
        for (text, expected) in [
            ("a'b", r#""a'b""#),
            ("a'b\"", r#"'a\'b"'"#),
            ("é\u{a0}\u{200b}世🌍\u{e0001}", r"'é\xa0\u200b世🌍\U000e0001'"),
            ("\0\n\\", r"'\x00\n\\'"),
            ("e\u{301}", "'e\u{301}'"),
        ] {
            let mut out = String::new();
            quoted(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
