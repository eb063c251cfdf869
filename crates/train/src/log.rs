//! Logs of the numbers of each step.

use serde_json::{Map, Value};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// The length limit of a row that is read, in bytes.
const MAX_ROW: u64 = 16 << 20;

/// The format of a log's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Columns separated by commas, after a line with their names. A number that is not finite is
    /// `NaN`, `inf` or `-inf`.
    Csv,
    /// One JSON object per line. A number that is not finite is `null`, since JSON has none.
    JsonLines,
}

/// A file with a row of numbers for each logged step. Each row is written by one call: a killed run
/// leaves complete rows, except perhaps the last one, which is removed when the run resumes.
///
/// ```
/// use hloom_train::{Format, Log};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("loss.csv");
/// let mut log = Log::create(&path, Format::Csv, &["loss", "rate"])?;
/// log.row(0, &[2.5, 1e-3])?;
/// log.row(10, &[2.25, 1e-3])?;
/// // A run that resumes at step 10 writes its row again.
/// let mut log = Log::resume(&path, Format::Csv, &["loss", "rate"], 10)?;
/// log.row(10, &[2.25, 1e-3])?;
/// assert_eq!(std::fs::read_to_string(&path)?, "step,loss,rate\n0,2.5,0.001\n10,2.25,0.001\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Log {
    file: File,
    format: Format,
    columns: Vec<String>,
}

impl Log {
    /// An empty log with these columns after the step; a file of that name is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// A name of a column has a comma, a quote or a line break.
    pub fn create(path: impl AsRef<Path>, format: Format, columns: &[&str]) -> io::Result<Log> {
        for name in columns {
            assert!(!name.contains([',', '"', '\n', '\r']), "a column is called {name:?}");
        }
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        let mut log = Log { file: File::create(path)?, format, columns };
        if format == Format::Csv {
            let header = log.header();
            log.file.write_all(header.as_bytes())?;
        }
        Ok(log)
    }

    /// The log of a run that resumes at `step`: the rows before that step stay, and all others are
    /// removed. Without a file of that name it is as [`create`](Self::create).
    ///
    /// # Errors
    /// The file cannot be read or written, is not a regular file, has a row of 16 MiB, or is not a
    /// log of this format and with these columns; it is then unchanged.
    ///
    /// # Panics
    /// As [`create`](Self::create).
    pub fn resume(
        path: impl AsRef<Path>,
        format: Format,
        columns: &[&str],
        step: u64,
    ) -> io::Result<Log> {
        let path = path.as_ref();
        if !fs::exists(path)? {
            return Log::create(path, format, columns);
        }
        let mut file = File::options().read(true).write(true).open(path)?;
        // A pipe may have no writer, for which reading would wait.
        if !file.metadata()?.is_file() {
            return Err(other(path, "is not a regular file"));
        }
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        let mut log = Log { file: file.try_clone()?, format, columns };
        let mut kept = 0;
        let mut lines = BufReader::new(&file);
        let mut line = String::new();
        let mut is_first = true;
        while lines.by_ref().take(MAX_ROW).read_line(&mut line)? > 0 {
            if line.len() as u64 == MAX_ROW {
                return Err(other(path, "has a row of 16 MiB or more"));
            }
            // Only the last row can be cut off.
            if !line.ends_with('\n') {
                break;
            }
            let stays = match (format, std::mem::take(&mut is_first)) {
                (Format::Csv, true) if line == log.header() => true,
                (Format::Csv, true) => return Err(other(path, "has other columns than this run")),
                _ => log.step_of(&line).ok_or_else(|| other(path, "is not a training log"))? < step,
            };
            if !stays {
                break;
            }
            kept += line.len() as u64;
            line.clear();
        }
        drop(lines);
        file.set_len(kept)?;
        file.seek(SeekFrom::End(0))?;
        if kept == 0 && format == Format::Csv {
            let header = log.header();
            log.file.write_all(header.as_bytes())?;
        }
        Ok(log)
    }

    /// Appends the numbers of a step, in the order of the columns.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// There are more or fewer numbers than columns.
    pub fn row(&mut self, step: u64, numbers: &[f64]) -> io::Result<()> {
        assert_eq!(numbers.len(), self.columns.len(), "a row has a number for each column");
        let mut line = match self.format {
            Format::Csv => {
                let numbers: String = numbers.iter().map(|number| format!(",{number}")).collect();
                format!("{step}{numbers}")
            }
            Format::JsonLines => {
                let columns = self.columns.iter().zip(numbers);
                let columns = columns.map(|(name, &number)| (name.clone(), Value::from(number)));
                let step = [("step".to_owned(), Value::from(step))];
                Value::Object(Map::from_iter(step.into_iter().chain(columns))).to_string()
            }
        };
        line.push('\n');
        self.file.write_all(line.as_bytes())
    }

    fn header(&self) -> String {
        let names: String = self.columns.iter().map(|name| format!(",{name}")).collect();
        format!("step{names}\n")
    }

    /// The step of a row, if it is a row of this log.
    fn step_of(&self, line: &str) -> Option<u64> {
        match self.format {
            Format::Csv => {
                let mut fields = line.trim_end().split(',');
                let step = fields.next()?.parse().ok()?;
                (fields.count() == self.columns.len()).then_some(step)
            }
            Format::JsonLines => {
                let row: Map<String, Value> = serde_json::from_str(line).ok()?;
                let has_all = self.columns.iter().all(|name| row.contains_key(name));
                has_all.then(|| row.get("step")?.as_u64()).flatten()
            }
        }
    }
}

fn other(path: &Path, problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("`{}` {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 2] = ["loss", "rate"];

    #[test]
    fn a_resumed_log_has_the_rows_of_one_that_was_never_stopped() {
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::JsonLines] {
            let numbers = |step: u64| [1.0 / (step + 1) as f64, 0.1 * step as f64];
            let whole = folder.path().join("whole");
            let mut log = Log::create(&whole, format, &COLUMNS).unwrap();
            (0..20).for_each(|step| log.row(step, &numbers(step)).unwrap());
            let whole = fs::read_to_string(&whole).unwrap();
            let path = folder.path().join("resumed");
            // Killed after any byte, and resumed at a step whose rows may be there already.
            for cut in (0..=whole.len()).rev().step_by(3) {
                fs::write(&path, &whole[..cut]).unwrap();
                let rows = whole[..cut].matches('\n').count();
                let rows = rows.saturating_sub(usize::from(format == Format::Csv)) as u64;
                for resumed in [0, rows / 2, rows] {
                    fs::write(&path, &whole[..cut]).unwrap();
                    let mut log = Log::resume(&path, format, &COLUMNS, resumed).unwrap();
                    (resumed..20).for_each(|step| log.row(step, &numbers(step)).unwrap());
                    assert_eq!(fs::read_to_string(&path).unwrap(), whole, "{cut} {resumed}");
                }
            }
        }
    }

    #[test]
    fn other_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (format, text) in [
            (Format::Csv, "step,loss\n0,1\n"),
            (Format::Csv, "step,loss,rate\n0,1\n"),
            (Format::JsonLines, "{\"step\":0,\"loss\":1}\n"),
            (Format::JsonLines, "a letter\n"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Log::resume(&path, format, &COLUMNS, 5).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn numbers_that_are_not_finite() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let numbers = [f64::NAN, f64::NEG_INFINITY];
        Log::create(&path, Format::Csv, &COLUMNS).unwrap().row(3, &numbers).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,loss,rate\n3,NaN,-inf\n");
        Log::create(&path, Format::JsonLines, &COLUMNS).unwrap().row(3, &numbers).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let row: Map<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!((&row["step"], &row["loss"]), (&Value::from(3), &Value::Null));
    }
}
