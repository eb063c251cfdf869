//! Filters of jinja2, with the strings and numbers of Python. Filters that are the same in the
//! engine are in [`super::builtins`].

use super::{
    arguments::Arguments,
    budget::{Budget, ELEMENT},
    characters, cost,
    generator::Generator,
    json_filter, number_filters, print, refused, strings,
};
use minijinja::{Error, FormatStyle, Value, format_filter, value::ValueKind};
use std::borrow::Cow;

/// A filter: its parameters, of which the first is the value, and its function.
pub(super) type Filter =
    (&'static str, &'static [&'static str], fn(&Budget, &Arguments<'_>) -> Result<Value, Error>);

/// The filters. The sizes of their arguments have been charged.
pub(super) const ALL: [Filter; 31] = [
    ("safe", &["value"], |budget, args| Ok(Value::from_safe_string(soft(budget, args)?.into()))),
    ("string", &["object"], |budget, args| Ok(Value::from(soft(budget, args)?))),
    ("escape", &["s"], escape),
    ("e", &["s"], escape),
    ("forceescape", &["value"], escape),
    ("lower", &["s"], |budget, args| changed(budget, args, str::to_lowercase)),
    ("upper", &["s"], |budget, args| changed(budget, args, str::to_uppercase)),
    ("capitalize", &["s"], |budget, args| changed(budget, args, characters::capitalized)),
    ("title", &["s"], |budget, args| changed(budget, args, titled)),
    ("trim", &["value", "chars"], trim),
    ("replace", &["s", "old", "new", "count"], replace),
    ("indent", &["s", "width", "first", "blank"], indent),
    ("center", &["value", "width"], center),
    ("truncate", &["s", "length", "killwords", "end", "leeway"], truncate),
    ("wordcount", &["s"], |budget, args| {
        let text = soft(budget, args)?;
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        Ok(Value::from(words.filter(|word| !word.is_empty()).count()))
    }),
    ("length", &["obj"], length),
    ("count", &["obj"], length),
    ("items", &["value"], items),
    ("first", &["seq"], |budget, args| {
        Ok(list(budget, args.value(0)?)?.into_iter().next().unwrap_or(Value::UNDEFINED))
    }),
    ("last", &["seq"], |budget, args| {
        Ok(list(budget, args.value(0)?)?.pop().unwrap_or(Value::UNDEFINED))
    }),
    ("list", &["value"], |budget, args| Ok(Value::from(list(budget, args.value(0)?)?))),
    ("reverse", &["value"], reverse),
    ("join", &["value", "d", "attribute"], join),
    ("sum", &["iterable", "attribute", "start"], number_filters::sum),
    ("default", &["value", "default_value", "boolean"], default),
    ("d", &["value", "default_value", "boolean"], default),
    ("int", &["value", "default", "base"], number_filters::int),
    ("float", &["value", "default"], number_filters::float),
    ("round", &["value", "precision", "method"], number_filters::round),
    ("abs", &["x"], number_filters::abs),
    ("tojson", &["x", "ensure_ascii", "indent", "separators", "sort_keys"], json_filter::to_json),
];

/// `str` of the first argument.
fn soft<'a>(budget: &Budget, args: &'a Arguments<'_>) -> Result<Cow<'a, str>, Error> {
    printed(budget, args.value(0)?)
}

/// `str(value)`; the size of the value has been charged.
///
/// # Errors
/// Python prints the address of such a value, or the budget is exhausted.
pub(super) fn printed<'a>(budget: &Budget, value: &'a Value) -> Result<Cow<'a, str>, Error> {
    if value.kind() != ValueKind::String {
        // A character is escaped by up to ten bytes.
        budget.charge(budget.weigh(value)?.saturating_mul(10))?;
    }
    print::text(value)
}

/// A text with changed letters, each of which can take several times as many bytes.
fn changed(
    budget: &Budget,
    args: &Arguments<'_>,
    change: fn(&str) -> String,
) -> Result<Value, Error> {
    let text = soft(budget, args)?;
    budget.charge(6 * text.len() as u64)?;
    Ok(Value::from(change(&text)))
}

fn escape(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let text = soft(budget, args)?;
    budget.charge(6 * text.len() as u64)?;
    Ok(Value::from_safe_string(markup(&text)))
}

/// A text as markup that prints it.
pub(super) fn markup(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('>', "&gt;").replace('<', "&lt;");
    text.replace('\'', "&#39;").replace('"', "&#34;")
}

/// Words begin after white space, hyphens and opening brackets.
fn titled(text: &str) -> String {
    let (mut out, mut starts) = (String::with_capacity(text.len()), true);
    for c in text.chars() {
        if starts {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        starts = characters::is_space(c) || "-({[<".contains(c);
    }
    out
}

fn trim(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let (text, chars) = (soft(budget, args)?, args.optional_text(1)?);
    budget.charge(text.len() as u64 * chars.map_or(0, str::len) as u64)?;
    Ok(Value::from(characters::stripped(&text, chars, true, true)))
}

fn replace(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let (text, old, new) =
        (soft(budget, args)?, printed(budget, args.value(1)?)?, printed(budget, args.value(2)?)?);
    characters::replaced(budget, &text, &old, &new, args.integer(3)?).map(Value::from)
}

fn indent(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let text = soft(budget, args)?;
    let written = args.get(1).and_then(Value::as_str);
    let width = if written.is_some() { None } else { args.integer(1)? };
    let width = width.map_or(4, |width| u64::try_from(width).unwrap_or(0));
    let size = written.map_or(width, |text| text.len() as u64);
    let lines = characters::lines(&text, false);
    budget.charge((lines.len() as u64 + 2).saturating_mul(size.saturating_add(ELEMENT)))?;
    let indention =
        written.map_or_else(|| " ".repeat(usize::try_from(width).unwrap_or(0)), str::to_owned);
    // jinja2 splits the text with one more line end, which a last empty line needs.
    let ended = text.to_string() + "\n";
    let mut out = String::new();
    for (at, line) in characters::lines(&ended, false).into_iter().enumerate() {
        let inner = at > 0 && (!line.is_empty() || args.flag(3));
        out.push_str(if at > 0 { "\n" } else { "" });
        out.push_str(if inner || (at == 0 && args.flag(2)) { &indention } else { "" });
        out.push_str(line);
    }
    Ok(Value::from(out))
}

fn center(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let text = soft(budget, args)?;
    let width = args.integer(1)?.unwrap_or(80);
    characters::padded(budget, &text, width, ' ', "center").map(Value::from)
}

fn truncate(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let (text, end) = (soft(budget, args)?, args.optional_text(3)?.unwrap_or("..."));
    let length = args.integer(1)?.unwrap_or(255);
    let leeway = args.integer(4)?.unwrap_or(5);
    if text.chars().count() as i128 <= length.saturating_add(leeway) {
        return Ok(Value::from(text));
    }
    let Ok(kept) = usize::try_from(length - end.chars().count() as i128) else {
        return Err(refused(format!("truncates to {length} characters, fewer than `{end}` has")));
    };
    let kept: String = text.chars().take(kept).collect();
    let kept = match kept.rsplit_once(' ') {
        Some((words, _)) if !args.flag(2) => words,
        _ => &kept,
    };
    Ok(Value::from(format!("{kept}{end}")))
}

fn length(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    match value.len() {
        Some(len) => Ok(Value::from(len)),
        None if value.is_undefined() => Ok(Value::from(0)),
        None => Err(refused(format!("a value of type {} has no length", value.kind()))),
    }
}

fn items(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    if value.is_undefined() {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    if value.kind() != ValueKind::Map {
        return Err(refused("can only get item pairs from a mapping"));
    }
    budget.charge((4 * ELEMENT).saturating_mul(1 + value.len().unwrap_or(0) as u64))?;
    let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
    Ok(pairs.into_iter().flatten().map(|(key, item)| print::pair(key, item)).collect())
}

/// `list(value)`; an undefined value is empty.
pub(super) fn list(budget: &Budget, value: &Value) -> Result<Vec<Value>, Error> {
    if value.is_undefined() {
        return Ok(Vec::new());
    }
    let generated = value.downcast_object_ref::<Generator>();
    let len = match value.as_str() {
        Some(text) => text.len(),
        None => generated.map_or_else(|| value.len().unwrap_or(0), |all| all.left().len()),
    };
    budget.charge(ELEMENT.saturating_mul(1 + len as u64))?;
    Ok(value.try_iter()?.collect())
}

fn reverse(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    if let Some(text) = value.as_str() {
        return Ok(Value::from(text.chars().rev().collect::<String>()));
    }
    let mut items = list(budget, value)?;
    items.reverse();
    Ok(Value::from(items))
}

/// The attribute of an item by its path, in which numbers are positions.
pub(super) fn attribute(item: Value, path: Option<&Value>) -> Result<Value, Error> {
    match path {
        None => Ok(item),
        Some(path) if path.is_none() => Ok(item),
        Some(path) => match path.as_str() {
            None => item.get_item(path),
            Some(path) => path.split('.').try_fold(item, |item, part| match part.parse::<i64>() {
                Ok(at) => item.get_item(&Value::from(at)),
                Err(_) => item.get_attr(part),
            }),
        },
    }
}

fn join(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let items = list(budget, args.value(0)?)?;
    let separator = match args.get(1) {
        Some(separator) => printed(budget, separator)?,
        None => Cow::Borrowed(""),
    };
    // A path of attributes is split for each item.
    let path = args.get(2).and_then(Value::as_str).map_or(0, str::len);
    let each = (separator.len() + path) as u64;
    budget.charge((items.len() as u64).saturating_mul(each))?;
    let mut out = String::new();
    for (at, item) in items.into_iter().enumerate() {
        out.push_str(if at > 0 { &separator } else { "" });
        out.push_str(&printed(budget, &attribute(item, args.get(2))?)?);
    }
    Ok(Value::from(out))
}

fn default(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    let replaces = value.is_undefined() || (args.flag(2) && !value.is_true());
    let other = || args.get(1).cloned().unwrap_or(Value::from(""));
    Ok(if replaces { other() } else { value.clone() })
}

/// The `format` filter, and `%` of a text: Python's `pattern % args`.
///
/// # Errors
/// An argument is missing or has the wrong type, or the result is too large.
pub(super) fn percent_format(
    budget: &Budget,
    pattern: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let all: Vec<Value> =
        std::iter::once(Value::from(pattern)).chain(args.iter().cloned()).collect();
    budget.charge(cost::percent_format(budget, &all)?)?;
    let mapped = matches!(args, [map] if map.kind() == ValueKind::Map) && pattern.contains("%(");
    let args = if mapped { args.to_vec() } else { strings::printed(args)? };
    format_filter(FormatStyle::Printf, pattern, &args).map(Value::from)
}
