//! Errors of handlers.

use crate::ErrorCode;
use std::fmt;

/// The error of a handler; it becomes the error of the execution, with code and message.
#[derive(Clone, PartialEq, Eq)]
pub struct HandlerError {
    /// The code.
    pub code: ErrorCode,
    /// The message.
    pub message: String,
}

impl std::fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl HandlerError {
    /// An error.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// An error for an unexpected argument, result or attribute.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for HandlerError {}

impl From<String> for HandlerError {
    fn from(message: String) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}

impl From<&str> for HandlerError {
    fn from(message: &str) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}
