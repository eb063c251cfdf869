//! Gathers and scatters by StableHLO's dimension numbers.
//!
//! The start indices of a gather are clamped so that the slices fit into the operand. The slices of
//! a scatter that do not fit as a whole are dropped.

use super::arithmetic::combined;
use crate::{
    array::{Array, each_position},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
};
use hloom_graph::{GatherDims, NodeId, Reduction, ScatterDims, ScatterUpdate, Shape, op::Scatter};

/// The position without the axes of a list, in order.
fn others(position: &[usize], axes: &[usize]) -> Vec<usize> {
    let kept = position.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    kept.map(|(_, &at)| at).collect()
}

/// The first index along each operand axis of the slice of a batch position.
fn start(
    indices: &Array,
    index_vector_dim: usize,
    map: &[usize],
    batching: (&[usize], &[usize]),
    rank: usize,
    batch: &[usize],
) -> Vec<i128> {
    let mut start = vec![0; rank];
    for (element, &axis) in map.iter().enumerate() {
        let mut from = batch.to_vec();
        if index_vector_dim < indices.sizes().len() {
            from.insert(index_vector_dim, element);
        }
        start[axis] = indices.number(&from).int();
    }
    for (&axis, &of_indices) in batching.0.iter().zip(batching.1) {
        // The batch position lacks the axis of the index vectors.
        let at = of_indices - usize::from(of_indices > index_vector_dim);
        start[axis] = batch[at] as i128;
    }
    start
}

fn gather(result: Shape, dims: &GatherDims, x: &Array, indices: &Array) -> Array {
    let dropped: Vec<usize> = dims
        .collapsed_slice_dims
        .iter()
        .chain(dims.operand_batching_dims.iter())
        .copied()
        .collect();
    let batching = (&*dims.operand_batching_dims, &*dims.start_indices_batching_dims);
    let rank = x.sizes().len();
    Array::from_fn(result, |position| {
        let batch = others(position, &dims.offset_dims);
        let start =
            start(indices, dims.index_vector_dim, &dims.start_index_map, batching, rank, &batch);
        let mut offsets = dims.offset_dims.iter().map(|&axis| position[axis]);
        let along = |axis: usize| {
            let offset = if dropped.contains(&axis) { 0 } else { offsets.next().unwrap_or(0) };
            let last = x.sizes()[axis].saturating_sub(dims.slice_sizes[axis]) as i128;
            start[axis].clamp(0, last) as usize + offset
        };
        let from: Vec<usize> = (0..rank).map(along).collect();
        x.at(&from)
    })
}

/// The sizes of a slice along the axes of updates that run over it.
pub(super) fn update_window(dims: &ScatterDims, updates: &[usize]) -> Vec<usize> {
    dims.update_window_dims.iter().map(|&axis| updates[axis]).collect()
}

/// The positions in the operand that updates are written to.
pub(super) struct Placement<'a> {
    dims: &'a ScatterDims,
    indices: &'a Array,
    /// The sizes of the operand.
    sizes: &'a [usize],
    /// The sizes of a slice along each axis of the operand.
    slice: Vec<usize>,
}

impl<'a> Placement<'a> {
    pub fn of(
        dims: &'a ScatterDims,
        indices: &'a Array,
        sizes: &'a [usize],
        window: &[usize],
    ) -> Placement<'a> {
        let mut window = window.iter().copied();
        let along = |axis: usize| {
            if Self::is_inserted(dims, axis) { 1 } else { window.next().unwrap_or(1) }
        };
        Placement { dims, indices, sizes, slice: (0..sizes.len()).map(along).collect() }
    }

    fn is_inserted(dims: &ScatterDims, axis: usize) -> bool {
        dims.inserted_window_dims.contains(&axis) || dims.input_batching_dims.contains(&axis)
    }

    /// The position in the operand of a position of the updates; `None` if its slice does not fit.
    pub fn position(&self, update: &[usize]) -> Option<Vec<usize>> {
        let dims = self.dims;
        let batch = others(update, &dims.update_window_dims);
        let start = start(
            self.indices,
            dims.index_vector_dim,
            &dims.scatter_dims_to_operand_dims,
            (&dims.input_batching_dims, &dims.scatter_indices_batching_dims),
            self.sizes.len(),
            &batch,
        );
        let mut offsets = dims.update_window_dims.iter().map(|&axis| update[axis]);
        let along = |axis: usize| {
            let inserted = Self::is_inserted(dims, axis);
            let offset = if inserted { 0 } else { offsets.next().unwrap_or(0) };
            let fits = start[axis] >= 0
                && start[axis] + self.slice[axis] as i128 <= self.sizes[axis] as i128;
            fits.then(|| start[axis] as usize + offset)
        };
        (0..self.sizes.len()).map(along).collect()
    }
}

/// Updates are combined in row-major order, each rounded to the type of the elements.
fn scatter(result: Shape, scatter: &Scatter, x: &Array, indices: &Array, updates: &Array) -> Array {
    let mut all = x.reshaped(result);
    let window = update_window(&scatter.dims, updates.sizes());
    let placement = Placement::of(&scatter.dims, indices, x.sizes(), &window);
    let reduction = match scatter.update {
        ScatterUpdate::Set => None,
        ScatterUpdate::Add => Some(Reduction::Sum),
        ScatterUpdate::Mul => Some(Reduction::Prod),
        ScatterUpdate::Max => Some(Reduction::Max),
        ScatterUpdate::Min => Some(Reduction::Min),
    };
    each_position(updates.sizes(), |position| {
        let Some(to) = placement.position(position) else { return };
        let bits = match reduction {
            None => updates.at(position),
            Some(reduction) => {
                combined(reduction, all.number(&to), updates.number(position)).encode(x.dtype())
            }
        };
        all.set(&to, bits);
    });
    all
}

impl Evaluate for GatherDims {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| gather(shape, self, x[0], x[1]))
    }
}

impl Evaluate for Scatter {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_operands(n)?;
        m.one(n, |x, shape| scatter(shape, self, x[0], x[1], x[2]))
    }
}
