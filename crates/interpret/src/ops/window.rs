//! Reductions of windows.

use super::{combined, reduce::initial};
use crate::{
    array::{Array, positions},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
};
use hloom_graph::{NodeId, Shape, WindowDims, op::ReduceWindow};

/// The positions in the operand of the elements of each window, in row-major order; `None` for
/// positions in the padding or between elements.
pub(super) fn window_positions(
    window: &WindowDims,
    offsets: &[Vec<usize>],
    sizes: &[usize],
    at: &[usize],
) -> Vec<Option<Vec<usize>>> {
    let along = |axis: usize, offset: usize| {
        let dilated = at[axis] as i128 * window.strides[axis] as i128
            + offset as i128 * window.window_dilations[axis] as i128
            - window.low[axis] as i128;
        let step = window.base_dilations[axis] as i128;
        let index = dilated.div_euclid(step);
        let is_inside = dilated.rem_euclid(step) == 0 && index >= 0 && index < sizes[axis] as i128;
        is_inside.then_some(index as usize)
    };
    let position = |offset: &Vec<usize>| {
        offset.iter().enumerate().map(|(axis, &offset)| along(axis, offset)).collect()
    };
    offsets.iter().map(position).collect()
}

fn reduce_window(result: Shape, reduce: &ReduceWindow, x: &Array) -> Array {
    let ReduceWindow { reduction, window } = reduce;
    let offsets = positions(&window.sizes);
    Array::from_fn(result, |at| {
        let elements = window_positions(window, &offsets, x.sizes(), at).into_iter().flatten();
        let start = initial(*reduction, x.dtype());
        let all = elements.fold(start, |all, from| combined(*reduction, all, x.number(&from)));
        all.encode(result.dtype())
    })
}

/// The number of elements of all windows.
pub(super) fn visited(window: &WindowDims, result: Shape) -> usize {
    window.sizes.iter().fold(result.element_count(), |all, &size| all.saturating_mul(size))
}

impl Evaluate for ReduceWindow {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |_, shape| visited(&self.window, shape))?;
        m.one(n, |x, shape| reduce_window(shape, self, x[0]))
    }
}
