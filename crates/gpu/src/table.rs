//! A file of results as tables in Markdown, in the form of `docs/gpu.md`.

use crate::Result;
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

/// Prints the cards, the number of checks of each part, the measurements, and the failed checks.
///
/// # Errors
/// The file cannot be read.
pub fn print(file: &Path) -> Result {
    let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    print!("{}", tables(&String::from_utf8_lossy(&text)));
    Ok(())
}

/// How many checks of a part were made, and how many passed.
#[derive(Default)]
struct Count {
    passed: usize,
    all: usize,
}

fn tables(text: &str) -> String {
    let mut cards: Vec<String> = Vec::new();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let (mut measured, mut failed, mut unreadable) = (String::new(), String::new(), 0);
    for line in text.lines() {
        // The last line of a run that was cut off may be half a line.
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            unreadable += 1;
            continue;
        };
        let bench = line["bench"].as_str().unwrap_or("without a name");
        if let Some(card) = line["card"].as_str()
            && !cards.iter().any(|other| other == card)
        {
            cards.push(card.to_owned());
        }
        let holds = line["holds"].as_bool();
        if line["unit"] == "passed" {
            let part = bench.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
            let count = counts.entry(part).or_default();
            count.all += 1;
            count.passed += usize::from(holds == Some(true));
            if holds != Some(true) {
                let why = line["why"].as_str().unwrap_or("without a reason");
                row(&mut failed, &[bench.to_owned(), why.to_owned()]);
            }
            continue;
        }
        let unit = line["unit"].as_str().unwrap_or_default();
        let holds = holds.map_or("", |holds| if holds { "yes" } else { "no" });
        row(
            &mut measured,
            &[
                bench.to_owned(),
                with_unit(&line["value"], unit),
                with_unit(&line["reference"], unit),
                number(&line["ratio"]),
                number(&line["target"]),
                holds.to_owned(),
            ],
        );
    }
    let mut checks = String::new();
    for (part, Count { passed, all }) in counts {
        row(&mut checks, &[part, passed.to_string(), all.to_string()]);
    }
    let cards = if cards.is_empty() { "not known".to_owned() } else { cards.join(", ") };
    let mut page = format!("Card: {cards}\n");
    let mut table = |head: &[&str], rows: &str| {
        if !rows.is_empty() {
            let rule = "|---".repeat(head.len());
            page += &format!("\n| {} |\n{rule}|\n{rows}", head.join(" | "));
        }
    };
    table(&["checks", "passed", "of"], &checks);
    table(&["measurement", "value", "reference", "ratio", "target", "holds"], &measured);
    table(&["failed", "reason"], &failed);
    if unreadable > 0 {
        page += &format!("\nLines that are not JSON: {unreadable}\n");
    }
    page
}

/// Adds a row, whose cells cannot end the row or its table.
fn row(rows: &mut String, cells: &[String]) {
    for cell in cells {
        let words: Vec<&str> = cell.split_whitespace().collect();
        let cell = words.join(" ").replace('\\', "\\\\").replace('|', "\\|");
        // A string cannot refuse to be written to.
        let _ = write!(rows, "| {cell} ");
    }
    rows.push_str("|\n");
}

fn with_unit(value: &Value, unit: &str) -> String {
    if value.is_null() { String::new() } else { format!("{} {unit}", number(value)) }
}

/// A number with four significant digits.
fn number(value: &Value) -> String {
    let Some(value) = value.as_f64() else {
        return String::new();
    };
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // At most 308 for a finite number.
    let digits = value.abs().log10().floor() as i32;
    match digits {
        -4..=3 => {
            let text = format!("{value:.*}", usize::try_from(3 - digits).unwrap_or(0));
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        4..=12 => format!("{value:.0}"),
        _ => format!("{value:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_counted_by_part_and_failures_are_listed() {
        let lines = concat!(
            r#"{"bench":"gpu/ops/add","value":1,"unit":"passed","holds":true,"card":"H200"}"#,
            "\n",
            r#"{"bench":"gpu/ops/mul","value":0,"unit":"passed","holds":false,"why":"a | b\nc"}"#,
            "\n",
            r#"{"bench":"gpu/calls","value":1,"unit":"passed","holds":true,"card":"H200"}"#,
            "\n",
            r#"{"bench":"gpu/llama/decode","value":190,"unit":"tokens/s","reference":200,"#,
            r#""ratio":0.95,"target":0.97,"holds":false,"card":"other"}"#,
            "\n",
            r#"{"bench":"gpu/lla"#,
        );
        let expected = "\
Card: H200, other

| checks | passed | of |
|---|---|---|
| gpu/calls | 1 | 1 |
| gpu/ops | 1 | 2 |

| measurement | value | reference | ratio | target | holds |
|---|---|---|---|---|---|
| gpu/llama/decode | 190 tokens/s | 200 tokens/s | 0.95 | 0.97 | no |

| failed | reason |
|---|---|
| gpu/ops/mul | a \\| b c |

Lines that are not JSON: 1
";
        assert_eq!(tables(lines), expected);
        assert_eq!(tables(""), "Card: not known\n");
    }

    #[test]
    fn numbers_have_four_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.00123456, "0.001235"),
            (-12.3456, "-12.35"),
            (1234.0, "1234"),
            (1_234_567.0, "1234567"),
            (1.23456e-7, "1.235e-7"),
            (f64::MAX, "1.798e308"),
        ] {
            assert_eq!(number(&serde_json::json!(value)), expected);
        }
        assert_eq!(number(&Value::Null), "");
    }
}
