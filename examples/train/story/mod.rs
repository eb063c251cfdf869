//! Stories that a grammar makes, and conversations that ask for them.

mod characters;
mod conversations;
mod draw;
mod grammar;
mod lessons;
mod plots;
mod things;
mod words;

pub use conversations::{Passage, SPECIAL, document, single};
pub use words::{BOY_NAMES, GIRL_NAMES};
