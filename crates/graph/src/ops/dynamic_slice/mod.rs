//! Slices whose start indices the program computes.

mod batch;
mod reverse;

use super::{blocks::by_rows, from_end::counted_from_end, positions};
use crate::{
    Axis, DType, Op, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{Rule, apply, emit, function_scope},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// Slices the first operand; the others are the start indices along each axis, clamped so that the
/// slice fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DynamicSlice {
    /// The size of the slice along each axis.
    pub sizes: PerAxis<usize>,
}

/// Overwrites a slice of the first operand with the second, starting at the indices given by the
/// others, clamped so that it fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DynamicUpdateSlice;

impl DynamicSlice {
    fn result(&self, operands: &[Shape]) -> Rule<Shape> {
        let (operand, starts) = operands.split_first().ok_or("no tensor to take a block of")?;
        check_starts(operand, starts)?;
        if self.sizes.len() != operand.rank()
            || self.sizes.iter().zip(operand.sizes()).any(|(part, all)| part > all)
        {
            return Err(format!(
                "a block of sizes {} does not fit into {operand}",
                list(&self.sizes)
            )
            .into());
        }
        Ok(operand.with_sizes(self.sizes.iter().copied())?)
    }
}

impl DynamicUpdateSlice {
    fn result(operands: &[Shape]) -> Rule<Shape> {
        let [operand, update, starts @ ..] = operands else {
            return Err("takes a tensor, an update and starts".into());
        };
        check_starts(operand, starts)?;
        let names = operand.names().iter().zip(update.names());
        let fits = operand.dtype() == update.dtype()
            && operand.rank() == update.rank()
            && names.into_iter().all(|(a, b)| a.is_none() || b.is_none() || a == b)
            && operand.sizes().iter().zip(update.sizes()).all(|(all, part)| all >= part);
        if fits {
            Ok(*operand)
        } else {
            Err(format!("{update} does not fit into {operand}").into())
        }
    }
}

impl Definition for DynamicSlice {
    fn name(&self) -> &'static str {
        "dynamic_slice"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        one(self.result(context.operands)?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " sizes {}", list(&self.sizes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.sizes);
    }
}

impl Definition for DynamicUpdateSlice {
    fn name(&self) -> &'static str {
        "dynamic_update_slice"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        one(DynamicUpdateSlice::result(context.operands)?)
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, _: &mut dyn Hasher) {}
}

plain!(DynamicSlice, DynamicUpdateSlice);

/// The start index of a dynamic slice along an axis: an integer scalar of the program, or a
/// constant.
pub trait StartIndex {
    /// The start index as a scalar tensor.
    #[track_caller]
    fn start(self) -> Tensor;
}

impl StartIndex for Tensor {
    fn start(self) -> Tensor {
        self
    }
}

impl StartIndex for i32 {
    #[track_caller]
    fn start(self) -> Tensor {
        Tensor::scalar(self, DType::I32)
    }
}

impl StartIndex for usize {
    #[track_caller]
    fn start(self) -> Tensor {
        Tensor::scalar(self, DType::I32)
    }
}

/// Adds a slicing op that `rule` computes from the shapes of all operands: those in `first`, and
/// the start indices along each axis. Negative starts are counted from the end only after the op is
/// known to be valid, so that its errors show the caller's operands.
#[track_caller]
fn sliced<A: Into<Op>>(
    op: &'static str,
    first: &[Tensor],
    given: &[(usize, Tensor)],
    rule: impl FnOnce(&[Shape]) -> Rule<A>,
) -> Tensor {
    let x = first[0].shape();
    let operands = [first, &all_starts(&x, given)].concat();
    let checked = emit(op, &operands, Location::caller(), |_, s, _| rule(s));
    let Some(attributes) = checked else {
        return Tensor::poisoned();
    };
    let counted = |&(axis, start): &(usize, Tensor)| {
        (axis, function_scope(op, || counted_from_end(start, x.sizes()[axis])))
    };
    let counted: Vec<(usize, Tensor)> = given.iter().map(counted).collect();
    apply(op, &[first, &all_starts(&x, &counted)].concat(), |_| Ok(attributes))
}

/// Start indices along all axes of a tensor, of one integer type; 0 by default.
#[track_caller]
fn all_starts(x: &Shape, given: &[(usize, Tensor)]) -> Vec<Tensor> {
    let dtypes: Vec<DType> = given.iter().map(|(_, start)| start.dtype()).collect();
    let dtype = match dtypes.split_first() {
        Some((&first, rest)) if rest.iter().all(|&d| d == first) => first,
        Some(_) => DType::I64,
        None => DType::I32,
    };
    let mut starts = Vec::with_capacity(x.rank());
    for (axis, &size) in x.sizes().iter().enumerate() {
        starts.push(match given.iter().find(|(at, _)| *at == axis) {
            // Clamped to the axis' size, which is beyond the last start too, so that no start
            // becomes negative.
            Some((_, start)) if start.dtype() == DType::U64 && dtype == DType::I64 => {
                start.minimum(size).convert(dtype)
            }
            Some((_, start)) => start.convert(dtype),
            None => Tensor::scalar(0, if dtype.is_int() { dtype } else { DType::I32 }),
        });
    }
    starts
}

fn check_starts(operand: &Shape, starts: &[Shape]) -> Rule<()> {
    if let Some(start) = starts.iter().find(|start| !start.dtype().is_int() || start.rank() != 0) {
        return Err(format!("a start is an integer scalar, not {start}").into());
    }
    if starts.len() == operand.rank() {
        Ok(())
    } else {
        Err(format!("{} starts for the {} axes of {operand}", starts.len(), operand.rank()).into())
    }
}

#[hloom_derive::tensor_methods(dynamic_slice)]
impl Tensor {
    /// `size` elements from `start` on along an axis. A negative start counts from the end; then
    /// the start is clamped so that the slice fits.
    #[doc(alias = "narrow")]
    #[track_caller]
    pub fn dynamic_slice(
        self,
        axis: impl Into<Axis>,
        start: impl StartIndex,
        size: usize,
    ) -> Tensor {
        let (axis, start) = (axis.into(), start.start());
        match by_rows("dynamic_slice", self, axis, |bytes| bytes.dynamic_slice(axis, start, size)) {
            Some(rows) => rows,
            None => self.dynamic_slice_along(&[(axis, start, size)]),
        }
    }

    /// A slice of a tensor: along each given axis `size` elements from `start` on, as in
    /// [`dynamic_slice`](Self::dynamic_slice), all of the other axes.
    #[lazy(by_hand)]
    #[track_caller]
    pub fn dynamic_slice_along(self, blocks: &[(Axis, Tensor, usize)]) -> Tensor {
        let shape = self.shape();
        // The rule checks again for a missing axis and reports it.
        let given: Vec<(usize, Tensor)> = blocks
            .iter()
            .filter_map(|(axis, start, _)| Some((shape.position(*axis).ok()?, *start)))
            .collect();
        sliced("dynamic_slice", &[self], &given, |s| {
            let mut sizes = PerAxis::collect(s[0].sizes().iter().copied());
            let axes: Vec<Axis> = blocks.iter().map(|b| b.0).collect();
            for (at, (axis, _, size)) in positions(&s[0], &axes)?.into_iter().zip(blocks) {
                if *size > s[0].sizes()[at] {
                    return Err(format!("{size} elements are more than axis {axis} has").into());
                }
                sizes.as_mut_slice()[at] = *size;
            }
            let op = DynamicSlice { sizes };
            op.result(s)?;
            Ok(op)
        })
    }

    /// Overwrites a slice of the tensor with `update`, from `start` on along an axis. A negative
    /// start counts from the end; then the start is clamped so that the update fits. The other axes
    /// of the update start at 0.
    #[doc(alias = "slice_scatter")]
    #[doc(alias = "slice_set")]
    #[track_caller]
    pub fn dynamic_update_slice(
        self,
        update: Tensor,
        axis: impl Into<Axis>,
        start: impl StartIndex,
    ) -> Tensor {
        self.dynamic_update_slice_along(update, &[(axis.into(), start.start())])
    }

    /// Overwrites a slice of the tensor with `update`, with a start index along each given axis as
    /// in [`dynamic_update_slice`](Self::dynamic_update_slice), 0 along the others.
    #[lazy(by_hand)]
    #[track_caller]
    pub fn dynamic_update_slice_along(self, update: Tensor, starts: &[(Axis, Tensor)]) -> Tensor {
        let shape = self.shape();
        let given: Vec<(usize, Tensor)> = starts
            .iter()
            .filter_map(|(axis, start)| Some((shape.position(*axis).ok()?, *start)))
            .collect();
        sliced("dynamic_update_slice", &[self, update], &given, |s| {
            let axes: Vec<Axis> = starts.iter().map(|p| p.0).collect();
            positions(&s[0], &axes)?;
            DynamicUpdateSlice::result(s)?;
            Ok(DynamicUpdateSlice)
        })
    }
}
