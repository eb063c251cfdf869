//! The file of results: one JSON object a line, in the form of the project's benches.

use crate::Result;
use hloom::Platform;
use serde_json::{Map, Value, json};
use std::{
    fmt,
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

/// Appends lines to a file, each as a whole and at once.
pub struct Results {
    file: File,
    /// The name of the device, once it is known.
    card: Option<String>,
}

/// Whether a smaller or a larger value is better.
#[derive(Clone, Copy)]
pub enum Better {
    Lower,
    Higher,
}

/// A measurement, with an optional reference of the same run and a target.
pub struct Measurement<'a> {
    /// The name, such as `gpu/llama/decode`.
    pub bench: &'a str,
    /// The measured value.
    pub value: f64,
    /// The unit of the value and of the reference.
    pub unit: &'a str,
    /// A peer's or the machine's own value.
    pub reference: Option<f64>,
    /// The bound of the ratio, or of the value if there is no reference.
    pub target: Option<(Better, f64)>,
}

impl Results {
    /// Opens the file, and creates it if it is missing.
    pub fn append(path: &Path) -> Result<Results> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Results { file, card: None })
    }

    /// Names the card in all later lines.
    pub fn set_card(&mut self, platform: &Platform) {
        self.card = platform.devices().first().map(|device| device.kind().to_owned());
    }

    /// Names the card in all later lines, without a client.
    pub fn set_card_name(&mut self, name: Option<String>) {
        self.card = name;
    }

    /// Writes a measurement: `ratio` is value by reference, and `holds` is whether it meets the
    /// target.
    pub fn measure(&mut self, measurement: &Measurement<'_>) -> Result {
        let &Measurement { bench, value, unit, reference, target } = measurement;
        let ratio = reference.map(|reference| value / reference);
        let judged = ratio.unwrap_or(value);
        let holds = target.map(|(better, target)| match better {
            Better::Lower => judged <= target,
            Better::Higher => judged >= target,
        });
        self.line(json!({
            "bench": bench, "value": value, "unit": unit, "reference": reference,
            "ratio": ratio, "target": target.map(|(_, target)| target), "holds": holds,
        }))
    }

    /// Writes the outcome of a check: 1 if it passed, or 0 with the reason.
    pub fn check<T, E: fmt::Display>(&mut self, bench: &str, outcome: Result<T, E>) -> Result {
        let why = outcome.err().map(|error| error.to_string());
        let value = u8::from(why.is_none());
        self.line(json!({
            "bench": bench, "value": value, "unit": "passed", "reference": null, "ratio": null,
            "target": 1, "holds": why.is_none(), "why": why,
        }))
    }

    fn line(&mut self, line: Value) -> Result {
        let mut line = match line {
            Value::Object(line) => line,
            _ => Map::new(),
        };
        line.insert("card".into(), json!(self.card));
        let line = Value::Object(line).to_string();
        println!("{line}");
        Ok(self.file.write_all(format!("{line}\n").as_bytes())?)
    }
}
