//! Ops that move or repeat elements.

use crate::{
    PerAxis, Reduction, Tensor,
    grad::pull::Pull,
    op::{BroadcastInDim, Concatenate, PadDims, Reduce, Reverse, SliceDims, Transpose},
    record,
};

type Cotangents = Vec<Option<Tensor>>;

/// The sum along axes, in the element type of the operand.
pub(super) fn summed(x: Tensor, axes: impl IntoIterator<Item = usize>) -> Tensor {
    let axes: Vec<isize> = axes.into_iter().map(|axis| axis as isize).collect();
    match axes.is_empty() {
        true => x,
        false => x.sum(&axes[..]),
    }
}

/// The values repeated along new axes: `axes` are those of the result that they have.
pub(super) fn repeated(x: Tensor, axes: impl IntoIterator<Item = usize>, like: Tensor) -> Tensor {
    let dims = like.shape().axes();
    record(BroadcastInDim { axes: PerAxis::collect(axes), dims }, &[x])[0]
}

pub(super) fn broadcast(pull: &Pull<'_>, op: &BroadcastInDim) -> Cotangents {
    let (g, shape) = (pull.g(), pull.shape(0));
    let is_kept = |axis: &usize| {
        let from = op.axes.iter().position(|to| to == axis);
        from.is_some_and(|from| shape.sizes()[from] == op.dims.sizes()[*axis])
    };
    let sum = summed(g, (0..op.dims.sizes().len()).filter(|axis| !is_kept(axis)));
    pull.one(sum.reshape(shape.sizes()))
}

pub(super) fn reshape(pull: &Pull<'_>) -> Cotangents {
    pull.one(pull.g().reshape(pull.shape(0).sizes()))
}

pub(super) fn transpose(pull: &Pull<'_>, op: &Transpose) -> Cotangents {
    pull.one(restored(pull.g(), &op.order))
}

/// The tensor whose axes in this order are those of `x`.
pub(super) fn restored(x: Tensor, order: &[usize]) -> Tensor {
    let mut inverse = PerAxis::collect(order.iter().copied());
    for (to, &from) in order.iter().enumerate() {
        inverse.as_mut_slice()[from] = to;
    }
    match inverse.is_sorted() {
        true => x,
        false => record(Transpose { order: inverse }, &[x])[0],
    }
}

pub(super) fn slice(pull: &Pull<'_>, op: &SliceDims) -> Cotangents {
    let (g, shape) = (pull.g(), pull.shape(0));
    let rank = shape.rank();
    let taken = g.shape();
    let low = |i: usize| op.start[i] as isize;
    let high = |i: usize| {
        let spread = taken.sizes()[i].saturating_sub(1) * op.stride[i] + 1;
        let end = if taken.sizes()[i] == 0 { op.start[i] } else { op.start[i] + spread };
        shape.sizes()[i] as isize - end as isize
    };
    let dims = PadDims {
        low: PerAxis::collect((0..rank).map(low)),
        high: PerAxis::collect((0..rank).map(high)),
        interior: PerAxis::collect(
            (0..rank).map(|i| if taken.sizes()[i] > 1 { op.stride[i] - 1 } else { 0 }),
        ),
    };
    if taken.element_count() == 0 {
        return Vec::new();
    }
    pull.one(record(dims, &[g, Tensor::scalar(0, g.dtype())])[0])
}

pub(super) fn pad(pull: &Pull<'_>, op: &PadDims) -> Cotangents {
    let (g, shape) = (pull.g(), pull.shape(0));
    let all = |x: Tensor| summed(x, 0..x.rank());
    if shape.element_count() == 0 {
        return vec![None, pull.wants(1).then(|| all(g))];
    }
    // Edges become those of the padding alone, then every element between the interior ones.
    let rank = shape.rank();
    let back = PadDims {
        low: PerAxis::collect(op.low.iter().map(|&low| -low)),
        high: PerAxis::collect(op.high.iter().map(|&high| -high)),
        interior: PerAxis::collect((0..rank).map(|_| 0)),
    };
    let inner = record(back, &[g, Tensor::scalar(0, g.dtype())])[0];
    let step = SliceDims {
        start: PerAxis::collect((0..rank).map(|_| 0)),
        limit: PerAxis::collect(inner.shape().sizes().iter().copied()),
        stride: PerAxis::collect(op.interior.iter().map(|&interior| interior + 1)),
    };
    let own = record(step, &[inner])[0];
    vec![pull.wants(0).then_some(own), pull.wants(1).then(|| all(g) - all(own))]
}

pub(super) fn concatenate(pull: &Pull<'_>, op: &Concatenate) -> Cotangents {
    let g = pull.g();
    let mut from = 0;
    let mut part = |index: usize| {
        let size = pull.shape(index).sizes()[op.axis] as isize;
        from += size;
        pull.wants(index).then(|| g.slice(op.axis as isize, from - size..from))
    };
    (0..pull.step.operands.len()).map(&mut part).collect()
}

pub(super) fn reverse(pull: &Pull<'_>, op: &Reverse) -> Cotangents {
    pull.one(record(*op, &[pull.g()])[0])
}

pub(super) fn reduce(pull: &Pull<'_>, op: &Reduce) -> Cotangents {
    let (g, x) = (pull.g(), pull.x(0));
    let kept = || (0..x.rank()).filter(|axis| !op.axes.contains(axis));
    match op.reduction {
        Reduction::Sum => pull.one(repeated(g, kept(), x)),
        Reduction::Prod => {
            // The products of all others, without a division by 0.
            let order: Vec<usize> = kept().chain(op.axes.iter().copied()).collect();
            let moved = record(Transpose { order: PerAxis::collect(order.iter().copied()) }, &[x]);
            let sizes = moved[0].shape();
            let count: usize = op.axes.iter().map(|&axis| x.shape().sizes()[axis]).product();
            let flat = [&sizes.sizes()[..kept().count()], &[count]].concat();
            let flat = moved[0].reshape(&flat[..]);
            if flat.shape().element_count() == 0 {
                return Vec::new();
            }
            let before = |x: Tensor| x.cumprod(-1).pad(-1, 1, -1, 1);
            let others = before(flat) * before(flat.reverse(-1)).reverse(-1);
            let others = restored(others.reshape(sizes.sizes()), &order);
            pull.one(repeated(g, kept(), x) * others)
        }
        Reduction::Max | Reduction::Min => {
            let chosen = x.eq(repeated(pull.y(0), kept(), x));
            let chosen = chosen.select(x.full_like(1), x.full_like(0));
            let count = summed(chosen, op.axes.iter().copied());
            pull.one(repeated(g / count, kept(), x) * chosen)
        }
        Reduction::Any | Reduction::All => Vec::new(),
    }
}
