//! Errors of callbacks.

use hloom_pjrt::{ErrorCode, extension::ffi::HandlerError};
use std::{error::Error, fmt, panic::Location};

/// The error of a callback: a code and a message.
///
/// Every error converts into it by `?`; errors of views keep their codes, others are
/// [`ErrorCode::Internal`]. [`CallbackError::new`] makes one of a text, and
/// [`ErrorContext`](crate::ErrorContext) adds context to an error. A value that is not an error
/// itself, such as `Box<dyn Error>`, is converted by `.map_err(CallbackError::new)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackError {
    code: ErrorCode,
    message: String,
}

/// A callback failure that failed a call of its program: a returned error or a panic.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct CallbackFailure {
    /// The executable.
    pub executable: String,
    /// The name of the callback.
    pub callback: String,
    /// The source line that added it to the program.
    pub location: &'static Location<'static>,
    /// The kind of error; [`ErrorCode::Internal`] for panics.
    pub code: ErrorCode,
    /// The callback's error message.
    pub message: String,
    /// Whether it panicked.
    pub panicked: bool,
    /// The number of further callbacks that failed in the same call, because they were running
    /// when the first one failed.
    pub others: usize,
}

hloom_graph::debug_as_display!(CallbackFailure);

impl CallbackError {
    /// An error of the code [`ErrorCode::Internal`].
    pub fn new(message: impl fmt::Display) -> CallbackError {
        CallbackError::with_code(ErrorCode::Internal, message)
    }

    /// An error with a code, which the caller of the program receives.
    pub fn with_code(code: ErrorCode, message: impl fmt::Display) -> CallbackError {
        CallbackError { code, message: message.to_string() }
    }

    pub(crate) fn invalid(message: impl fmt::Display) -> CallbackError {
        CallbackError::with_code(ErrorCode::InvalidArgument, message)
    }

    /// The code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for CallbackError {
    fn from(error: E) -> CallbackError {
        let any: &dyn std::any::Any = &error;
        match any.downcast_ref::<HandlerError>() {
            Some(error) => CallbackError::with_code(error.code, &error.message),
            None => CallbackError::new(with_sources(&error)),
        }
    }
}

/// An error's message and those of its causes.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        // Some errors include their cause in their message.
        if !text.ends_with(&cause) {
            text += &format!(": {cause}");
        }
        source = error.source();
    }
    text
}

impl fmt::Display for CallbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl CallbackFailure {
    /// The error for the plugin: the same text, for readers of the plugin's error.
    pub(crate) fn for_plugin(&self) -> HandlerError {
        HandlerError::new(self.code, self.to_string())
    }
}

impl fmt::Display for CallbackFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.panicked { "panicked" } else { "failed" };
        let CallbackFailure { callback, code, message, location, .. } = self;
        write!(
            f,
            "callback `{callback}` {verb} ({code}): {message}\n  in `{}`, at {location}",
            self.executable
        )?;
        match self.others {
            0 => Ok(()),
            1 => f.write_str("\n  note: 1 more callback failed"),
            n => write!(f, "\n  note: {n} more callbacks failed"),
        }
    }
}

impl Error for CallbackFailure {}
