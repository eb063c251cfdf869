//! Gathers: elements selected by index.

use super::{broadcast::rename, slice::resized};
use crate::{
    Axis, DType, Dims, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{Rule, apply, emit},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// The dimension numbers of a gather, named as in the
/// [StableHLO specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#gather).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GatherDims {
    /// Result axes that run over a slice.
    pub offset_dims: PerAxis<usize>,
    /// Operand axes with slice size 1 that the result drops.
    pub collapsed_slice_dims: PerAxis<usize>,
    /// Operand axes that are batch axes, paired with axes of the indices.
    pub operand_batching_dims: PerAxis<usize>,
    /// Index axes that are batch axes, paired with axes of the operand.
    pub start_indices_batching_dims: PerAxis<usize>,
    /// Operand axis of each element of an index vector.
    pub start_index_map: PerAxis<usize>,
    /// Index axis that holds the index vectors; the indices' rank if every index is a scalar.
    pub index_vector_dim: usize,
    /// Sizes of a slice along each operand axis.
    pub slice_sizes: PerAxis<usize>,
}

impl GatherDims {
    /// Whether the dimension numbers refer to existing axes and the slices fit.
    fn fit(&self, operand: &Shape, indices: &Shape) -> bool {
        let are_axes = |axes: &[usize], rank: usize| {
            axes.iter().enumerate().all(|(i, axis)| *axis < rank && !axes[..i].contains(axis))
        };
        let left_out = || self.collapsed_slice_dims.iter().chain(self.operand_batching_dims.iter());
        let kept = operand.rank().checked_sub(left_out().count());
        let vectors = usize::from(self.index_vector_dim < indices.rank());
        let batch_rank = indices.rank() - vectors;
        let vector = indices.sizes().get(self.index_vector_dim).copied().unwrap_or(1);
        let batches =
            self.operand_batching_dims.iter().zip(self.start_indices_batching_dims.iter());
        self.index_vector_dim <= indices.rank()
            && self.slice_sizes.len() == operand.rank()
            // The slice size of an empty axis may be 1: there are no slices then.
            && self
                .slice_sizes
                .iter()
                .zip(operand.sizes())
                .all(|(&block, &all)| block <= all.max(1))
            && are_axes(&self.start_index_map, operand.rank())
            && are_axes(&self.start_indices_batching_dims, indices.rank())
            && are_axes(&left_out().copied().collect::<Vec<_>>(), operand.rank())
            && left_out().all(|&axis| self.slice_sizes[axis] <= 1)
            && self.start_index_map.len() == vector
            && kept == Some(self.offset_dims.len())
            && are_axes(&self.offset_dims, batch_rank + self.offset_dims.len())
            && self.operand_batching_dims.len() == self.start_indices_batching_dims.len()
            && batches.into_iter().all(|(&o, &i)| operand.sizes()[o] == indices.sizes()[i])
    }
}

impl Definition for GatherDims {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [operand, indices] = context.operands()?;
        check_indices(indices)?;
        if !self.fit(operand, indices) {
            return Err(format!("{self:?} does not take blocks of {operand} at {indices}").into());
        }
        let is_kept = |axis: &usize| {
            !self.collapsed_slice_dims.contains(axis) && !self.operand_batching_dims.contains(axis)
        };
        let mut block =
            (0..operand.rank()).filter(is_kept).map(|i| (operand.names()[i], self.slice_sizes[i]));
        let is_batch = |&axis: &usize| axis != self.index_vector_dim;
        let mut batch =
            (0..indices.rank()).filter(is_batch).map(|i| (indices.names()[i], indices.sizes()[i]));
        let rank = self.offset_dims.len() + batch.clone().count();
        let axes = (0..rank).filter_map(|axis| match self.offset_dims.contains(&axis) {
            true => block.next(),
            false => batch.next(),
        });
        one(operand.with_dims(Dims::new(axes)?))
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(
            out,
            " offset {} collapsed {} batch {} {} map {} vector {} sizes {}",
            list(&self.offset_dims),
            list(&self.collapsed_slice_dims),
            list(&self.operand_batching_dims),
            list(&self.start_indices_batching_dims),
            list(&self.start_index_map),
            self.index_vector_dim,
            list(&self.slice_sizes)
        )
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        let axes = [
            &self.offset_dims,
            &self.collapsed_slice_dims,
            &self.operand_batching_dims,
            &self.start_indices_batching_dims,
            &self.start_index_map,
            &self.slice_sizes,
        ];
        axes.iter().for_each(|axes| hash_sizes(hasher, axes));
        hasher.write_usize(self.index_vector_dim);
    }
}

plain!(GatherDims);

fn check_indices(indices: &Shape) -> Rule<()> {
    match indices.dtype().is_int() {
        true => Ok(()),
        false => Err(format!("indices are integers, not {}", indices.dtype()).into()),
    }
}

/// The dimension numbers of `x.take(indices, axis)`.
fn take(x: &Shape, indices: &Shape, axis: Axis) -> Rule<GatherDims> {
    check_indices(indices)?;
    let at = x.position(axis)?;
    if x.sizes()[at] == 0 && indices.element_count() > 0 {
        return Err(format!("axis {axis} has no elements to take").into());
    }
    let mut dims = GatherDims { index_vector_dim: indices.rank(), ..GatherDims::default() };
    for (i, name) in indices.names().iter().enumerate() {
        let Some(name) = *name else { continue };
        if let Ok(shared) = x.position(name)
            && shared != at
        {
            if x.sizes()[shared] != indices.sizes()[i] {
                let (a, b) = (x.sizes()[shared], indices.sizes()[i]);
                return Err(
                    format!("axis `{name}` has size {a} on the left and {b} on the right").into()
                );
            }
            dims.operand_batching_dims.push(shared).ok_or("too many axes")?;
            dims.start_indices_batching_dims.push(i).ok_or("too many axes")?;
        }
    }
    let batched = !dims.operand_batching_dims.is_empty();
    dims.collapsed_slice_dims = PerAxis::collect([at]);
    dims.start_index_map = PerAxis::collect([at]);
    let mut kept = 0;
    for (i, &size) in x.sizes().iter().enumerate() {
        let whole = i != at && !dims.operand_batching_dims.contains(&i);
        dims.slice_sizes.push(if whole { size } else { 1 }).ok_or("too many axes")?;
        kept += usize::from(whole);
    }
    // The axes of the indices replace the axis; with batch axes they all come first.
    let before = if batched { 0 } else { at };
    for axis in (0..before).chain(before + indices.rank()..kept + indices.rank()) {
        dims.offset_dims.push(axis).ok_or("too many axes")?;
    }
    // Pairs of batch axes are listed in the order of the operand's axes.
    let mut pairs: Vec<(usize, usize)> = dims
        .operand_batching_dims
        .iter()
        .copied()
        .zip(dims.start_indices_batching_dims.iter().copied())
        .collect();
    pairs.sort_unstable();
    dims.operand_batching_dims = PerAxis::collect(pairs.iter().map(|p| p.0));
    dims.start_indices_batching_dims = PerAxis::collect(pairs.iter().map(|p| p.1));
    Ok(dims)
}

impl Tensor {
    /// The elements at `indices` along an axis, which the axes of the indices replace. Axis names
    /// that both sides have are batch axes, and then all axes of the indices come first. Indices
    /// out of range are clamped.
    #[track_caller]
    pub fn take(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        apply("take", &[self, indices], |s| take(&s[0], &s[1], axis))
    }

    /// For each position of `indices`, the element at that index along `axis`; all other axes are
    /// the same on both sides. Indices out of range are clamped.
    #[track_caller]
    pub fn take_along_axis(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        let value =
            emit("take_along_axis", &[self, indices], Location::caller(), |builder, s, v| {
                check_indices(&s[1])?;
                let at = s[0].position(axis)?;
                let rank = s[0].rank();
                let others = || (0..rank).filter(|&i| i != at);
                if s[1].rank() != rank || others().any(|i| s[0].sizes()[i] != s[1].sizes()[i]) {
                    return Err(format!(
                        "{} and {} differ in more than the size of axis {axis}",
                        s[0], s[1]
                    )
                    .into());
                }
                if s[0].sizes()[at] == 0 && s[1].element_count() > 0 {
                    return Err(format!("axis {axis} has no elements to take").into());
                }
                let dims = GatherDims {
                    collapsed_slice_dims: PerAxis::collect([at]),
                    operand_batching_dims: PerAxis::collect(others()),
                    start_indices_batching_dims: PerAxis::collect(others()),
                    start_index_map: PerAxis::collect([at]),
                    index_vector_dim: rank,
                    slice_sizes: PerAxis::collect((0..rank).map(|_| 1)),
                    ..GatherDims::default()
                };
                let gathered = builder.add(dims, v)?;
                rename(builder, gathered, resized(&s[0], at, s[1].sizes()[at])?.axes())
            });
        Tensor::or_poisoned(value)
    }

    /// 1 where the position along a new last axis called `name` (`_` for none) equals the index,
    /// else 0; an index out of range produces only zeros. The indices are integers.
    #[track_caller]
    pub fn one_hot(self, name: &str, size: usize, dtype: DType) -> Tensor {
        let checked = emit("one_hot", &[self], Location::caller(), |_, s, v| {
            check_indices(&s[0])?;
            Ok(v[0])
        });
        // Indices of a narrow type would wrap around before `size`.
        let indices = match Tensor::or_poisoned(checked) {
            indices if indices.dtype().bits() < 32 => indices.convert(DType::I32),
            indices => indices,
        };
        let wide = indices.insert_axis(-1, name);
        if wide.is_poisoned() {
            return wide;
        }
        let counted = Tensor::iota(wide.dtype(), [(name, size)], 0);
        wide.eq(counted).convert(dtype)
    }
}
