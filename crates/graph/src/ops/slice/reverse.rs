//! The derivatives of slices and padding.

use super::{PadDims, SliceDims};
use crate::{
    PerAxis, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    ops::reduce::summed,
    record,
};

impl Vjp for SliceDims {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, shape) = (pull.g(), pull.shape(0));
        let rank = shape.rank();
        let taken = g.shape();
        let low = |i: usize| self.start[i] as isize;
        let high = |i: usize| {
            let spread = taken.sizes()[i].saturating_sub(1) * self.stride[i] + 1;
            let end = if taken.sizes()[i] == 0 { self.start[i] } else { self.start[i] + spread };
            shape.sizes()[i] as isize - end as isize
        };
        let dims = PadDims {
            low: PerAxis::collect((0..rank).map(low)),
            high: PerAxis::collect((0..rank).map(high)),
            interior: PerAxis::collect(
                (0..rank).map(|i| if taken.sizes()[i] > 1 { self.stride[i] - 1 } else { 0 }),
            ),
        };
        if taken.element_count() == 0 {
            return Vec::new();
        }
        pull.one(record(dims, &[g, Tensor::scalar(0, g.dtype())])[0])
    }
}

impl Vjp for PadDims {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, shape) = (pull.g(), pull.shape(0));
        let all = |x: Tensor| summed(x, 0..x.rank());
        if shape.element_count() == 0 {
            return vec![None, pull.wants(1).then(|| all(g))];
        }
        // Crops the padding at the edges, then takes the elements between the interior padding.
        let rank = shape.rank();
        let back = PadDims {
            low: PerAxis::collect(self.low.iter().map(|&low| -low)),
            high: PerAxis::collect(self.high.iter().map(|&high| -high)),
            interior: PerAxis::collect((0..rank).map(|_| 0)),
        };
        let inner = record(back, &[g, Tensor::scalar(0, g.dtype())])[0];
        let step = SliceDims {
            start: PerAxis::collect((0..rank).map(|_| 0)),
            limit: PerAxis::collect(inner.shape().sizes().iter().copied()),
            stride: PerAxis::collect(self.interior.iter().map(|&interior| interior + 1)),
        };
        let own = record(step, &[inner])[0];
        vec![pull.wants(0).then_some(own), pull.wants(1).then(|| all(g) - all(own))]
    }
}
