//! Injected faults.

use super::expected::returns_something;
use super::failure::Failure;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does nothing and returns an error that names it.
    Error,
    /// It does nothing and returns an error whose message is a null pointer of 7 bytes.
    NullMessage,
    /// It does nothing and returns an error whose message is not UTF-8.
    InvalidUtf8,
    /// It does nothing and reports success; all its results are zero and null.
    NothingMade,
    /// It succeeds, but the events that it creates complete with an error.
    EventsFail,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Error, Self::NullMessage, Self::InvalidUtf8, Self::NothingMade, Self::EventsFail];

    /// Whether a caller can handle this fault of this function: a success without a result is
    /// undetectable, unless a result is required.
    pub fn suits(self, function: &str) -> bool {
        self != Self::NothingMade || returns_something(function)
    }

    /// The error that the function of this name returns.
    pub(crate) fn failure(self, function: &str) -> Option<Failure> {
        let text = format!("{function} fails as configured");
        match self {
            Self::Error | Self::EventsFail => Some(Failure::new(8, text)),
            Self::NullMessage => Some(Failure { code: 8, message: None }),
            Self::InvalidUtf8 => {
                Some(Failure { code: 8, message: Some(vec![b'a', 0xff, 0xfe, b'z']) })
            }
            Self::NothingMade => None,
        }
    }
}

/// A result that contradicts another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// The optimized program is longer when it is written than when its size is queried.
    ProgramGrows,
    /// The optimized program has more bytes than the address space.
    ProgramTooLarge,
    /// There is one more result than there are types of results.
    OutputTypesTooFew,
    /// The results have types, but their dimensions are a null pointer.
    OutputDimensionsNull,
    /// The sum of the results' ranks overflows.
    OutputRanksOverflow,
    /// An execution leaves its results null.
    ResultsNull,
    /// An execution leaves its events null.
    CompletionNull,
    /// A serialized executable is null and empty.
    SerializedNull,
}
