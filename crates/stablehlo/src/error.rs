//! MLIR's diagnostics of a module.

use hloom_graph::TraceError;
#[cfg(feature = "mlir")]
use melior::{diagnostic::DiagnosticSeverity, ir::Location};
use std::fmt;

/// A module that MLIR rejects.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("module `{module}` is not valid{}", Listed(.diagnostics))]
#[non_exhaustive]
pub struct LowerError {
    /// The name of the function that was lowered.
    pub module: String,
    /// MLIR's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

hloom_graph::debug_as_display!(LowerError);

/// One diagnostic of MLIR.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The text.
    pub message: String,
    /// The file, line and column of the user's source, if known.
    pub location: Option<(String, usize, usize)>,
    /// The attached notes.
    pub notes: Vec<Diagnostic>,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the variants' names say it")]
#[non_exhaustive]
pub enum Severity {
    Error,
    Warning,
    Note,
    Remark,
}

impl LowerError {
    /// An error of a graph, before there is a module.
    pub(crate) fn of_trace(module: &str, error: &TraceError) -> LowerError {
        let at = error.location;
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            message: error.to_string(),
            location: Some((at.file().into(), at.line() as usize, at.column() as usize)),
            notes: Vec::new(),
        };
        LowerError { module: module.into(), diagnostics: vec![diagnostic] }
    }
}

struct Listed<'a>(&'a [Diagnostic]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|diagnostic| write!(f, "\n  {diagnostic}"))
    }
}

#[cfg(feature = "mlir")]
impl Diagnostic {
    pub(crate) fn new(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Diagnostic {
        let notes = (0..diagnostic.note_count()).filter_map(|i| diagnostic.note(i).ok());
        Diagnostic {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => Severity::Error,
                DiagnosticSeverity::Warning => Severity::Warning,
                DiagnosticSeverity::Note => Severity::Note,
                DiagnosticSeverity::Remark => Severity::Remark,
            },
            message: diagnostic.to_string(),
            location: source_line(diagnostic.location()),
            notes: notes.map(|note| Diagnostic::new(&note)).collect(),
        }
    }
}

/// The source line of a location, inside its name locations.
#[cfg(feature = "mlir")]
fn source_line(location: Location<'_>) -> Option<(String, usize, usize)> {
    if location.is_name() {
        return source_line(location.name_child_location());
    }
    if !location.is_file_line_col_range() {
        return None;
    }
    let file = location.file_line_col_range_filename();
    let file = file.as_string_ref().as_str().ok()?.to_owned();
    Some((
        file,
        location.file_line_col_range_start_line(),
        location.file_line_col_range_start_column(),
    ))
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = &self.location {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n    {note}"))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Remark => "remark",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_lists_messages_with_lines_and_notes() {
        let note = Diagnostic {
            severity: Severity::Note,
            message: "prior use here".into(),
            location: None,
            notes: Vec::new(),
        };
        let error = LowerError {
            module: "step".into(),
            diagnostics: vec![Diagnostic {
                severity: Severity::Error,
                message: "types differ".into(),
                location: Some(("src/model.rs".into(), 12, 7)),
                notes: vec![note],
            }],
        };
        let expected = "module `step` is not valid\n  src/model.rs:12:7: error: types differ\n    \
                        note: prior use here";
        assert_eq!(error.to_string(), expected);
    }
}
