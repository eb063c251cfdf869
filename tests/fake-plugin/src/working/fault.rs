//! What goes wrong on demand.

use super::expected::returns_something;
use super::failure::Failure;

/// How a call goes wrong.
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
    /// It does what it should, but the events that it makes happen with an error.
    EventsFail,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Error,
        Self::NullMessage,
        Self::InvalidUtf8,
        Self::NothingMade,
        Self::EventsFail,
    ];

    /// Whether a call of this function may be expected to survive it: success without a result is one that cannot be noticed, unless
    /// there should be one.
    pub fn suits(self, function: &str) -> bool {
        self != Self::NothingMade || returns_something(function)
    }

    /// The error that the function of this name returns.
    pub(crate) fn failure(self, function: &str) -> Option<Failure> {
        let text = format!("{function} fails as it was told to");
        match self {
            Self::Error | Self::EventsFail => Some(Failure::new(8, text)),
            Self::NullMessage => Some(Failure { code: 8, message: None }),
            Self::InvalidUtf8 => Some(Failure {
                code: 8,
                message: Some(vec![b'a', 0xff, 0xfe, b'z']),
            }),
            Self::NothingMade => None,
        }
    }
}

/// An answer that contradicts another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// The optimized program is longer when it is written than when its size is asked for.
    ProgramGrows,
    /// The optimized program has more bytes than there are addresses.
    ProgramTooLarge,
    /// There is one more result than there are types of results.
    OutputTypesTooFew,
    /// The results have types, but their dimensions are a null pointer.
    OutputDimensionsNull,
    /// The ranks of the results add up to more than there are numbers.
    OutputRanksOverflow,
    /// An execution leaves its results null.
    ResultsNull,
    /// An execution leaves its events null.
    CompletionNull,
    /// A serialized executable is null and empty.
    SerializedNull,
}
