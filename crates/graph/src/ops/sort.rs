//! Order.

use super::{reduce::check_positions, slice::resized};
use crate::{
    Axis, DType, Op, Shape, Tensor,
    trace::{self, emit, shape_of},
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

    /// The `k` largest elements along an axis, largest first, and their indices as `i32`; equals keep their order, and NaNs stand
    /// first. Along the last axis, floats of at most 32 bits are not sorted as a whole.
    #[track_caller]
    pub fn top_k(self, k: usize, axis: impl Into<Axis>) -> (Tensor, Tensor) {
        let (axis, caller) = (axis.into(), Location::caller());
        let last = emit("top_k", &[self], caller, |_, s, _| {
            let at = s[0].position(axis)?;
            let size = s[0].sizes()[at];
            if k > size {
                return Err(format!("the {k} largest of an axis of {size} elements").into());
            }
            check_positions(size)?;
            Ok(at + 1 == s[0].rank())
        });
        let Some(last) = last else {
            return (Tensor::poisoned(), Tensor::poisoned());
        };
        let dtype = self.dtype();
        trace::at(caller, || {
            match last && dtype.is_float() && dtype.bits() <= 32 && k > 0 && self.shape().element_count() > 0 {
                true => {
                    let indices = self.without_variants().largest(k);
                    (self.take_along_axis(indices, axis), indices)
                }
                false => {
                    let (values, indices) = self.sorted_with_indices(axis, true);
                    let end = isize::try_from(k).expect("no axis is longer");
                    (values.slice(axis, ..end), indices.slice(axis, ..end))
                }
            }
        })
    }

    /// The elements as `f32`, all zeros and all NaNs alike, so that their total order is that of the other ops.
    fn without_variants(self) -> Tensor {
        let x = self.convert(DType::F32);
        let x = x.ne(0.0).select(x, 0.0);
        x.eq(x).select(x, f32::NAN)
    }

    /// The indices of the `k` largest along the last axis.
    fn largest(self, k: usize) -> Tensor {
        let indices = emit("top_k", &[self], Location::caller(), |builder, s, v| {
            let values = resized(&s[0], s[0].rank() - 1, k)?;
            Ok(builder.node_many(Op::TopK(k), v, &[values, values.with_dtype(DType::I32)])[1])
        });
        Tensor::or_poisoned(indices)
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
