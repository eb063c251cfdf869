//! The side of a sandbox that its user sees.

mod check;
mod description;
mod locate;
mod program;
mod sandbox;
mod session;

pub use description::{Description, Parameter};
pub use program::{Argument, Bound, Program};
pub use sandbox::Sandbox;
pub use session::Session;
