//! Positions of elements in row-major order.

use hloom_graph::Shape;

/// The index along each axis of the element at a position.
pub(crate) fn index(shape: &Shape, mut position: usize) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .sizes()
        .iter()
        .rev()
        .map(|&size| {
            let along = position % size;
            position /= size;
            along
        })
        .collect();
    index.reverse();
    index
}
