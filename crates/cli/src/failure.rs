//! The reason why a command failed.

use crate::text::safe;
use std::{fmt::Display, io};

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The reason, for the person who ran it.
    Message(String),
    /// The output could not be written.
    Output(io::Error),
    /// The reason was already written.
    Reported,
}

impl Failure {
    /// A failure with a reason.
    pub fn new(message: impl Display) -> Failure {
        Failure::Message(message.to_string())
    }

    /// Writes the reason to standard error: one line, or with further ones indented.
    pub fn report(&self) {
        let message = match self {
            Failure::Message(message) => message.clone(),
            Failure::Output(error) => format!("cannot write the output: {error}"),
            Failure::Reported => return,
        };
        for (i, line) in message.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            let (start, line) = if i == 0 { ("error: ", line) } else { ("  ", line) };
            eprintln!("{start}{}", safe(line));
        }
    }
}

/// An I/O error without another reason is one of writing the output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<hloom_runtime::Error> for Failure {
    fn from(error: hloom_runtime::Error) -> Failure {
        Failure::new(error)
    }
}

impl From<hloom_io::Error> for Failure {
    fn from(error: hloom_io::Error) -> Failure {
        Failure::new(error)
    }
}
