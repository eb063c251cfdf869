//! Reductions of windows over a batch axis.

use super::{ReduceWindow, ReduceWindowBy, WindowDims};
use crate::{
    body::Recorded,
    vmap::{Batch, Lane, Lanes, as_it_is, batched_if_any, with_first, without_edge},
};

as_it_is!(ReduceWindow, |op| ReduceWindow { window: unmoved(&op.window), ..op.clone() });

impl Batch for ReduceWindowBy {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let window = unmoved(&self.window);
        lanes.reduced_by(node, ReduceWindowBy { window, ..self.clone() })
    }

    batched_if_any!();
}

/// The window with size 1 along a new first axis.
fn unmoved(window: &WindowDims) -> WindowDims {
    WindowDims {
        sizes: with_first(&window.sizes, 1),
        strides: with_first(&window.strides, 1),
        low: without_edge(&window.low),
        high: without_edge(&window.high),
        base_dilations: with_first(&window.base_dilations, 1),
        window_dilations: with_first(&window.window_dilations, 1),
    }
}
