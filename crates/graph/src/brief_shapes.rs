//! Shapes in log lines.

use crate::Shape;
use std::fmt;

/// Prints shapes in one line: the first ones, and the number of the others.
///
/// ```
/// use hloom_graph::{BriefShapes, DType, Shape};
///
/// let shape = Shape::new(DType::F32, [("n", 2)])?;
/// assert_eq!(BriefShapes([shape; 2].into_iter()).to_string(), "f32[n=2], f32[n=2]");
/// assert!(BriefShapes([shape; 100].into_iter()).to_string().ends_with(", and 92 more"));
/// # Ok::<(), hloom_graph::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BriefShapes<I>(pub I);

/// The number of shapes that are printed.
const PRINTED: usize = 8;

impl<I: Iterator<Item = Shape> + Clone> fmt::Display for BriefShapes<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shapes = self.0.clone();
        for (position, shape) in shapes.by_ref().take(PRINTED).enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{shape}")?;
        }
        match shapes.count() {
            0 => Ok(()),
            rest => write!(f, ", and {rest} more"),
        }
    }
}
