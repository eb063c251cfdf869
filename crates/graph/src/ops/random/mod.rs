//! Random numbers from explicit keys, equal to those of JAX.

mod choice;
mod distribution;
mod gamma;
mod integer;
mod key;
mod threefry;
mod truncated;
mod uniform;

pub use choice::ChoiceOptions;
pub use key::Key;
