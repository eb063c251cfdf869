//! JSON in the format of Python's `json.dumps`, which templates expect of `tojson`.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// Adds a space after commas and colons.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// `value` as JSON on one line, or indented by `indent` spaces.
pub(super) fn write(
    value: &impl Serialize,
    indent: Option<usize>,
) -> Result<String, serde_json::Error> {
    let mut out = Vec::new();
    match indent {
        None => value.serialize(&mut Serializer::with_formatter(&mut out, Spaced))?,
        Some(indent) => {
            let spaces = vec![b' '; indent];
            let formatter = PrettyFormatter::with_indent(&spaces);
            value.serialize(&mut Serializer::with_formatter(&mut out, formatter))?;
        }
    }
    Ok(String::from_utf8(out).expect("serde_json writes UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spaces_are_pythons() {
        let value = json!({"a": [1, 2.5, null], "é": {}});
        assert_eq!(write(&value, None).unwrap(), r#"{"a": [1, 2.5, null], "é": {}}"#);
        assert_eq!(
            write(&json!([1, {"b": true}]), Some(2)).unwrap(),
            "[\n  1,\n  {\n    \"b\": true\n  }\n]"
        );
    }
}
