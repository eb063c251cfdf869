//! A report of a compiled program, as one HTML page.
//!
//! [`Report::of_hlo`] reads the optimized program that a PJRT plugin returns for an executable;
//! [`Report::html`] is the page: estimated costs by op, by source line and by module, memory over
//! time, the largest buffers, and the optimized program next to the source, with links between
//! them.
//!
//! ```no_run
//! use hloom_report::Report;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = std::fs::read("program.hlo")?;
//! let report = Report::of_hlo(&program, "hlo")?.platform("cpu").sources(".");
//! std::fs::write("page.html", report.html())?;
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//! - **Estimates.** A plugin returns the order of its instructions and the aliases of parameters,
//!   not its buffers or times. Operations and bytes are those of [`CompiledKernels`]; live ranges
//!   follow from the order, with values that share memory counted once. The body of a loop counts
//!   for all its iterations where the compiler has counted them, else for one.
//! - **Untrusted text.** All names come from the program. They are data of the page, escaped, and
//!   shown as text; a policy in the page forbids every other script and every request.
//! - **Source files** are named by the program too: only files with the extension of a source
//!   language are read, only below the folders that [`Report::sources`] names, never through hidden
//!   folders or links that lead out of them, and only the lines around those used are embedded.
//! - **Size.** The page draws what is visible, so that a program of tens of thousands of
//!   instructions opens at once.

#![forbid(unsafe_code)]

mod costs;
mod error;
mod memory;
mod modules;
mod page;
mod program;
mod report;
mod sources;
mod text;

#[cfg(test)]
mod example;

pub use error::{Error, Result};
pub use hloom_pjrt::{CompiledKernels, CompiledMemoryStats, hlo};
pub use memory::{Buffer, BufferKind, Memory};
pub use report::Report;
