//! Single checks of a part.

use crate::{Result, results::Results};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs a check and writes its outcome, also when it panics; `None` if it failed.
///
/// The name is printed before, so that the log of a part that was cut off ends with the check that
/// did not return.
///
/// # Errors
/// The file of results cannot be written.
pub fn attempt<T>(
    results: &mut Results,
    bench: &str,
    work: impl FnOnce() -> Result<T>,
) -> Result<Option<T>> {
    eprintln!("{bench}: begins");
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic)));
    match outcome {
        Ok(value) => {
            results.check(bench, Ok::<_, &str>(()))?;
            Ok(Some(value))
        }
        Err(error) => {
            results.check(bench, Err::<(), _>(error))?;
            Ok(None)
        }
    }
}

/// Notes in the log that a check needs what this platform lacks; nothing is written to the results.
pub fn skip(bench: &str, why: &str) {
    eprintln!("{bench}: skipped, {why}");
}

/// Fails unless the condition holds.
///
/// # Errors
/// The message.
pub fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result {
    if holds { Ok(()) } else { Err(message().into()) }
}

fn panicked(panic: Box<dyn Any + Send>) -> Box<dyn std::error::Error + Send + Sync> {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("(no message)")).into()
}
