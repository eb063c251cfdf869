//! Axis names of a tensor that replaces another one.

use crate::{Name, Shape};
use std::fmt::{self, Write};

impl Shape {
    /// Whether a tensor of this shape can replace one of the expected shape: as the carry of a
    /// loop, the result of another branch, or a cotangent. Element type and sizes must be equal,
    /// and a name that both shapes have must be of the same axis in both. An axis without a name,
    /// or with a name that the other shape lacks, takes the expected name.
    ///
    /// ```
    /// use hloom_graph::{DType, Shape};
    /// let expected = Shape::new(DType::F32, [("row", 4), ("column", 4)])?;
    /// let transposed = Shape::new(DType::F32, [("column", 4), ("row", 4)])?;
    /// assert!(!transposed.fits(&expected));
    /// assert!(Shape::new(DType::F32, [4, 4])?.fits(&expected));
    /// # Ok::<(), hloom_graph::ShapeError>(())
    /// ```
    pub fn fits(&self, expected: &Shape) -> bool {
        self.same_layout(expected) && !self.is_permuted(expected)
    }

    /// Whether a name that both shapes have is of different axes.
    fn is_permuted(&self, other: &Shape) -> bool {
        self.names().iter().enumerate().any(|(position, name)| {
            let there = name.and_then(|name| other.names().iter().position(|&n| n == Some(name)));
            there.is_some_and(|there| there != position)
        })
    }

    /// A hint to be appended to a message: the transposition by which this shape
    /// [fits](Self::fits), if only the order of its axes is wrong; otherwise empty.
    pub fn order_hint(&self, expected: &Shape) -> impl fmt::Display {
        let mut hint = String::new();
        if self.same_layout(expected) && self.is_permuted(expected) {
            hint.push_str("; the axes are in another order");
            let has = |name: &Option<Name>| name.is_some() && self.names().contains(name);
            if expected.names().iter().all(has) {
                // Writing to a text does not fail.
                let _ = write!(hint, ": `transpose([{}])`", Names(expected));
            }
        }
        hint
    }
}

/// The names of a shape, quoted.
struct Names<'a>(&'a Shape);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.0.names().iter().flatten().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}\"{name}\"")?;
        }
        Ok(())
    }
}
