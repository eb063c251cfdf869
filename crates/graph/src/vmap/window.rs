//! Convolutions and windows over a batch axis.

use super::{
    index::with_first,
    lanes::{Lane, Lanes},
};
use crate::{
    PerAxis, Tensor,
    body::Recorded,
    op::{ConvDims, ReduceWindow, ReduceWindowBy},
    ops::WindowDims,
    trace::{at, shape_of},
};

impl Lanes {
    pub(super) fn convolution(&mut self, node: &Recorded, op: &ConvDims) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (input, kernel) = (lanes[0], lanes[1]);
        if op.batch_groups != 1 || self.size == 0 {
            return self.in_turn(node);
        }
        // Elements with one kernel are more elements of the batch; with a kernel each, they are
        // groups of features.
        let mut op = op.clone();
        let (operands, place) = at(node.location, || match kernel.is_batched {
            false => {
                let input = merged(input.tensor, op.input_batch_dimension);
                ([input, kernel.tensor], op.output_batch_dimension)
            }
            true => {
                op.feature_groups *= self.size;
                let input = merged(self.spread(input), op.input_feature_dimension);
                let kernel = merged(kernel.tensor, op.kernel_output_feature_dimension);
                ([input, kernel], op.output_feature_dimension)
            }
        });
        let size = self.size;
        let results = self.recorded(node, op.into(), &operands);
        let apart =
            |result: Tensor| Lane::batched(at(node.location, || apart(result, place, size)));
        results.into_iter().map(apart).collect()
    }

    pub(super) fn reduce_window(&mut self, node: &Recorded, op: &ReduceWindow) -> Vec<Lane> {
        let x = self.operands(node)[0];
        let op = ReduceWindow { window: still(&op.window), ..op.clone() };
        let results = self.recorded(node, op.into(), &[x.tensor]);
        results.into_iter().map(Lane::batched).collect()
    }

    pub(super) fn reduce_window_by(&mut self, node: &Recorded, op: &ReduceWindowBy) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (values, init) = lanes.split_at(lanes.len() / 2);
        if init.iter().any(|lane| lane.is_batched) {
            return self.in_turn(node);
        }
        let op = ReduceWindowBy { window: still(&op.window), ..op.clone() };
        let mut operands: Vec<Tensor> =
            at(node.location, || values.iter().map(|&lane| self.spread(lane)).collect());
        operands.extend(init.iter().map(|lane| lane.tensor));
        let results = self.recorded(node, op.into(), &operands);
        results.into_iter().map(Lane::batched).collect()
    }
}

/// The window with one element along a new first axis.
fn still(window: &WindowDims) -> WindowDims {
    let none = |edges: &PerAxis<isize>| {
        PerAxis::collect(std::iter::once(0).chain(edges.iter().copied()).take(crate::MAX_RANK))
    };
    WindowDims {
        sizes: with_first(&window.sizes, 1),
        strides: with_first(&window.strides, 1),
        low: none(&window.low),
        high: none(&window.high),
        base_dilations: with_first(&window.base_dilations, 1),
        window_dilations: with_first(&window.window_dilations, 1),
    }
}

/// The first axis merged into the axis that is at `place` without it, as its slower part.
#[track_caller]
fn merged(x: Tensor, place: usize) -> Tensor {
    let Some(shape) = shape_of(x) else { return x };
    let name = shape.names()[place + 1].map_or("_", |name| name.as_str());
    x.moveaxis(0, place as isize).merge([place, place + 1], name)
}

/// The slower part of an axis as the first axis.
#[track_caller]
fn apart(x: Tensor, place: usize, size: usize) -> Tensor {
    let Some(shape) = shape_of(x) else { return x };
    let name = shape.names()[place].map_or("_", |name| name.as_str());
    let rest = shape.sizes()[place] / size;
    x.unflatten(place, [("_", size), (name, rest)]).moveaxis(place, 0)
}
