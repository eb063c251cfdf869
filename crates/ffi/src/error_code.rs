//! The status codes of the C API.

use std::fmt;

/// The status code of a plugin's error.
///
/// The numbers are those of the C API (and of absl). A number that is not among the sixteen known
/// ones is kept as [`ErrorCode::Other`], so that a newer plugin cannot confuse an older program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The operation was cancelled (1).
    Cancelled,
    /// The cause is not known (2).
    Unknown,
    /// An argument is wrong whatever the state of the system (3).
    InvalidArgument,
    /// The time allowed is over (4).
    DeadlineExceeded,
    /// The requested object does not exist (5).
    NotFound,
    /// The object to create exists (6).
    AlreadyExists,
    /// The caller may not do this (7).
    PermissionDenied,
    /// Memory or another resource is used up (8).
    ResourceExhausted,
    /// The system is not in the state that the operation needs (9).
    FailedPrecondition,
    /// The operation was aborted (10).
    Aborted,
    /// An index or offset lies outside the valid range (11).
    OutOfRange,
    /// The plugin does not implement this (12).
    Unimplemented,
    /// An invariant of the plugin is broken, or a program failed while it ran (13).
    Internal,
    /// A service is not reachable at the moment (14).
    Unavailable,
    /// Data is lost or corrupt (15).
    DataLoss,
    /// The caller is not authenticated (16).
    Unauthenticated,
    /// A number that this crate does not know.
    Other(i32),
}

/// Number and name of each known code, in the order of the C API.
const KNOWN: [(ErrorCode, &str); 16] = [
    (ErrorCode::Cancelled, "CANCELLED"),
    (ErrorCode::Unknown, "UNKNOWN"),
    (ErrorCode::InvalidArgument, "INVALID_ARGUMENT"),
    (ErrorCode::DeadlineExceeded, "DEADLINE_EXCEEDED"),
    (ErrorCode::NotFound, "NOT_FOUND"),
    (ErrorCode::AlreadyExists, "ALREADY_EXISTS"),
    (ErrorCode::PermissionDenied, "PERMISSION_DENIED"),
    (ErrorCode::ResourceExhausted, "RESOURCE_EXHAUSTED"),
    (ErrorCode::FailedPrecondition, "FAILED_PRECONDITION"),
    (ErrorCode::Aborted, "ABORTED"),
    (ErrorCode::OutOfRange, "OUT_OF_RANGE"),
    (ErrorCode::Unimplemented, "UNIMPLEMENTED"),
    (ErrorCode::Internal, "INTERNAL"),
    (ErrorCode::Unavailable, "UNAVAILABLE"),
    (ErrorCode::DataLoss, "DATA_LOSS"),
    (ErrorCode::Unauthenticated, "UNAUTHENTICATED"),
];

impl From<i32> for ErrorCode {
    fn from(number: i32) -> Self {
        match usize::try_from(number) {
            Ok(n) if (1..=KNOWN.len()).contains(&n) => KNOWN[n - 1].0,
            _ => Self::Other(number),
        }
    }
}

impl From<ErrorCode> for i32 {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::Other(number) => number,
            known => {
                let index = KNOWN.iter().position(|(c, _)| *c == known);
                index.map_or(2, |i| i as i32 + 1)
            }
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match KNOWN.iter().find(|(c, _)| c == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "error code {}", i32::from(*self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G16: the codes of the C API, in both directions.
    #[test]
    fn every_number_makes_the_round_trip() {
        for number in -3..40 {
            assert_eq!(i32::from(ErrorCode::from(number)), number);
        }
        assert_eq!(ErrorCode::from(3), ErrorCode::InvalidArgument);
        assert_eq!(ErrorCode::from(16), ErrorCode::Unauthenticated);
        assert_eq!(ErrorCode::from(0), ErrorCode::Other(0));
        assert_eq!(ErrorCode::from(17), ErrorCode::Other(17));
    }

    #[test]
    fn names_are_those_of_the_c_api() {
        assert_eq!(ErrorCode::ResourceExhausted.to_string(), "RESOURCE_EXHAUSTED");
        assert_eq!(ErrorCode::Other(99).to_string(), "error code 99");
    }
}
