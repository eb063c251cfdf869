//! Reading logs.

use crate::Format;
use serde_json::{Map, Value};
use std::{fmt, io, path::Path};

/// The size limit of a log in bytes.
const MAX_SIZE: u64 = 1 << 30;

/// The rows that a [`Log`](crate::Log) has written.
///
/// ```
/// use hloom_train::{Format, Log, LogTable, Plot};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("loss.csv");
/// let mut log = Log::create(&path, Format::Csv, &["loss", "rate"])?;
/// (0..50).try_for_each(|step| log.row(step, &[1.0 / (step + 1) as f64, 1e-3]))?;
///
/// let table = LogTable::read(&path, Format::Csv)?;
/// assert_eq!(table.column("loss").len(), 50);
/// println!("{}", Plot::new(60, 12).line(&table.column("loss")));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct LogTable {
    columns: Vec<String>,
    /// The step and the numbers of the columns.
    rows: Vec<(u64, Vec<f64>)>,
}

impl LogTable {
    /// Reads a log. A last row that was cut off is left out.
    ///
    /// # Errors
    /// The file cannot be read, is not a regular file of at most 1 GiB, or is not a log of this
    /// format.
    pub fn read(path: impl AsRef<Path>, format: Format) -> io::Result<LogTable> {
        let path = path.as_ref();
        let failed = |kind, problem: &dyn fmt::Display| {
            io::Error::new(kind, format!("`{}`: {problem}", path.display()))
        };
        let bytes = hloom_io::read_regular(path, MAX_SIZE);
        let bytes = bytes.map_err(|error| failed(error.kind(), &error))?;
        let text =
            String::from_utf8(bytes).map_err(|error| failed(io::ErrorKind::InvalidData, &error))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let table = match format {
            Format::Csv => from_csv(whole),
            Format::JsonLines => from_json(whole),
        };
        table.ok_or_else(|| failed(io::ErrorKind::InvalidData, &"not a training log"))
    }

    /// The names of the columns after the step.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Each step with the number of a column; nothing if there is no such column.
    pub fn column(&self, name: &str) -> Vec<(f64, f64)> {
        let Some(at) = self.columns.iter().position(|column| column == name) else {
            return Vec::new();
        };
        self.rows.iter().map(|(step, numbers)| (*step as f64, numbers[at])).collect()
    }
}

fn from_csv(text: &str) -> Option<LogTable> {
    let mut lines = text.lines();
    let mut names = lines.next()?.split(',').map(str::to_owned);
    if names.next()? != "step" {
        return None;
    }
    let columns: Vec<String> = names.collect();
    let row = |line: &str| {
        let mut cells = line.split(',');
        let step = cells.next()?.parse().ok()?;
        let numbers: Vec<f64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        (numbers.len() == columns.len()).then_some((step, numbers))
    };
    let rows = lines.map(row).collect::<Option<_>>()?;
    Some(LogTable { columns, rows })
}

fn from_json(text: &str) -> Option<LogTable> {
    let rows: Vec<Map<String, Value>> =
        text.lines().map(|line| serde_json::from_str(line).ok()).collect::<Option<_>>()?;
    let columns: Vec<String> = match rows.first() {
        Some(row) => row.keys().filter(|name| *name != "step").cloned().collect(),
        None => Vec::new(),
    };
    let row = |row: &Map<String, Value>| {
        let number = |name: &String| match row.get(name)? {
            // A number that was not finite.
            Value::Null => Some(f64::NAN),
            value => value.as_f64(),
        };
        Some((row.get("step")?.as_u64()?, columns.iter().map(number).collect::<Option<_>>()?))
    };
    let rows = rows.iter().map(row).collect::<Option<_>>()?;
    Some(LogTable { columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Log;
    use std::fs;

    #[test]
    fn a_table_has_the_numbers_of_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for format in [Format::Csv, Format::JsonLines] {
            let mut log = Log::create(&path, format, &["a", "b"]).unwrap();
            log.row(3, &[0.1, f64::NAN]).unwrap();
            log.row(10, &[-2.5e-7, 4.0]).unwrap();
            let table = LogTable::read(&path, format).unwrap();
            assert_eq!(table.columns(), ["a", "b"]);
            assert_eq!(table.column("a"), [(3.0, 0.1), (10.0, -2.5e-7)]);
            let b = table.column("b");
            assert!(b[0].1.is_nan() && b[1] == (10.0, 4.0));
            assert!(table.column("c").is_empty());
            // The run was killed within a row.
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, &text[..text.len() - 2]).unwrap();
            assert_eq!(LogTable::read(&path, format).unwrap().column("a"), [(3.0, 0.1)]);
        }
        fs::write(&path, "a letter\nwith lines\n").unwrap();
        for format in [Format::Csv, Format::JsonLines] {
            let error = LogTable::read(&path, format).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
    }
}
