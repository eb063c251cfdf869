//! Methods of Python's strings, whose positions count characters.

use super::{
    arguments::Arguments,
    budget::{Budget, ELEMENT},
    characters::*,
    cost, print, refused,
};
use minijinja::{Error, ErrorKind, FormatStyle, Value, format_filter, value::ValueKind};

/// The methods of strings. [`call`] refuses those that need tables of all characters, or bytes.
pub(super) const METHODS: [&str; 47] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];

/// Calls a method of `text`, whose size and whose arguments have been charged.
///
/// # Errors
/// There is no such method, it fails, or the budget is exhausted.
pub(super) fn call(
    budget: &Budget,
    text: &str,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let bind = |names| Arguments::bind(name, names, args);
    // A changed letter can take several times as many bytes.
    let changed = |change: fn(&str) -> String| {
        bind(&[])?;
        budget.charge(6 * text.len() as u64)?;
        Ok(Value::from(change(text)))
    };
    let asked = |test: fn(&str) -> bool| {
        bind(&[])?;
        Ok(Value::from(test(text)))
    };
    match name {
        "upper" => changed(str::to_uppercase),
        "lower" | "casefold" => changed(str::to_lowercase),
        "capitalize" => changed(capitalized),
        "title" => changed(titled),
        "swapcase" => changed(swapped),
        "isalnum" => asked(|text| every(text, char::is_alphanumeric)),
        "isalpha" => asked(|text| every(text, char::is_alphabetic)),
        "isascii" => asked(str::is_ascii),
        "isdecimal" | "isdigit" => asked(|text| every(text, is_digit)),
        "isnumeric" => asked(|text| every(text, char::is_numeric)),
        "isidentifier" => asked(is_identifier),
        "isprintable" => asked(|text| text.chars().all(print::is_printable)),
        "isspace" => asked(|text| every(text, is_space)),
        "islower" => asked(is_lower),
        "isupper" => asked(is_upper),
        "istitle" => asked(|text| text.chars().any(is_cased) && titled(text) == text),
        "strip" | "lstrip" | "rstrip" => {
            let args = bind(&["chars"])?;
            let chars = args.optional_text(0)?;
            budget.charge(text.len() as u64 * chars.map_or(0, str::len) as u64)?;
            Ok(Value::from(stripped(text, chars, name != "rstrip", name != "lstrip")))
        }
        "removeprefix" => {
            let args = bind(&["prefix"])?;
            Ok(Value::from(text.strip_prefix(args.text(0)?).unwrap_or(text)))
        }
        "removesuffix" => {
            let args = bind(&["suffix"])?;
            Ok(Value::from(text.strip_suffix(args.text(0)?).unwrap_or(text)))
        }
        "replace" => {
            let args = bind(&["old", "new", "count"])?;
            let (old, new) = (args.text(0)?, args.text(1)?);
            replaced(budget, text, old, new, args.integer(2)?).map(Value::from)
        }
        "split" | "rsplit" => {
            let args = bind(&["sep", "maxsplit"])?;
            let most = args.integer(1)?.and_then(|most| usize::try_from(most).ok());
            budget.charge(ELEMENT * (2 + text.len() as u64))?;
            let parts = match (args.optional_text(0)?, name) {
                (Some(""), _) => return Err(refused("empty separator")),
                (Some(sep), "split") => match most {
                    Some(most) => text.splitn(most.saturating_add(1), sep).collect(),
                    None => text.split(sep).collect(),
                },
                (Some(sep), _) => {
                    let mut parts: Vec<&str> = match most {
                        Some(most) => text.rsplitn(most.saturating_add(1), sep).collect(),
                        None => text.rsplit(sep).collect(),
                    };
                    parts.reverse();
                    parts
                }
                (None, "split") => words(text, most.unwrap_or(usize::MAX)),
                (None, _) => last_words(text, most.unwrap_or(usize::MAX)),
            };
            Ok(parts.into_iter().map(Value::from).collect())
        }
        "partition" | "rpartition" => {
            let args = bind(&["sep"])?;
            let sep = args.text(0)?;
            if sep.is_empty() {
                return Err(refused("empty separator"));
            }
            let parts = match name {
                "partition" => text.split_once(sep).map_or([text, "", ""], |(a, b)| [a, sep, b]),
                _ => text.rsplit_once(sep).map_or(["", "", text], |(a, b)| [a, sep, b]),
            };
            Ok(print::tuple(parts.map(Value::from).into()))
        }
        "splitlines" => {
            let args = bind(&["keepends"])?;
            budget.charge(ELEMENT * (1 + text.len() as u64))?;
            Ok(lines(text, args.flag(0)).into_iter().map(Value::from).collect())
        }
        "find" | "rfind" | "index" | "rindex" | "count" => {
            let args = bind(&["sub", "start", "end"])?;
            let sub = args.text(0)?;
            let found = span(text, args.integer(1)?, args.integer(2)?);
            if name == "count" {
                return Ok(Value::from(found.map_or(0, |(_, text)| {
                    if sub.is_empty() {
                        text.chars().count() + 1
                    } else {
                        text.matches(sub).count()
                    }
                })));
            }
            let at = found.and_then(|(before, text)| {
                let at = if name.starts_with('r') { text.rfind(sub) } else { text.find(sub) };
                Some(before + text[..at?].chars().count())
            });
            match at {
                Some(at) => Ok(Value::from(at)),
                None if name.ends_with("find") => Ok(Value::from(-1)),
                None => Err(refused("substring not found")),
            }
        }
        "startswith" | "endswith" => {
            let args = bind(&["prefix", "start", "end"])?;
            let Some((_, text)) = span(text, args.integer(1)?, args.integer(2)?) else {
                return Ok(Value::from(false));
            };
            let is = |part: &str| {
                if name == "startswith" { text.starts_with(part) } else { text.ends_with(part) }
            };
            let parts = args.value(0)?;
            if parts.kind() != ValueKind::Seq {
                return Ok(Value::from(is(args.text(0)?)));
            }
            for part in parts.try_iter()? {
                let part = part.as_str().ok_or_else(|| {
                    refused(format!("`{name}` needs texts, not a value of type {}", part.kind()))
                })?;
                if is(part) {
                    return Ok(Value::from(true));
                }
            }
            Ok(Value::from(false))
        }
        "join" => {
            let args = bind(&["iterable"])?;
            let items = args.value(0)?;
            budget.charge((items.len().unwrap_or(0) as u64).saturating_mul(text.len() as u64))?;
            let mut out = String::new();
            for (at, item) in items.try_iter()?.enumerate() {
                out.push_str(if at > 0 { text } else { "" });
                out.push_str(item.as_str().ok_or_else(|| {
                    refused(format!("`join` needs texts, not a value of type {}", item.kind()))
                })?);
            }
            Ok(Value::from(out))
        }
        "center" | "ljust" | "rjust" => {
            let args = bind(&["width", "fillchar"])?;
            let width = args.integer(0)?.unwrap_or(0);
            let fill = args.optional_text(1)?.unwrap_or(" ");
            let mut chars = fill.chars();
            let (Some(fill), None) = (chars.next(), chars.next()) else {
                return Err(refused("the fill character must be exactly one character long"));
            };
            padded(budget, text, width, fill, name).map(Value::from)
        }
        "zfill" => {
            let args = bind(&["width"])?;
            let sign = if text.starts_with(['+', '-']) { 1 } else { 0 };
            let width = args.integer(0)?.unwrap_or(0) - sign as i128;
            let digits = padded(budget, &text[sign..], width, '0', "rjust")?;
            Ok(Value::from(format!("{}{digits}", &text[..sign])))
        }
        "format" => {
            let all: Vec<Value> =
                std::iter::once(Value::from(text)).chain(args.iter().cloned()).collect();
            budget.charge(cost::brace_format(budget, &all)?)?;
            let args = if text.contains(['[', '.']) { args.to_vec() } else { printed(args)? };
            format_filter(FormatStyle::StrFormat, text, &args).map(Value::from)
        }
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}

/// Arguments of a format; values that the engine prints differently from Python are converted to
/// strings.
///
/// # Errors
/// Python prints the address of such a value.
pub(super) fn printed(args: &[Value]) -> Result<Vec<Value>, Error> {
    let one = |value: &Value| match value.kind() {
        ValueKind::Number | ValueKind::String => Ok(value.clone()),
        _ if value.is_kwargs() => {
            let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
            let pairs = pairs.into_iter().flatten().map(|(key, value)| {
                let value = match value.kind() {
                    ValueKind::Number | ValueKind::String => value,
                    _ => Value::from(print::text(&value)?.into_owned()),
                };
                Ok((key.as_str().unwrap_or_default().to_owned(), value))
            });
            let pairs: Vec<(String, Value)> = pairs.collect::<Result<_, Error>>()?;
            Ok(minijinja::value::Kwargs::from_iter(pairs).into())
        }
        _ => Ok(Value::from(print::text(value)?.into_owned())),
    };
    args.iter().map(one).collect()
}
