//! Order.

use crate::{
    Axis, DType, Op, Shape, Tensor,
    trace::{emit, shape_of},
};
use std::panic::Location;

/// Sorts tensors of the same sizes together along an axis, by the order of the first; equals keep their order. NaNs stand last
/// when ascending and first when descending. An empty vector comes back when nothing is given.
#[track_caller]
pub fn sort_together(tensors: &[Tensor], axis: impl Into<Axis>, descending: bool) -> Vec<Tensor> {
    let axis = axis.into();
    let values = emit("sort", tensors, Location::caller(), |builder, s, v| {
        let Some(first) = s.first() else { return Ok(Vec::new()) };
        if first.dtype().is_complex() {
            return Err("complex numbers have no order".into());
        }
        if let Some(other) = s.iter().find(|other| other.sizes() != first.sizes()) {
            return Err(format!("{first} and {other} differ in size").into());
        }
        let axis = first.position(axis)?;
        let shapes: Vec<Shape> = s.to_vec();
        Ok(builder.node_many(Op::Sort { axis, descending }, v, &shapes))
    });
    match values {
        Some(values) => values.into_iter().map(|v| Tensor::or_poisoned(Some(v))).collect(),
        None => vec![Tensor::poisoned(); tensors.len()],
    }
}

impl Tensor {
    /// The elements in order along an axis, smallest first, or largest first when `descending`.
    #[track_caller]
    pub fn sort(self, axis: impl Into<Axis>, descending: bool) -> Tensor {
        sort_together(&[self], axis, descending)[0]
    }

    /// The indices, as `i32`, that put the elements in order along an axis.
    #[track_caller]
    pub fn argsort(self, axis: impl Into<Axis>, descending: bool) -> Tensor {
        self.sorted_with_indices(axis.into(), descending).1
    }

    /// The `k` largest elements along an axis, largest first, and their indices as `i32`.
    #[track_caller]
    pub fn top_k(self, k: usize, axis: impl Into<Axis>) -> (Tensor, Tensor) {
        let axis = axis.into();
        let (values, indices) = self.sorted_with_indices(axis, true);
        let end = isize::try_from(k).unwrap_or(isize::MAX);
        (values.slice(axis, ..end), indices.slice(axis, ..end))
    }

    #[track_caller]
    fn sorted_with_indices(self, axis: Axis, descending: bool) -> (Tensor, Tensor) {
        let Some(shape) = shape_of(self) else {
            return (self, self);
        };
        let indices = Tensor::iota(DType::I32, shape.axes(), axis);
        let sorted = sort_together(&[self, indices], axis, descending);
        (sorted[0], sorted[1])
    }
}
