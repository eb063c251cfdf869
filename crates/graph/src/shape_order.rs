//! Axis names of a tensor that takes the place of another one.

use crate::{Name, Shape};
use std::fmt::{self, Write};

impl Shape {
    /// Whether a tensor of this shape can take the place of one of another shape: the carry of a
    /// loop, the result of another branch, a cotangent. Element type and sizes are equal, and no
    /// name of both is of different axes. An axis without a name, or with a name of its own, takes
    /// the name that is expected.
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

    /// Whether a name of both is of different axes.
    fn is_permuted(&self, other: &Shape) -> bool {
        self.names().iter().enumerate().any(|(position, name)| {
            let there = name.and_then(|name| other.names().iter().position(|&n| n == Some(name)));
            there.is_some_and(|there| there != position)
        })
    }

    /// A hint, if this shape does not [fit](Self::fits) only because of the order of its axes: the
    /// transposition that does. It follows a message, and is empty otherwise.
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
