//! Gathers: slices at start indices that the program computes.

mod batch;
mod reverse;

use super::{BroadcastInDim, ScalarValue, ScatterDims, windows::Windows};
use crate::{
    Dims, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    tensor::Number,
    trace::{Rule, apply, emit, function_scope, shape_of},
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
    /// Whether the index vectors are in ascending order, which may be faster. If they are not, the
    /// result is unspecified.
    pub indices_are_sorted: bool,
}

#[hloom_derive::tensor_methods(gather_dims)]
impl GatherDims {
    /// The dimension numbers of the scatter that writes the elements that this gather reads.
    ///
    /// ```
    /// use hloom_graph::{DType, GatherDims, PerAxis, ScatterUpdate, Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([5, 4]), false);
    /// let rows = trace.parameter("rows", &Spec::i32([3]), false);
    /// let dims = GatherDims {
    ///     offset_dims: PerAxis::collect([1]),
    ///     collapsed_slice_dims: PerAxis::collect([0]),
    ///     start_index_map: PerAxis::collect([0]),
    ///     index_vector_dim: 1,
    ///     slice_sizes: PerAxis::collect([1, 4]),
    ///     ..GatherDims::default()
    /// };
    /// let part = x.gather(rows, dims.clone());
    /// assert_eq!(part.shape().to_string(), "f32[3, 4]");
    /// let doubled = x.scatter(rows, part, dims.to_scatter(), ScatterUpdate::Add);
    /// assert_eq!(doubled.shape(), x.shape());
    /// ```
    pub fn to_scatter(&self) -> ScatterDims {
        ScatterDims {
            update_window_dims: self.offset_dims,
            inserted_window_dims: self.collapsed_slice_dims,
            input_batching_dims: self.operand_batching_dims,
            scatter_indices_batching_dims: self.start_indices_batching_dims,
            scatter_dims_to_operand_dims: self.start_index_map,
            index_vector_dim: self.index_vector_dim,
            indices_are_sorted: self.indices_are_sorted,
            unique_indices: false,
        }
    }

    fn windows(&self) -> Windows<'_> {
        Windows {
            names: [
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
                "result",
            ],
            window: &self.offset_dims,
            dropped: &self.collapsed_slice_dims,
            operand_batching: &self.operand_batching_dims,
            indices_batching: &self.start_indices_batching_dims,
            map: &self.start_index_map,
            index_vector_dim: self.index_vector_dim,
        }
    }

    /// Checks the sizes of the slices.
    fn check_slices(&self, windows: &Windows<'_>, operand: &Shape) -> Rule<()> {
        if self.slice_sizes.len() != operand.rank() {
            return Err(format!(
                "slice_sizes {} are not one for each of the {} axes of {operand}",
                list(&self.slice_sizes),
                operand.rank()
            )
            .into());
        }
        for (axis, (&part, &all)) in self.slice_sizes.iter().zip(operand.sizes()).enumerate() {
            let label = operand.label(axis);
            if !windows.has(axis) && part != 1 {
                return Err(format!(
                    "the result drops axis {label}: its slice size is 1, not {part}"
                )
                .into());
            }
            // The slice size along an empty axis may be 1 if there are no slices.
            if part > all.max(1) {
                return Err(format!("slices of {part} along axis {label} of size {all}").into());
            }
        }
        Ok(())
    }

    /// The shape of the result, also where there are no elements to take.
    pub(super) fn result(&self, operand: &Shape, indices: &Shape) -> Rule<Shape> {
        let windows = self.windows();
        windows.check(operand, indices, None)?;
        self.check_slices(&windows, operand)?;
        let mut block = (0..operand.rank())
            .filter(|&i| windows.has(i))
            .map(|i| (operand.names()[i], self.slice_sizes[i]));
        let mut batch = windows.batch(indices).map(|i| (indices.names()[i], indices.sizes()[i]));
        let rank = self.offset_dims.len() + batch.clone().count();
        let axes = (0..rank).filter_map(|axis| {
            if self.offset_dims.contains(&axis) { block.next() } else { batch.next() }
        });
        Ok(operand.with_dims(Dims::new(axes)?))
    }
}

impl Definition for GatherDims {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [operand, indices] = context.operands()?;
        let result = self.result(operand, indices)?;
        if operand.element_count() == 0 && result.element_count() > 0 {
            Err(format!("{operand} has no elements to take").into())
        } else {
            one(result)
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(
            out,
            " offset {} collapsed {} batch {} {} map {} vector {} sizes {}{}",
            list(&self.offset_dims),
            list(&self.collapsed_slice_dims),
            list(&self.operand_batching_dims),
            list(&self.start_indices_batching_dims),
            list(&self.start_index_map),
            self.index_vector_dim,
            list(&self.slice_sizes),
            if self.indices_are_sorted { " sorted" } else { "" }
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
        hasher.write_u8(self.indices_are_sorted.into());
    }
}

plain!(GatherDims);

#[hloom_derive::tensor_methods(gather)]
impl Tensor {
    /// The slices at the start indices in `indices`, by StableHLO's dimension numbers. The start of
    /// a slice is clamped so that it fits; negative ones do not count from the end, as in
    /// `jax.lax.gather`.
    ///
    /// [`take`](Self::take), [`take_along_axis`](Self::take_along_axis) and [`at`](Self::at) are
    /// the usual forms.
    #[doc(alias = "index_select")]
    #[track_caller]
    pub fn gather(self, indices: Tensor, dims: GatherDims) -> Tensor {
        apply("gather", &[self, indices], |_| Ok(dims))
    }

    /// As [`gather`](Self::gather), with `fill` for every element of a slice that does not fit at
    /// its start index.
    #[track_caller]
    pub fn gather_or(self, indices: Tensor, dims: GatherDims, fill: impl ScalarValue) -> Tensor {
        let number = fill.into().0;
        function_scope("gather_or", || self.filled(indices, dims, number))
    }

    #[track_caller]
    fn filled(self, indices: Tensor, dims: GatherDims, fill: Number) -> Tensor {
        let caller = Location::caller();
        // Without elements there is no slice to gather.
        let empty =
            emit("gather", &[self, indices], caller, |_, s, _| match s[0].element_count() {
                0 => Ok(Some(dims.result(&s[0], &s[1])?)),
                _ => Ok(None),
            });
        let gathered = match empty {
            Some(Some(shape)) => return fill.splat("gather", &[self], shape),
            Some(None) => self.gather(indices, dims.clone()),
            None => Tensor::poisoned(),
        };
        let (Some(x), Some(shape)) = (shape_of(self), shape_of(gathered)) else {
            return Tensor::poisoned();
        };
        let fits = self.fits(indices, &dims, &x);
        let axes = (0..shape.rank()).filter(|axis| !dims.offset_dims.contains(axis));
        let wide = BroadcastInDim { axes: PerAxis::collect(axes), dims: shape.axes() };
        let fits = apply("gather", &[fits], |_| Ok(wide));
        fits.select(gathered, fill.splat("gather", &[self], shape))
    }

    /// Whether the slice of each index vector lies in `x`.
    #[track_caller]
    fn fits(self, indices: Tensor, dims: &GatherDims, x: &Shape) -> Tensor {
        let dtype = indices.dtype();
        let largest = u64::MAX >> (64 - dtype.bits() + usize::from(dtype.is_signed_int()));
        let limit =
            |&axis: &usize| (x.sizes()[axis] - dims.slice_sizes[axis]).min(largest as usize);
        let limits: Vec<u64> = dims.start_index_map.iter().map(|axis| limit(axis) as u64).collect();
        let at = dims.index_vector_dim;
        if at == indices.rank() {
            return indices.ge(0) & indices.le(limits[0]);
        }
        let mut sizes = vec![1; indices.rank()];
        sizes[at] = limits.len();
        let limits = Tensor::constant(&limits, sizes).convert(dtype);
        (indices.ge(0) & indices.le(limits)).all(at)
    }
}
