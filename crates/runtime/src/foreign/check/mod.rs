//! Checks of a module before the plugin receives a byte of it.
//!
//! In a text: names of handlers, ops that wait for other programs, nesting, calls and sizes, in one
//! pass with constant work for each byte. Bytecode is opaque here, so its size alone is checked.
//! Shapes of operands are left to the compiler: a text that passes may still crash the compiler, so
//! an untrusted program needs a sandbox.

mod custom_calls;
mod functions;
mod lexer;
mod walk;

pub(crate) use custom_calls::refused;

use super::{ForeignError, jax_export::BYTECODE};
use hloom_pjrt::PlatformKind;
use walk::Walk;

/// The limit on the size of a text in bytes. Weights belong in other files.
const MAX_TEXT: usize = 1 << 29;
/// The limit on the size of bytecode in bytes.
const MAX_BYTECODE: usize = 1 << 31;

/// Checks a module in MLIR's text form, or the size of one in bytecode. `allowed` are the handlers
/// that the caller permits.
///
/// # Errors
/// The first rule that it breaks.
pub(crate) fn check(
    code: &[u8],
    platform: PlatformKind,
    allowed: &[String],
) -> Result<(), ForeignError> {
    let within = |what: &str, limit: usize| {
        if code.len() <= limit {
            Ok(())
        } else {
            Err(too_large(what, code.len() as u64, limit as u64))
        }
    };
    if code.starts_with(BYTECODE) {
        return within("bytecode, in bytes", MAX_BYTECODE);
    }
    within("text, in bytes", MAX_TEXT)?;
    let text = str::from_utf8(code).map_err(|_| ForeignError::NotAProgram)?;
    Walk::new(text, platform, allowed).check()
}

fn too_large(what: &str, found: u64, limit: u64) -> ForeignError {
    ForeignError::TooLarge { what: what.to_owned(), found, limit }
}

#[cfg(test)]
mod tests;
