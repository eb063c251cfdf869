//! Counts and positions of elements, with sizes that are known while tracing.

use super::{ScalarValue, arg_reduce::check_positions, windows::check_indices};
use crate::{
    DType, Shape, Tensor, ValueId,
    trace::{Rule, emit, function_scope},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(counting)]
impl Tensor {
    /// The number of times that each integer from 0 to `length - 1` occurs among the elements, as
    /// `i32` along an axis called `name` (`_` for none). Larger ones are ignored, and negative ones
    /// count as 0.
    #[track_caller]
    pub fn bincount(self, name: &str, length: usize) -> Tensor {
        function_scope("bincount", || {
            let flat = self.flat("bincount", check_indices);
            let Some(flat) = flat else { return Tensor::poisoned() };
            let bins = Tensor::zeros(DType::I32, [(name, length)]);
            let indices = if flat.dtype().bits() < 32 { flat.convert(DType::I32) } else { flat };
            bins.index_add(indices.maximum(0), 1, 0)
        })
    }

    /// The number of elements between adjacent `edges`, a vector in ascending order, as `i32`. A
    /// range has its lower edge but not its upper one, except the last range, which has both.
    #[track_caller]
    pub fn histogram(self, edges: Tensor) -> Tensor {
        function_scope("histogram", || {
            let caller = Location::caller();
            let count = emit("histogram", &[self, edges], caller, |_, s, _| match s[1].sizes() {
                [0 | 1] => Err(format!("two edges or more bound a range, not {}", s[1]).into()),
                [edges] => Ok(edges - 1),
                _ => Err(format!("takes edges along one axis, not {}", s[1]).into()),
            });
            let Some(count) = count else { return Tensor::poisoned() };
            let flat = self.flat("histogram", |_| Ok(()));
            let Some(flat) = flat else { return Tensor::poisoned() };
            let after = edges.searchsorted(flat, true);
            let is_last = flat.eq(edges.index(0, -1).reshape([1]));
            let range = is_last.select(after.full_like(count), after) - 1;
            // Elements below the first edge have range -1, which is not the last one.
            Tensor::zeros(DType::I32, [count]).at(0, range).without_negatives().add(1)
        })
    }

    /// The positions of the first `size` elements that are true, in row-major order: an `i32`
    /// tensor for each axis, along an axis called `name` (`_` for none); `fill` after the last.
    #[track_caller]
    pub fn nonzero(self, name: &str, size: usize, fill: i32) -> Vec<Tensor> {
        let rank = self.rank();
        function_scope("nonzero", || {
            let mut sizes = Vec::new();
            let flat = self.flat("nonzero", |shape| {
                sizes = shape.sizes().to_vec();
                match shape.dtype() {
                    DType::Bool => Ok(()),
                    dtype => Err(format!("takes bool, not {dtype}; use `.ne(0)`").into()),
                }
            });
            let Some(flat) = flat else { return vec![Tensor::poisoned(); rank] };
            let all = Tensor::full(-1, DType::I32, [(name, size)]);
            let at = flat.compacted(all, Tensor::iota(DType::I32, [flat.size(0)], 0));
            let mut below = 1usize;
            let mut positions: Vec<Tensor> = Vec::with_capacity(rank);
            for &size in sizes.iter().rev() {
                let of_axis = at / below.max(1) % size.max(1);
                positions.push(at.ge(0).select(of_axis, fill));
                below *= size;
            }
            positions.reverse();
            positions
        })
    }

    /// The first `size` distinct elements in ascending order, along an axis called `name` (`_` for
    /// none); `fill` after the last. NaNs are one element.
    #[track_caller]
    pub fn unique(self, name: &str, size: usize, fill: impl ScalarValue) -> Tensor {
        function_scope("unique", || {
            let flat = self.flat("unique", |shape| {
                if shape.dtype().is_complex() {
                    Err("complex numbers have no order".into())
                } else {
                    Ok(())
                }
            });
            let Some(flat) = flat else { return Tensor::poisoned() };
            let all = Tensor::full(fill, flat.dtype(), [(name, size)]);
            let count = flat.size(0) as isize;
            if count == 0 {
                return all;
            }
            let sorted = flat.sort(0, false);
            let (before, after) = (sorted.slice(0, ..count - 1), sorted.slice(0, 1..));
            let differs = if sorted.dtype().is_float() {
                before.ne(after) & !(before.is_nan() & after.is_nan())
            } else {
                before.ne(after)
            };
            let is_first = crate::concatenate(&[Tensor::ones(DType::Bool, [1usize]), differs], 0);
            is_first.compacted(all, sorted)
        })
    }

    /// The elements flattened to one axis, if they pass a check.
    #[track_caller]
    fn flat(self, op: &'static str, check: impl FnOnce(&Shape) -> Rule<()>) -> Option<Tensor> {
        let checked = emit(op, &[self], Location::caller(), |_, s, v| -> Rule<ValueId> {
            check(&s[0])?;
            check_positions(s[0].element_count())?;
            Ok(v[0])
        });
        checked.map(|_| self.reshape([self.shape().element_count()]))
    }

    /// `all` with its first elements replaced by those of `values` where this tensor is true.
    #[track_caller]
    fn compacted(self, all: Tensor, values: Tensor) -> Tensor {
        let size = all.size(0);
        let count = self.convert(DType::I32).cumsum(0);
        // Elements that are not kept go to an index that is out of range.
        all.index_set(self.select(count - 1, count.full_like(size)), values, 0)
    }
}
