//! The derivative of scatters.

use super::{Scatter, ScatterDims, ScatterUpdate};
use crate::{
    DType, GatherDims, PerAxis, Shape, Tensor,
    grad::{Pull, Vjp, keeps_operands},
};

impl Vjp for Scatter {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, x, indices, updates) = (pull.g(), pull.x(0), pull.x(1), pull.x(2));
        let dims = reads(&self.dims, &x.shape(), &updates.shape());
        let written = |x: Tensor, updates: Tensor, update: ScatterUpdate| {
            x.scatter(indices, updates, self.dims.clone(), update)
        };
        // An update that does not fit is not written.
        let read = |x: Tensor| x.gather_or(indices, dims.clone(), 0);
        let three = |first: &dyn Fn() -> Tensor, last: &dyn Fn() -> Tensor| {
            vec![pull.wants(0).then(first), None, pull.wants(2).then(last)]
        };
        match self.update {
            ScatterUpdate::Add => three(&|| g, &|| read(g)),
            ScatterUpdate::Set => {
                let of_x = || written(g, updates.full_like(0), ScatterUpdate::Set);
                let of_updates = || {
                    if self.dims.unique_indices {
                        return read(g);
                    }
                    // If several updates are for one element, the index of the update that was
                    // written.
                    let count = updates.shape().element_count();
                    let ids =
                        Tensor::iota(DType::I32, [count], 0).reshape(updates.shape().sizes()) + 1;
                    let none = Tensor::zeros(DType::I32, x.shape().sizes());
                    let winner = read(written(none, ids, ScatterUpdate::Set));
                    winner.eq(ids).select(read(g), 0)
                };
                three(&of_x, &of_updates)
            }
            ScatterUpdate::Mul => {
                if pull.wants(2) && !self.dims.unique_indices {
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
