//! Sorting.

use super::{arg_reduce::check_positions, control::check_together, slice::resized};
use crate::{
    Axis, DType, Graph, Tensor,
    body::Recorded,
    definition::{AttributeText, Definition, InferContext, Shapes, plain},
    grad::{Pull, Tape, Tracked, Vjp, keeps_operands, without_names},
    graph::record_at,
    trace::{self, Rule, called_from, emit, shape_of},
    vmap::{as_it_is, spread_all},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
    rc::Rc,
};

/// Sorts all operands along an axis by the first one as the key; stable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    /// The axis.
    pub axis: usize,
    /// Largest first; NaNs are last when ascending and first when descending.
    pub descending: bool,
}

/// The largest elements of an `f32` operand along its last axis, by the total order of floats,
/// largest first; stable. Results: the elements and their `i32` indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TopK {
    /// The number of elements.
    pub k: usize,
}

impl Definition for Sort {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let Some(first) = context.operands.first() else {
            return Ok(Shapes::new());
        };
        if first.dtype().is_complex() {
            return Err("complex numbers have no order".into());
        }
        check_together(context.operands)?;
        if self.axis < first.rank() {
            Ok(context.operands.into())
        } else {
            Err(format!("there is no axis {} in {first}", self.axis).into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let direction = if self.descending { " descending" } else { "" };
        write!(out, " along {}{direction}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.axis);
        hasher.write_u8(self.descending.into());
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands
    }
}

impl Definition for TopK {
    fn name(&self) -> &'static str {
        "top_k"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        match operand.sizes().last() {
            Some(&size) if operand.dtype() == DType::F32 && self.k <= size => {
                check_positions(size)?;
                let largest = resized(operand, operand.rank() - 1, self.k)?;
                Ok(Shapes::from_iter([largest, largest.with_dtype(DType::I32)]))
            }
            _ => Err(format!(
                "takes the {} largest of the last axis of f32, not of {operand}",
                self.k
            )
            .into()),
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {}", self.k)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.k);
    }

    fn result_count(&self, _: &Graph, _: usize) -> usize {
        2
    }
}

plain!(Sort, TopK);
spread_all!(Sort, |op| Sort { axis: op.axis + 1, ..*op });
as_it_is!(TopK);

impl Vjp for Sort {
    /// Sorts the positions too: the permutation is the residual.
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        let mut operands: Vec<Tensor> = tape.operands(node).iter().map(|x| x.tensor).collect();
        let positions = operands.first().and_then(|&key| shape_of(key)).map(|shape| {
            let count = shape.sizes().get(self.axis).copied().unwrap_or(0);
            let dtype = if i32::try_from(count).is_ok() { DType::I32 } else { DType::I64 };
            called_from(node.location, || Tensor::iota(dtype, shape.axes(), self.axis))
        });
        operands.extend(positions);
        let mut tensors = record_at(node.location, (*self).into(), &operands, None);
        let residuals = tensors.split_off(node.results.len().min(tensors.len()));
        tape.tracked_step(node, tensors, residuals)
    }

    /// Moves the cotangents of sorted values back to the positions of the values.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let Some(&order) = pull.step.residuals.first() else {
            return pull.refuse("has no derivative here");
        };
        let back = |i: usize| {
            let g = pull.given(i).filter(|_| pull.wants(i))?;
            Some(g.full_like(0).scatter_along_add(without_names(order), g, self.axis as isize))
        };
        (0..pull.step.operands.len()).map(back).collect()
    }
}

impl Vjp for TopK {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(pull.x(0).full_like(0).scatter_along_add(pull.y(1), pull.g(), -1))
    }
}

/// Sorts tensors of the same sizes together along an axis, by the first one as the key; stable.
/// NaNs are last when ascending and first when descending. Returns an empty vector for no tensors.
#[track_caller]
pub fn sort_together(tensors: &[Tensor], axis: impl Into<Axis>, descending: bool) -> Vec<Tensor> {
    let axis = axis.into();
    let values = emit("sort", tensors, Location::caller(), |builder, s, v| {
        let Some(first) = s.first() else { return Ok(Vec::new()) };
        let axis = first.position(axis)?;
        builder.add_many(Sort { axis, descending }, v)
    });
    match values {
        Some(values) => values.into_iter().map(|v| Tensor::or_poisoned(Some(v))).collect(),
        None => vec![Tensor::poisoned(); tensors.len()],
    }
}

#[hloom_derive::tensor_methods(sort)]
impl Tensor {
    /// Sorts the elements along an axis, smallest first, or largest first if `descending`.
    #[doc(alias = "sort_last_dim")]
    #[doc(alias = "arg_sort_last_dim")]
    #[track_caller]
    pub fn sort(self, axis: impl Into<Axis>, descending: bool) -> Tensor {
        sort_together(&[self], axis, descending)[0]
    }

    /// The indices, as `i32`, that sort the elements along an axis.
    #[track_caller]
    pub fn argsort(self, axis: impl Into<Axis>, descending: bool) -> Tensor {
        self.sorted_with_indices(axis.into(), descending).1
    }

    /// The `k` largest elements along an axis, largest first, and their indices as `i32`; stable,
    /// and NaNs are first. Zeros of both signs are equal; `jax.lax.top_k` takes 0 before -0. Along
    /// the last axis, floats of at most 32 bits are not fully sorted.
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
        trace::called_from(caller, || {
            if last
                && dtype.is_float()
                && dtype.bits() <= 32
                && k > 0
                && self.shape().element_count() > 0
            {
                let indices = self.without_variants().largest(k);
                (self.take_along_axis(indices, axis), indices)
            } else {
                let (values, indices) = self.sorted_with_indices(axis, true);
                let end = isize::try_from(k).expect("no axis is longer");
                (values.slice(axis, ..end), indices.slice(axis, ..end))
            }
        })
    }

    /// The elements as `f32` with all zeros and all NaNs made identical, so that their total order
    /// is that of the other ops.
    fn without_variants(self) -> Tensor {
        let x = self.convert(DType::F32);
        let x = x.ne(0.0).select(x, 0.0);
        x.eq(x).select(x, f32::NAN)
    }

    /// The indices of the `k` largest elements along the last axis.
    fn largest(self, k: usize) -> Tensor {
        let indices = emit("top_k", &[self], Location::caller(), |builder, _, v| {
            Ok(builder.add_many(TopK { k }, v)?[1])
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
