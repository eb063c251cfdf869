//! Every op compared with JAX: one table per family, in the families of the graph crate.
//!
//! A [`Row`] is an op as a user writes it. It is tried with every [`Case`] of its name in the
//! family's data file: element types, ranks, empty and odd sizes, NaN and infinities. [`run`]
//! compiles all cases of a family as a few programs, and compares the results.
//!
//! The tests of the facade and the checks on a GPU share it; it is not published.

#![deny(unsafe_code)]

mod cases;
mod families;
mod mapped;
mod number;
mod pairs;
mod products;
mod program;
mod report;
mod row;
mod run;
mod split;
mod tolerance;
mod trial;

pub use cases::{Case, Values, load};
pub use families::{FAMILIES, Family};
pub use mapped::{LANES, Mapped};
pub use number::{smallest_normal, ulp};
pub use pairs::{case_dtype, largest, pair};
pub use program::{Found, Program, compile_for};
pub use report::{Report, compare};
pub use row::{Outputs, Row};
pub use run::{MAX_TOGETHER, programs, run};
pub use split::Split;
pub use tolerance::{EXACT, Tolerance, ulps};
pub use trial::Trial;

pub(crate) use row::rows;
