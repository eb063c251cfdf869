//! Scatters: updates written to, or combined with, slices at start indices that the program
//! computes.

mod batch;
mod by;
mod reverse;

use super::{Reduction, control::check_together, reduce::sum_type, windows::Windows};
use crate::{
    DType, GatherDims, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    takes::Takes,
    trace::{Rule, apply},
};
pub use by::{ScatterBy, scatter_by};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// The dimension numbers of a scatter, named as in the
/// [StableHLO specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#scatter).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ScatterDims {
    /// Axes of the updates that run over a slice.
    pub update_window_dims: PerAxis<usize>,
    /// Operand axes that the updates lack: a slice has one index of each.
    pub inserted_window_dims: PerAxis<usize>,
    /// Operand axes that are batch axes, paired with axes of the indices.
    pub input_batching_dims: PerAxis<usize>,
    /// Index axes that are batch axes, paired with axes of the operand.
    pub scatter_indices_batching_dims: PerAxis<usize>,
    /// Operand axis of each element of an index vector.
    pub scatter_dims_to_operand_dims: PerAxis<usize>,
    /// Index axis that holds the index vectors; the indices' rank if every index is a scalar.
    pub index_vector_dim: usize,
    /// Whether the index vectors are in ascending order, which may be faster. If they are not, the
    /// result is unspecified.
    pub indices_are_sorted: bool,
    /// Whether no two slices overlap, which may be faster. If some do, the result is unspecified.
    pub unique_indices: bool,
}

#[hloom_derive::tensor_methods(scatter_dims)]
impl ScatterDims {
    /// The dimension numbers of the gather that reads where this scatter writes, with slices of
    /// these sizes: the inverse of [`GatherDims::to_scatter`].
    pub fn to_gather(&self, slice_sizes: PerAxis<usize>) -> GatherDims {
        GatherDims {
            offset_dims: self.update_window_dims,
            collapsed_slice_dims: self.inserted_window_dims,
            operand_batching_dims: self.input_batching_dims,
            start_indices_batching_dims: self.scatter_indices_batching_dims,
            start_index_map: self.scatter_dims_to_operand_dims,
            index_vector_dim: self.index_vector_dim,
            slice_sizes,
            indices_are_sorted: self.indices_are_sorted,
        }
    }
}

/// The function that combines an update with the element that it is written to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScatterUpdate {
    /// The update replaces the element; of several updates of one element, any one does.
    Set,
    /// The sum; in the type of the elements, in any order.
    Add,
    /// The product; in the type of the elements, in any order.
    Mul,
    /// The larger; NaN propagates.
    Max,
    /// The smaller; NaN propagates.
    Min,
}

/// Combines slices of the first operand, at the start indices in the second, with the updates in
/// the third.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scatter {
    /// The function that combines an update with an element.
    pub update: ScatterUpdate,
    /// The dimension numbers.
    pub dims: ScatterDims,
}

impl ScatterUpdate {
    /// Every kind of update.
    pub const ALL: [ScatterUpdate; 5] = [
        ScatterUpdate::Set,
        ScatterUpdate::Add,
        ScatterUpdate::Mul,
        ScatterUpdate::Max,
        ScatterUpdate::Min,
    ];

    /// The name of the method of [`At`](crate::At).
    pub const fn name(self) -> &'static str {
        match self {
            ScatterUpdate::Set => "set",
            ScatterUpdate::Add => "add",
            ScatterUpdate::Mul => "mul",
            ScatterUpdate::Max => "max",
            ScatterUpdate::Min => "min",
        }
    }

    /// The type in which the methods that broadcast their updates combine elements of `dtype`.
    pub(super) fn computed_in(self, dtype: DType) -> DType {
        match self {
            ScatterUpdate::Add => sum_type(Reduction::Sum, dtype),
            ScatterUpdate::Mul => sum_type(Reduction::Prod, dtype),
            ScatterUpdate::Set | ScatterUpdate::Max | ScatterUpdate::Min => dtype,
        }
    }

    pub(super) fn check(self, shape: &Shape) -> Rule<()> {
        let (takes, instead) = match self {
            ScatterUpdate::Set => (Takes::Any, ""),
            ScatterUpdate::Add => (Takes::Number, "`max`, which is `or`, or `.convert(..)`"),
            ScatterUpdate::Mul => (Takes::Number, "`min`, which is `and`, or `.convert(..)`"),
            ScatterUpdate::Max | ScatterUpdate::Min => (Takes::Ordered, ""),
        };
        takes.check(shape.dtype(), instead)
    }
}

impl ScatterDims {
    /// Checks the shapes of operands, indices and updates.
    fn check(&self, operands: &[Shape], indices: &Shape, updates: &[Shape]) -> Rule<()> {
        let (Some(operand), Some(update)) = (operands.first(), updates.first()) else {
            return Err("there is nothing to scatter to".into());
        };
        for all in [operands, updates] {
            check_together(all)?;
        }
        let differing =
            operands.iter().zip(updates).find(|(x, update)| x.dtype() != update.dtype());
        if let Some((x, update)) = differing {
            return Err(format!(
                "element types {} of the operand and {} of the updates differ; use `.convert(..)`",
                x.dtype(),
                update.dtype()
            )
            .into());
        }
        let windows = self.windows();
        windows.check(operand, indices, Some(update.rank()))?;
        let mut window = (0..operand.rank()).filter(|&axis| windows.has(axis));
        let mut batch = windows.batch(indices);
        for (axis, &found) in update.sizes().iter().enumerate() {
            let label = update.label(axis);
            if self.update_window_dims.contains(&axis) {
                let at = window.next().expect("the lists have as many axes as the operand");
                let (of, all) = (operand.label(at), operand.sizes()[at]);
                if found > all {
                    return Err(format!(
                        "slices of {found} (axis {label} of the updates) along axis {of} of size \
                         {all}"
                    )
                    .into());
                }
            } else {
                let at = batch.next().expect("the updates have the axes of the indices");
                let (of, expected) = (indices.label(at), indices.sizes()[at]);
                if found != expected {
                    return Err(format!(
                        "axis {label} of the updates has size {found}, axis {of} of the indices \
                         {expected}"
                    )
                    .into());
                }
            }
        }
        Ok(())
    }

    fn windows(&self) -> Windows<'_> {
        Windows {
            names: [
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims",
                "updates",
            ],
            window: &self.update_window_dims,
            dropped: &self.inserted_window_dims,
            operand_batching: &self.input_batching_dims,
            indices_batching: &self.scatter_indices_batching_dims,
            map: &self.scatter_dims_to_operand_dims,
            index_vector_dim: self.index_vector_dim,
        }
    }

    fn write(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(
            out,
            " window {} inserted {} batch {} {} map {} vector {}{}{}",
            list(&self.update_window_dims),
            list(&self.inserted_window_dims),
            list(&self.input_batching_dims),
            list(&self.scatter_indices_batching_dims),
            list(&self.scatter_dims_to_operand_dims),
            self.index_vector_dim,
            if self.indices_are_sorted { " sorted" } else { "" },
            if self.unique_indices { " unique" } else { "" }
        )
    }

    fn hash(&self, hasher: &mut dyn Hasher) {
        let axes = [
            &self.update_window_dims,
            &self.inserted_window_dims,
            &self.input_batching_dims,
            &self.scatter_indices_batching_dims,
            &self.scatter_dims_to_operand_dims,
        ];
        axes.iter().for_each(|axes| hash_sizes(hasher, axes));
        hasher.write_usize(self.index_vector_dim);
        hasher.write_u8(self.indices_are_sorted.into());
        hasher.write_u8(self.unique_indices.into());
    }
}

impl Definition for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [operand, indices, updates] = context.operands()?;
        self.update.check(operand)?;
        self.dims.check(&[*operand], indices, &[*updates])?;
        one(*operand)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {}", self.update.name())?;
        self.dims.write(out)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.update.name().as_bytes());
        self.dims.hash(hasher);
    }
}

plain!(Scatter);

#[hloom_derive::tensor_methods(scatter)]
impl Tensor {
    /// Combines slices of the tensor, at the start indices in `indices`, with `updates`, by
    /// StableHLO's dimension numbers. A slice that does not fit at its start index is dropped as a
    /// whole: indices are neither clamped nor counted from the end.
    ///
    /// [`index_add`](Self::index_add) and its relatives, [`scatter_along`](Self::scatter_along) and
    /// [`at`](Self::at) are the usual forms.
    #[doc(alias = "scatterSlices")]
    #[track_caller]
    pub fn scatter(
        self,
        indices: Tensor,
        updates: Tensor,
        dims: ScatterDims,
        update: ScatterUpdate,
    ) -> Tensor {
        apply("scatter", &[self, indices, updates], |_| Ok(Scatter { update, dims }))
    }
}
