//! Reference results: the cases written by `tests/oracle/ops.py`, and tolerances.

mod cases;
mod number;
mod tolerance;

pub use cases::{Case, Values, load};
pub use number::{smallest_normal, ulp};
pub use tolerance::{EXACT, Tolerance, ulps};
