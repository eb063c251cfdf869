//! The journal of workers: what began, and how each case ended.

use super::outcome::Outcome;
use crate::Result;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Appends lines, each as a whole and at once, from several threads.
pub struct Journal(Mutex<File>);

/// The cases that ended, with the reason of an outcome that is not right.
#[derive(Default)]
pub struct Ended {
    /// By `family/row/case`.
    pub cases: BTreeMap<String, (Outcome, String)>,
    /// The cases to try alone: the last worker died while it tried them.
    pub suspects: Vec<String>,
    /// The programs that were compiled and called when the last worker ended.
    pub compiling: Vec<Vec<String>>,
    /// The program that was called.
    pub calling: Vec<String>,
    /// The name of the device.
    pub card: Option<String>,
}

impl Journal {
    /// Opens the journal, and creates it if it is missing.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn append(path: &Path) -> Result<Journal> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Journal(Mutex::new(file)))
    }

    /// A worker has opened a device.
    pub fn start(&self, card: &str) -> Result {
        self.line(json!({ "start": card }))
    }

    /// Cases to try alone.
    pub fn suspect(&self, ids: &[String]) -> Result {
        self.line(json!({ "suspect": ids }))
    }

    /// A program of these cases is being compiled.
    pub fn compile(&self, ids: &[&str]) -> Result {
        self.line(json!({ "compile": ids }))
    }

    /// It is called next.
    pub fn call(&self, ids: &[&str]) -> Result {
        self.line(json!({ "call": ids }))
    }

    /// It failed, and its cases are tried in smaller programs.
    pub fn split(&self, ids: &[&str]) -> Result {
        self.line(json!({ "split": ids }))
    }

    /// A case ended.
    pub fn end(&self, id: &str, outcome: Outcome, why: &str) -> Result {
        self.line(json!({ "case": id, "outcome": outcome.name(), "why": why }))
    }

    fn line(&self, line: Value) -> Result {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(file.write_all(format!("{line}\n").as_bytes())?)
    }
}

impl Ended {
    /// Reads a journal; a last line that is not whole is ignored.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Ended> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Ended::parse(&text))
    }

    fn parse(text: &str) -> Ended {
        let mut ended = Ended::default();
        for line in text.lines() {
            if let Ok(line) = serde_json::from_str::<Value>(line) {
                ended.apply(&line);
            }
        }
        ended
    }

    fn apply(&mut self, line: &Value) {
        let ids = |key: &str| -> Option<Vec<String>> {
            let ids = line.get(key)?.as_array()?;
            Some(ids.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        if let Some(card) = text("start") {
            self.card = Some(card.to_owned());
            self.compiling.clear();
            self.calling.clear();
        } else if let Some(ids) = ids("suspect") {
            self.suspects = ids;
        } else if let Some(ids) = ids("compile") {
            self.compiling.push(ids);
        } else if let Some(ids) = ids("call") {
            self.compiling.retain(|of| *of != ids);
            self.calling = ids;
        } else if let Some(ids) = ids("split") {
            self.compiling.retain(|of| *of != ids);
            if self.calling == ids {
                self.calling.clear();
            }
        } else if let Some(id) = text("case") {
            let outcome = text("outcome").and_then(Outcome::from_name);
            let why = text("why").unwrap_or_default().to_owned();
            if let Some(outcome) = outcome {
                self.cases.insert(id.to_owned(), (outcome, why));
            }
            for of in self.compiling.iter_mut().chain([&mut self.calling]) {
                of.retain(|of| of != id);
            }
            self.compiling.retain(|of| !of.is_empty());
        }
    }

    /// The cases that may have ended the worker: those of the program that was called, otherwise of
    /// those that were compiled.
    pub fn in_flight(&self) -> Vec<String> {
        if self.calling.is_empty() { self.compiling.concat() } else { self.calling.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_was_called_is_the_suspect() {
        let mut lines = vec![
            json!({"start": "card"}),
            json!({"compile": ["a", "b"]}),
            json!({"compile": ["c", "d"]}),
        ];
        let read = |lines: &[Value]| {
            Ended::parse(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        };
        assert_eq!(read(&lines).in_flight(), ["a", "b", "c", "d"]);
        lines.push(json!({"call": ["c", "d"]}));
        assert_eq!(read(&lines).in_flight(), ["c", "d"]);
        lines.push(json!({"case": "c", "outcome": "holds", "why": ""}));
        assert_eq!(read(&lines).in_flight(), ["d"]);
        lines.push(json!({"case": "d", "outcome": "wrong", "why": "far"}));
        let ended = read(&lines);
        assert_eq!(ended.in_flight(), ["a", "b"]);
        assert_eq!(ended.cases["d"], (Outcome::Wrong, "far".to_owned()));
        lines.push(json!({"start": "card"}));
        assert!(read(&lines).in_flight().is_empty(), "of an earlier worker");
    }

    #[test]
    fn a_line_that_is_cut_off_is_ignored() {
        let ended = Ended::parse("{\"start\": \"card\"}\n{\"case\": \"a\", \"outc");
        assert!(ended.cases.is_empty() && ended.card.as_deref() == Some("card"));
    }
}
