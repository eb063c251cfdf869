//! Models that are split into several files.

use super::{Header, Value};
use std::path::{Path, PathBuf};

/// The limit on the number of files of a split model: numbers in names have five digits.
const MAX_FILES: u64 = 99_999;

/// The key of the number of files.
const COUNT: &str = "split.count";
/// The key of a file's index, from 0 on.
const INDEX: &str = "split.no";
/// The key of the number of tensors in all files.
const TENSORS: &str = "split.tensors.count";

/// The reason why files are not a split model.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum SplitError {
    #[error("metadata key `{key}`: expected an integer from 0 to {limit}, found {found}")]
    Key { key: &'static str, limit: u64, found: String },
    #[error("file {number} of {count} of a split model: open its first file{}", named(first))]
    NotFirst { number: u64, count: u64, first: Option<String> },
    #[error("the first of {count} files of a split model: its name must end in `{end}`")]
    Name { count: u64, end: String },
    #[error("expected file {number} of {count} of a split model, found {found}")]
    Other { number: u64, count: u64, found: String },
    #[error("tensor `{}` is also in the file {}", name.escape_debug(), first.display())]
    Duplicate { name: String, first: PathBuf },
    #[error("`{TENSORS}` is {expected}, and the files of the split model have {found} tensors")]
    Tensors { expected: u64, found: usize },
}

hloom_graph::debug_as_display!(SplitError);

fn named(first: &Option<String>) -> String {
    first.as_ref().map(|name| format!(", `{}`", name.escape_debug())).unwrap_or_default()
}

/// The place of a file in a split model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Split {
    /// The file's index, from 0 on.
    pub index: u64,
    /// The number of files; 1 for a model that is not split.
    pub count: u64,
    /// The number of tensors in all files, where the file has it.
    pub tensors: Option<u64>,
}

impl Split {
    /// The place of the file with this header.
    pub fn of(header: &Header) -> Result<Split, SplitError> {
        let integer = |key: &'static str, limit: u64| match header.metadata.get(key) {
            None => Ok(None),
            Some(value) => value
                .as_u64()
                .filter(|&value| value <= limit)
                .map(Some)
                .ok_or_else(|| SplitError::Key { key, limit, found: shown(value) }),
        };
        let count = integer(COUNT, MAX_FILES)?.unwrap_or(1).max(1);
        let index = integer(INDEX, count - 1)?.unwrap_or(0);
        Ok(Split { index, count, tensors: integer(TENSORS, u64::MAX)? })
    }

    /// Checks that the file at `path` is the first of its model.
    pub fn check_first(&self, path: &Path) -> Result<(), SplitError> {
        let (number, count) = (self.index + 1, self.count);
        if number != 1 {
            let name = path.file_name().and_then(|name| name.to_str());
            let start = name.and_then(|name| name.strip_suffix(&end(number, count)));
            let first = start.map(|start| format!("{start}{}", end(1, count)));
            return Err(SplitError::NotFirst { number, count, first });
        }
        if count > 1 && path_of(path, number, count).is_none() {
            return Err(SplitError::Name { count, end: end(1, count) });
        }
        Ok(())
    }

    /// Checks that a file with this place is the one with a number, from 1 on, of `count`.
    pub fn check(&self, number: u64, count: u64) -> Result<(), SplitError> {
        if (self.index + 1, self.count) == (number, count) {
            return Ok(());
        }
        let found = format!("file {} of {}", self.index + 1, self.count);
        Err(SplitError::Other { number, count, found })
    }

    /// Checks the number of tensors in all files.
    pub fn check_tensors(&self, found: usize) -> Result<(), SplitError> {
        match self.tensors {
            Some(expected) if expected != found as u64 => {
                Err(SplitError::Tensors { expected, found })
            }
            _ => Ok(()),
        }
    }
}

/// The file with a number, from 1 on, of the split model whose first file is at `first`; `None` if
/// its name has another form.
pub(super) fn path_of(first: &Path, number: u64, count: u64) -> Option<PathBuf> {
    let start = first.file_name()?.to_str()?.strip_suffix(&end(1, count))?;
    Some(first.with_file_name(format!("{start}{}", end(number, count))))
}

/// The end of the name of a file of a split model.
fn end(number: u64, count: u64) -> String {
    format!("-{number:05}-of-{count:05}.gguf")
}

fn shown(value: &Value) -> String {
    value.as_u64().map_or_else(|| value.type_name(), |value| value.to_string())
}
