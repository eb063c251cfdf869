//! Reference results: the cases that `tests/oracle/ops.py` wrote, and how close a result has to be.

mod cases;
mod number;
mod tolerance;

pub use cases::{Case, Values, load};
pub use tolerance::{EXACT, Tolerance, ulps};
