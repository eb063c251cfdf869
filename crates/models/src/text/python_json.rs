//! JSON in the format of Python's `json.dumps`, which templates expect from `tojson`.

use super::jinja::number;
use minijinja::{Value, value::ValueKind};

/// The arguments of `json.dumps`.
pub(super) struct Layout {
    /// The text between items, and between a key and its value.
    pub items: String,
    pub keys: String,
    /// The indent of a level, each item on a line of its own.
    pub indent: Option<String>,
    /// Whether characters beyond ASCII are escaped.
    pub ascii: bool,
    /// Whether the keys of maps are sorted.
    pub sorted: bool,
}

/// `value` as JSON; it must be nested in bounded depth.
///
/// # Errors
/// A value, or the key of a map, cannot be represented in JSON.
pub(super) fn write(value: &Value, layout: &Layout) -> Result<String, String> {
    let mut out = String::new();
    layout.write(value, 0, &mut out)?;
    Ok(out)
}

impl Layout {
    fn write(&self, value: &Value, level: usize, out: &mut String) -> Result<(), String> {
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => out.push_str(&json_number(value)),
            ValueKind::String => self.text(value.as_str().unwrap_or_default(), out),
            ValueKind::Seq | ValueKind::Iterable => {
                let items = value.try_iter().map_err(|error| error.to_string())?;
                out.push('[');
                let mut count = 0;
                for item in items {
                    self.begin(count, level + 1, out);
                    self.write(&item, level + 1, out)?;
                    count += 1;
                }
                self.end(count, level, ']', out);
            }
            ValueKind::Map => {
                let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
                let pairs = pairs.into_iter().flatten();
                let pairs = pairs.map(|(key, item)| Ok((key_text(&key)?, item)));
                let mut pairs: Vec<(String, Value)> = pairs.collect::<Result<_, String>>()?;
                if self.sorted {
                    pairs.sort_by(|a, b| a.0.cmp(&b.0));
                }
                out.push('{');
                for (at, (key, item)) in pairs.iter().enumerate() {
                    self.begin(at, level + 1, out);
                    self.text(key, out);
                    out.push_str(&self.keys);
                    self.write(item, level + 1, out)?;
                }
                self.end(pairs.len(), level, '}', out);
            }
            kind => return Err(format!("a value of type {kind} has no form in JSON")),
        }
        Ok(())
    }

    fn begin(&self, before: usize, level: usize, out: &mut String) {
        if before > 0 {
            out.push_str(&self.items);
        }
        self.line(level, out);
    }

    fn end(&self, count: usize, level: usize, close: char, out: &mut String) {
        if count > 0 {
            self.line(level, out);
        }
        out.push(close);
    }

    fn line(&self, level: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            out.push_str(&indent.repeat(level));
        }
    }

    fn text(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x08' => out.push_str("\\b"),
                '\x0c' => out.push_str("\\f"),
                ' '..='~' => out.push(c),
                _ if c >= '\x7f' && !self.ascii => out.push(c),
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        out.push('"');
    }
}

/// A number as `json.dumps` writes it: like `repr`, except for numbers that are not finite.
fn json_number(value: &Value) -> String {
    match number(value).as_str() {
        "nan" => "NaN".into(),
        "inf" => "Infinity".into(),
        "-inf" => "-Infinity".into(),
        text => text.into(),
    }
}

/// The key of a map as a string.
fn key_text(key: &Value) -> Result<String, String> {
    match key.kind() {
        ValueKind::String => Ok(key.as_str().unwrap_or_default().into()),
        ValueKind::None => Ok("null".into()),
        ValueKind::Bool => Ok(if key.is_true() { "true" } else { "false" }.into()),
        ValueKind::Number => Ok(json_number(key)),
        kind => Err(format!("a key of type {kind} has no form in JSON")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(indent: Option<&str>) -> Layout {
        let items = if indent.is_some() { "," } else { ", " };
        let indent = indent.map(str::to_owned);
        Layout { items: items.into(), keys: ": ".into(), indent, ascii: false, sorted: false }
    }

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn spaces_are_pythons() {
        let value = json(r#"{"b": [1, 2.5, null], "é": {}, "a": 1e20}"#);
        assert_eq!(
            write(&value, &layout(None)).unwrap(),
            r#"{"b": [1, 2.5, null], "é": {}, "a": 1e+20}"#
        );
        assert_eq!(
            write(&json(r#"[1, {"b": true}, []]"#), &layout(Some("  "))).unwrap(),
            "[\n  1,\n  {\n    \"b\": true\n  },\n  []\n]"
        );
    }

    #[test]
    fn characters_are_escaped_and_keys_sorted() {
        let value = json(r#"{"é": "🌍\u007f\u0001", "a": "<\"\\>"}"#);
        let ascii = Layout { ascii: true, sorted: true, ..layout(None) };
        assert_eq!(
            write(&value, &ascii).unwrap(),
            "{\"a\": \"<\\\"\\\\>\", \"\\u00e9\": \"\\ud83c\\udf0d\\u007f\\u0001\"}"
        );
    }
}
