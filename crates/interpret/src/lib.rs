//! A plain interpreter of graphs: a second opinion on a compiler's results.
//!
//! It evaluates a [`Graph`](hloom_graph::Graph) op by op on the host, shares no code with the
//! lowering, and is slow. Where a plugin and the interpreter differ by more than rounding, one of
//! them is wrong.
//!
//! # Arithmetic
//! - **Elements** have the bits of their type. Each elementwise op is computed exactly or in `f64`
//!   and rounded once to the type of its result, to nearest and ties to even. Subnormal numbers are
//!   kept, while plugins may flush them to zero.
//! - **Integers** wrap around. Division by zero returns all bits set; shifts by the width or more
//!   shift everything out.
//! - **Sums and products** of reductions, dot products and convolutions are accumulated in
//!   row-major order in `f64`, or in integers, and rounded once, since StableHLO leaves order and
//!   type of accumulation open. Updates of a scatter are combined one by one in the type of the
//!   elements.
//! - **NaN** propagates through maxima and minima, is the largest number for sorts, and is not
//!   equal to itself. Moved elements keep their bits.
//! - **Sorts** are stable.
//! - **Indices** of slices and gathers are clamped so that the slice fits; slices of a scatter that
//!   do not fit are dropped.
//! - **Random numbers** are compositions of integer ops, so they have the same bits as on any
//!   plugin.
//!
//! # Several devices
//! A program over a mesh is evaluated as a whole; in manual bodies each op is evaluated for all
//! devices in turn, so that collectives exchange values as they do between devices.

#![forbid(unsafe_code)]

mod array;
mod bisect;
mod error;
mod evaluate;
mod interpreter;
mod machine;
mod number;
mod ops;

pub use array::{Array, MAX_ELEMENTS};
pub use bisect::{BisectError, Bisector, Closeness, Compiled, Difference, live_op_count};
pub use error::InterpretError;
pub use interpreter::{DEFAULT_LIMIT, Interpreter, interpret};
