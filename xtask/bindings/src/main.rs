//! Generates `crates/pjrt-sys/src/bindings.rs` from the published PJRT and XLA FFI headers.
//!
//! `xtask-bindings` writes the file; `xtask-bindings --check` checks that the checked-in file
//! equals the one generated from the headers.
#![forbid(unsafe_code)]

mod generate;
mod headers;

use std::{path::Path, process::ExitCode};

/// An error message for the user.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => {
            eprintln!("usage: xtask-bindings [--check]");
            return ExitCode::from(2);
        }
    };
    match run(check) {
        Ok(message) => {
            println!("{message}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(check: bool) -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = folder.join("../../crates/pjrt-sys/src/bindings.rs");
    let includes = headers::fetch()?;
    let generated = generate::bindings(&folder.join("stubs"), &includes)?;
    if check {
        let present = std::fs::read_to_string(&target)
            .map_err(|error| format!("cannot read {}: {error}", target.display()))?;
        compare(&present, &generated, &target)?;
        return Ok(format!(
            "bindings: {} lines, the same as generated from the headers",
            generated.lines().count()
        ));
    }
    std::fs::write(&target, &generated)
        .map_err(|error| format!("cannot write {}: {error}", target.display()))?;
    Ok(format!("bindings: wrote {} lines", generated.lines().count()))
}

/// Compares byte for byte and names the first line that differs.
fn compare(present: &str, generated: &str, target: &Path) -> Result<()> {
    if present == generated {
        return Ok(());
    }
    let mut left = present.lines();
    let mut right = generated.lines();
    let mut number = 1;
    loop {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => number += 1,
            (a, b) => {
                return Err(format!(
                    "{} does not match the headers: line {number}\n  checked in: {}\n  \
                         generated:  {}\nrun `cargo xtask bindings` to write it again",
                    target.display(),
                    a.unwrap_or("(end of file)"),
                    b.unwrap_or("(end of file)"),
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "downloads the headers"]
    fn the_bindings_are_those_of_the_published_headers() {
        run(true).unwrap();
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        let target = Path::new("bindings.rs");
        assert_eq!(compare("a\nb\n", "a\nb\n", target), Ok(()));
        let message = compare("a\nb\n", "a\nc\n", target).unwrap_err();
        assert!(message.contains("line 2"), "{message}");
        assert!(
            message.contains("checked in: b") && message.contains("generated:  c"),
            "{message}"
        );
        let message = compare("a\n", "a\nb\n", target).unwrap_err();
        assert!(message.contains("checked in: (end of file)"), "{message}");
    }
}
