//! Context for the errors of callbacks.

use super::CallbackError;
use std::fmt;

/// Adds context to an error, and turns a missing value into an error, in functions that return a
/// [`CallbackError`].
///
/// ```
/// use hloom_runtime::{CallbackError, ErrorContext};
///
/// fn port(text: &str) -> Result<u16, CallbackError> {
///     let (_, port) = text.split_once(':').context("no colon")?;
///     port.parse().context(format_args!("the port of `{text}`"))
/// }
///
/// assert_eq!(port("a:80")?, 80);
/// assert_eq!(port("a").unwrap_err().message(), "no colon");
/// let expected = "the port of `a:b`: invalid digit found in string";
/// assert_eq!(port("a:b").unwrap_err().message(), expected);
/// # Ok::<(), CallbackError>(())
/// ```
pub trait ErrorContext<T> {
    /// The value, or an error whose message begins with `context`. The code of an error stays.
    ///
    /// # Errors
    /// There is no value.
    fn context(self, context: impl fmt::Display) -> Result<T, CallbackError>;
}

impl<T, E: Into<CallbackError>> ErrorContext<T> for Result<T, E> {
    fn context(self, context: impl fmt::Display) -> Result<T, CallbackError> {
        self.map_err(|error| {
            let error = error.into();
            CallbackError::with_code(error.code(), format_args!("{context}: {error}"))
        })
    }
}

impl<T> ErrorContext<T> for Option<T> {
    fn context(self, context: impl fmt::Display) -> Result<T, CallbackError> {
        self.ok_or_else(|| CallbackError::new(context))
    }
}
