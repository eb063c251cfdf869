//! The derivative of reductions of windows.

use super::{ReduceWindow, WindowDims};
use crate::{
    PerAxis, Reduction, ScatterUpdate, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    op::PadDims,
    record,
};

impl Vjp for ReduceWindow {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, x, window) = (pull.g(), pull.x(0), self.window);
        let shape = x.shape();
        if shape.element_count() == 0 || g.shape().element_count() == 0 {
            return Vec::new();
        }
        match self.reduction {
            Reduction::Sum => {
                let axes = 0..shape.rank();
                let span = |i: usize| dilated(window.sizes[i], window.window_dilations[i]);
                let low = |i: usize| span(i) - window.low[i] - 1;
                let high = |i: usize| {
                    let all = dilated(shape.sizes()[i], window.base_dilations[i]) + span(i) - 1;
                    all - dilated(g.shape().sizes()[i], window.strides[i]) - low(i)
                };
                let spread = PadDims {
                    low: PerAxis::collect(axes.clone().map(low)),
                    high: PerAxis::collect(axes.clone().map(high)),
                    interior: PerAxis::collect(window.strides.iter().map(|&stride| stride - 1)),
                };
                let padded = record(spread, &[g, Tensor::scalar(0, g.dtype())])[0];
                let back = WindowDims {
                    strides: window.base_dilations,
                    window_dilations: window.window_dilations,
                    ..WindowDims::new(window.sizes)
                };
                let summed =
                    record(ReduceWindow { reduction: Reduction::Sum, window: back }, &[padded]);
                pull.one(summed[0])
            }
            Reduction::Max => {
                let larger = |a: Tensor, b: Tensor| a.ge(b);
                pull.one(x.select_and_scatter(g, 0, window, larger, ScatterUpdate::Add))
            }
            Reduction::Min => {
                let smaller = |a: Tensor, b: Tensor| a.le(b);
                pull.one(x.select_and_scatter(g, 0, window, smaller, ScatterUpdate::Add))
            }
            Reduction::Prod => pull.refuse("of products has no derivative"),
            Reduction::Any | Reduction::All => Vec::new(),
        }
    }
}

/// The size of `size` elements at a distance of `by`.
pub(crate) fn dilated(size: usize, by: usize) -> isize {
    if size == 0 { 0 } else { ((size - 1) * by + 1) as isize }
}
