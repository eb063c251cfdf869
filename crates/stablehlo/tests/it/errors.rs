//! MLIR's diagnostics.

use hloom_stablehlo::{Diagnostic, LowerError, Severity};

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
