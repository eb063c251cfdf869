//! Searches in sorted elements.

use crate::{
    DType, Shape, Tensor, for_loop,
    trace::{emit, function_scope, shape_of},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(search)]
impl Tensor {
    /// For each of `values`, the index as `i32` at which it would be inserted into this tensor of
    /// one axis, sorted in ascending order, to keep it sorted: before equal elements, or after them
    /// if `right`. NaN is above all numbers. The result has the axes of `values`.
    #[track_caller]
    pub fn searchsorted(self, values: Tensor, right: bool) -> Tensor {
        function_scope("searchsorted", || {
            let checked = emit("searchsorted", &[self, values], Location::caller(), |_, s, _| {
                check_sorted(&s[0])?;
                if s[0].dtype() == s[1].dtype() {
                    Ok((s[0], s[1]))
                } else {
                    Err(format!(
                        "element types {} and {} differ; use `.convert(..)`",
                        s[0].dtype(),
                        s[1].dtype()
                    )
                    .into())
                }
            });
            let Some((sorted, wanted)) = checked else {
                return Tensor::poisoned();
            };
            let size = sorted.sizes()[0];
            let low = Tensor::zeros(DType::I32, wanted.axes());
            if size == 0 || wanted.element_count() == 0 {
                return low;
            }
            let table = self.named(["_"]);
            let is_before = |left: Tensor, right: Tensor| {
                if left.dtype().is_float() {
                    left.lt(right) | (right.is_nan() & !left.is_nan())
                } else {
                    left.lt(right)
                }
            };
            let steps = (usize::BITS - size.leading_zeros()) as usize;
            let (low, _) = for_loop(steps, (low, low.full_like(size)), |_, (low, high)| {
                let middle = low + (high - low).shift_right_logical(1);
                let element = table.take(middle, 0);
                let is_later =
                    if right { !is_before(values, element) } else { is_before(element, values) };
                let goes_on = is_later & low.lt(high);
                (goes_on.select(middle + 1, low), goes_on.select(high, middle))
            });
            low
        })
    }

    /// Whether each element equals any element of `elements`, of any shape. NaN equals nothing.
    #[track_caller]
    pub fn isin(self, elements: Tensor) -> Tensor {
        function_scope("isin", || {
            let checked = emit("isin", &[self, elements], Location::caller(), |_, s, _| {
                let (found, others) = (s[0].dtype(), s[1].dtype());
                if found != others {
                    let message =
                        format!("element types {found} and {others} differ; use `.convert(..)`");
                    return Err(message.into());
                }
                if found.is_complex() {
                    return Err("complex numbers have no order".into());
                }
                Ok((s[0], s[1].element_count()))
            });
            let Some((shape, count)) = checked else {
                return Tensor::poisoned();
            };
            if count == 0 || shape.element_count() == 0 {
                return Tensor::zeros(DType::Bool, shape.axes());
            }
            let sorted = elements.merge(.., "_").sort(0, false);
            let at = sorted.searchsorted(self, false);
            match shape_of(at) {
                Some(_) => sorted.take(at, 0).eq(self),
                None => Tensor::poisoned(),
            }
        })
    }
}

/// Checks the shape of elements that are searched.
fn check_sorted(sorted: &Shape) -> crate::trace::Rule<()> {
    if sorted.rank() != 1 {
        return Err(format!("takes elements along one axis, not {sorted}").into());
    }
    if sorted.dtype().is_complex() {
        return Err("complex numbers have no order".into());
    }
    match i32::try_from(sorted.sizes()[0]) {
        Ok(_) => Ok(()),
        Err(_) => Err("an axis of more elements than i32 counts".into()),
    }
}
