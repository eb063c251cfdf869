//! Slices at computed indices, gathers, scatters, sorts and prefix reductions.

use crate::{
    DType, GatherDims, PerAxis, Reduction, ScatterUpdate, Shape, Tensor, associative_scan,
    grad::{cotangents::bare, pull::Pull, vjp},
    op::{Cumulative, DynamicSlice, DynamicUpdateSlice, Scatter, Sort},
    ops::ScatterDims,
    record,
};

type Cotangents = Vec<Option<Tensor>>;

fn starts(pull: &Pull<'_>, from: usize) -> Vec<Tensor> {
    (from..pull.step.operands.len()).map(|i| pull.x(i)).collect()
}

pub(super) fn dynamic_slice(pull: &Pull<'_>, _: DynamicSlice) -> Cotangents {
    let zeros = pull.x(0).full_like(0);
    let operands = [vec![zeros, pull.g()], starts(pull, 1)].concat();
    pull.one(record(DynamicUpdateSlice, &operands)[0])
}

pub(super) fn dynamic_update_slice(pull: &Pull<'_>) -> Cotangents {
    let (g, update, starts) = (pull.g(), pull.shape(1), starts(pull, 2));
    let of_operand = || {
        let zeros = Tensor::zeros(update.dtype(), update.sizes());
        record(DynamicUpdateSlice, &[vec![g, zeros], starts.clone()].concat())[0]
    };
    let of_update = || {
        let sizes = PerAxis::collect(update.sizes().iter().copied());
        record(DynamicSlice { sizes }, &[vec![g], starts.clone()].concat())[0]
    };
    pull.two(of_operand, of_update)
}

/// The start indices of a gather, moved to where its slices fit, as the gather moves them.
fn clamped(indices: Tensor, dims: &GatherDims, operand: &Shape) -> Tensor {
    let dtype = indices.dtype();
    let largest = u64::MAX >> (64 - dtype.bits() + usize::from(dtype.is_signed_int()));
    let limit = |&axis: &usize| {
        let last = operand.sizes()[axis].saturating_sub(dims.slice_sizes[axis]);
        (last as u64).min(largest)
    };
    let limits: Vec<u64> = dims.start_index_map.iter().map(limit).collect();
    let at = dims.index_vector_dim;
    let mut sizes = vec![1; indices.rank()];
    if at < indices.rank() {
        sizes[at] = limits.len();
    }
    let limits = Tensor::constant(&limits, &sizes[..]).convert(dtype);
    indices.maximum(0).minimum(limits)
}

pub(super) fn gather(pull: &Pull<'_>, op: &GatherDims) -> Cotangents {
    let x = pull.x(0);
    if x.shape().element_count() == 0 {
        return Vec::new();
    }
    let indices = clamped(pull.x(1), op, &x.shape());
    // An element may have been read often: its cotangents are not rounded one by one.
    let (zeros, g) = (x.full_like(0).at_least_f32(), pull.g().at_least_f32());
    let sums = zeros.scatter(indices, g, op.to_scatter(), ScatterUpdate::Add);
    pull.one(sums.convert(x.dtype()))
}

/// The gather that reads where a scatter writes.
fn reads(dims: &ScatterDims, operand: &Shape, updates: &Shape) -> GatherDims {
    let mut windows = dims.update_window_dims.iter().map(|&axis| updates.sizes()[axis]);
    let size = |axis: usize| {
        let is_one =
            dims.inserted_window_dims.contains(&axis) || dims.input_batching_dims.contains(&axis);
        if is_one { 1 } else { windows.next().unwrap_or(1) }
    };
    dims.to_gather(PerAxis::collect((0..operand.rank()).map(size)))
}

pub(super) fn scatter(pull: &Pull<'_>, op: &Scatter) -> Cotangents {
    let (g, x, indices, updates) = (pull.g(), pull.x(0), pull.x(1), pull.x(2));
    let dims = reads(&op.dims, &x.shape(), &updates.shape());
    let written = |x: Tensor, updates: Tensor, update: ScatterUpdate| {
        x.scatter(indices, updates, op.dims.clone(), update)
    };
    // An update that does not fit is not written.
    let read = |x: Tensor| x.gather_or(indices, dims.clone(), 0);
    let three = |first: &dyn Fn() -> Tensor, last: &dyn Fn() -> Tensor| {
        vec![pull.wants(0).then(first), None, pull.wants(2).then(last)]
    };
    match op.update {
        ScatterUpdate::Add => three(&|| g, &|| read(g)),
        ScatterUpdate::Set => {
            let of_x = || written(g, updates.full_like(0), ScatterUpdate::Set);
            let of_updates = || {
                if op.dims.unique_indices {
                    return read(g);
                }
                // Of several updates of one element, the one that was written.
                let count = updates.shape().element_count();
                let ids = Tensor::iota(DType::I32, [count], 0).reshape(updates.shape().sizes()) + 1;
                let none = Tensor::zeros(DType::I32, x.shape().sizes());
                let winner = read(written(none, ids, ScatterUpdate::Set));
                winner.eq(ids).select(read(g), 0)
            };
            three(&of_x, &of_updates)
        }
        ScatterUpdate::Mul => {
            if pull.wants(2) && !op.dims.unique_indices {
                return pull.refuse("of products has a derivative with unique indices alone");
            }
            three(&|| written(g, updates, ScatterUpdate::Mul), &|| read(g * x))
        }
        ScatterUpdate::Max | ScatterUpdate::Min => {
            // Equal values share the cotangent.
            let y = pull.y(0);
            let one = |x: Tensor, chosen: Tensor| chosen.select(x.full_like(1), x.full_like(0));
            let of_x = one(x, x.eq(y));
            let of_updates = one(updates, updates.eq(read(y)));
            let count = written(of_x, of_updates, ScatterUpdate::Add);
            let part = g / count.maximum(1);
            three(&|| part * of_x, &|| read(part) * of_updates)
        }
    }
}

/// The cotangents of sorted values: each where its value was. The permutation is the residual.
pub(super) fn sort(pull: &Pull<'_>, op: &Sort) -> Cotangents {
    let Some(&order) = pull.step.residuals.first() else {
        return pull.refuse("has no derivative here");
    };
    let back = |i: usize| {
        let g = pull.given(i).filter(|_| pull.wants(i))?;
        Some(g.full_like(0).scatter_along_add(bare(order), g, op.axis as isize))
    };
    (0..pull.step.operands.len()).map(back).collect()
}

pub(super) fn top_k(pull: &Pull<'_>) -> Cotangents {
    pull.one(pull.x(0).full_like(0).scatter_along_add(pull.y(1), pull.g(), -1))
}

pub(super) fn cumulative(pull: &Pull<'_>, op: Cumulative) -> Cotangents {
    let (g, x, axis) = (pull.g(), pull.x(0), op.axis as isize);
    let by = |combine: fn(Tensor, Tensor) -> Tensor| {
        vjp(x, |x| associative_scan(x, axis, combine)).1.apply(g)
    };
    pull.one(match op.reduction {
        Reduction::Sum => g.reverse(axis).cumsum(axis).reverse(axis),
        Reduction::Prod => by(|a, b| a * b),
        Reduction::Max => by(|a, b| a.maximum(b)),
        Reduction::Min => by(|a, b| a.minimum(b)),
        Reduction::Any | Reduction::All => return Vec::new(),
    })
}
