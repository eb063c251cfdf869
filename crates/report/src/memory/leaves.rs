//! The arrays that a shape consists of, numbered in the order of the shape.

use crate::hlo::Shape;
use std::ops::Range;

/// The arrays of a shape.
pub(super) fn leaves(shape: &Shape) -> Vec<&Shape> {
    let (mut found, mut left) = (Vec::new(), vec![shape]);
    while let Some(shape) = left.pop() {
        if shape.parts.is_empty() {
            found.push(shape)
        } else {
            left.extend(shape.parts.iter().rev())
        }
    }
    found
}

/// The number of arrays of a shape.
pub(super) fn count(shape: &Shape) -> usize {
    leaves(shape).len()
}

/// The arrays of the part of a shape at a path.
pub(super) fn range(shape: &Shape, path: &[i64]) -> Option<Range<usize>> {
    let (mut shape, mut start) = (shape, 0);
    for &index in path {
        let index = usize::try_from(index).ok()?;
        let part = shape.parts.get(index)?;
        start += shape.parts[..index].iter().map(count).sum::<usize>();
        shape = part;
    }
    Some(start..start + count(shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{array, tuple};

    #[test]
    fn paths_count_arrays() {
        let mut shape = tuple(&[&[1], &[2]]);
        shape.parts.insert(1, tuple(&[&[3], &[4]]));
        let sizes: Vec<_> = leaves(&shape).iter().map(|leaf| leaf.dimensions[0]).collect();
        assert_eq!(sizes, [1, 3, 4, 2]);
        assert_eq!(range(&shape, &[]), Some(0..4));
        assert_eq!(range(&shape, &[1]), Some(1..3));
        assert_eq!(range(&shape, &[1, 1]), Some(2..3));
        assert_eq!(range(&shape, &[2]), Some(3..4));
        for wrong in [&[3][..], &[-1], &[0, 0]] {
            assert_eq!(range(&shape, wrong), None, "{wrong:?}");
        }
        assert_eq!(range(&array(&[5]), &[]), Some(0..1));
    }
}
