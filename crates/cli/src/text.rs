//! Text for people: names without control characters, sizes, times, tables.

use crate::failure::Outcome;
use serde_json::Value;
use std::{borrow::Cow, fmt::Write as _, io::Write, time::SystemTime};

/// A text from a file, with characters escaped that would control a terminal or reorder its text.
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().fold(String::new(), |mut escaped, c| {
        if is_harmful(c) {
            escaped.extend(c.escape_unicode())
        } else {
            escaped.push(c)
        }
        escaped
    });
    Cow::Owned(escaped)
}

/// Control characters, separators of lines, and those that change the direction of text.
fn is_harmful(c: char) -> bool {
    let reorders = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' | '\u{61c}');
    c.is_control() || reorders || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Writes one JSON value on lines of its own; harmful characters of its strings are escaped.
pub fn write_json(out: &mut dyn Write, value: &Value) -> Outcome {
    let text = format!("{value:#}");
    let mut escaped = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // Line ends are outside of strings. All harmful characters are below 2^16.
        let _ = if is_harmful(c) && c != '\n' {
            write!(escaped, "\\u{:04x}", u32::from(c))
        } else {
            escaped.write_char(c)
        };
    }
    Ok(writeln!(out, "{escaped}")?)
}

/// A size in bytes, in the unit that leaves up to four digits.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut size = count as f64 / 1e3;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    // A number that would be rounded to 1000 is 1 of the next unit.
    while size >= 999.95 && units.len() > 0 {
        size /= 1e3;
        unit = units.next();
    }
    format!("{size:.1} {}", unit.unwrap_or(&"PB"))
}

/// A number of operations, in the unit that leaves up to four digits.
pub fn count(number: f64) -> String {
    match number {
        number if number >= 1e12 => format!("{:.2}e12", number / 1e12),
        number if number >= 1e9 => format!("{:.1} billion", number / 1e9),
        number if number >= 1e6 => format!("{:.1} million", number / 1e6),
        number => format!("{number:.0}"),
    }
}

/// The age of a time, as text.
pub fn age(then: SystemTime) -> String {
    // A time in the future, after the clock was set back, counts as now.
    let seconds = then.elapsed().unwrap_or_default().as_secs();
    let (number, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
}

/// Rows under a line of titles, in columns as wide as their longest cell; numbers are
/// right-aligned.
pub struct Table<const N: usize> {
    titles: [&'static str; N],
    right: [bool; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// A table with titles; titles that begin with `>` are of right-aligned columns.
    pub fn new(titles: [&'static str; N]) -> Table<N> {
        let right = titles.map(|title| title.starts_with('>'));
        Table { titles: titles.map(|title| title.trim_start_matches('>')), right, rows: Vec::new() }
    }

    /// Adds a row, whose cells are made safe to print.
    pub fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| safe(&cell).into_owned()));
    }

    /// Writes the table, each line after `indent`.
    pub fn write(&self, out: &mut dyn Write, indent: &str) -> Outcome {
        let titles = self.titles.map(str::to_owned);
        let lines = || std::iter::once(&titles).chain(&self.rows);
        let widths: [usize; N] = std::array::from_fn(|i| {
            lines().map(|cells| cells[i].chars().count()).max().unwrap_or(0)
        });
        for cells in lines() {
            let mut line = indent.to_owned();
            for (i, (cell, width)) in cells.iter().zip(widths).enumerate() {
                // Writing to a string does not fail.
                let _ = if self.right[i] {
                    write!(line, "{cell:>width$}  ")
                } else {
                    write!(line, "{cell:width$}  ")
                };
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn terminals_obey_nothing_that_is_printed() {
        assert_eq!(safe("model.layers.0, größe, 層"), "model.layers.0, größe, 層");
        assert_eq!(
            safe("a\u{1b}[2Jb\u{9b}1m\r\n\u{202e}"),
            "a\\u{1b}[2Jb\\u{9b}1m\\u{d}\\u{a}\\u{202e}"
        );
        let value = json!({ "a\u{9b}b": "\u{1b}[2J\u{7f}\u{2028}\n" });
        let mut out = Vec::new();
        write_json(&mut out, &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.trim_end().chars().all(|c| c == '\n' || !is_harmful(c)), "{text:?}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn sizes_have_units() {
        for (count, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (999_940, "999.9 kB"),
            (999_950, "1.0 MB"),
            (1_234_567_890, "1.2 GB"),
            (u64::MAX, "18446.7 PB"),
        ] {
            assert_eq!(bytes(count), expected);
        }
    }

    #[test]
    fn ages_are_in_the_largest_unit() {
        let ago = |seconds| age(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(ago(0), "just now");
        assert_eq!(ago(60), "1 minute ago");
        assert_eq!(ago(7200 + 3599), "2 hours ago");
        assert_eq!(ago(86_400 * 400), "400 days ago");
        assert_eq!(age(SystemTime::now() + Duration::from_secs(1000)), "just now");
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new(["name", ">size"]);
        table.row(["a".into(), "1 B".into()]);
        table.row(["größe".into(), "100 B".into()]);
        let mut out = Vec::new();
        table.write(&mut out, "  ").unwrap();
        let expected = "  name    size\n  a        1 B\n  größe  100 B\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
