//! Expands ops that StableHLO does not have into others.

use crate::{
    DType, Graph, NodeId, Op, RegionId, Replay, Shape, Tensor, TraceError,
    graph::record_at,
    op::{ForLoop, Scan, While},
    trace::{called_from, in_region, mark_loop_index, region_parameter},
};
use std::{borrow::Cow, panic::Location};

impl Graph {
    /// The same function with each [`ForLoop`] and [`Scan`] replaced by a [`While`].
    ///
    /// # Errors
    /// None for a graph made by tracing.
    pub fn expand(&self) -> Result<Cow<'_, Graph>, TraceError> {
        if self.nodes().any(|(_, node)| matches!(node.op, Op::ForLoop(_) | Op::Scan(_))) {
            Ok(Cow::Owned(self.transform(&mut expand)?))
        } else {
            Ok(Cow::Borrowed(self))
        }
    }
}

fn expand(replay: &mut Replay<'_>, id: NodeId) -> Option<Vec<Tensor>> {
    let from = replay.from();
    let node = from.node(id);
    let operands = || {
        from.operands(id).iter().map(|&value| replay.get(value)).collect::<Option<Vec<Tensor>>>()
    };
    if let Op::ForLoop(repeat) = &node.op {
        return Some(repeated(replay, node.location, *repeat, &operands()?));
    }
    let Op::Scan(scan) = &node.op else {
        return None;
    };
    let shapes = from.shapes(from.operands(id));
    let stacked = from.node_results(id).skip(scan.carried).map(|value| from.shape(value)).collect();
    Some(scanned(replay, node.location, scan, &operands()?, &shapes, stacked))
}

type Caller = &'static Location<'static>;

/// The loop from 0 to `count` with an already traced body; `shapes` are those of the values carried
/// after the index.
fn counted(
    location: Caller,
    count: usize,
    init: &[Tensor],
    shapes: &[Shape],
    body: Option<RegionId>,
) -> Vec<Tensor> {
    let mut carried = vec![Shape::scalar(DType::I32)];
    carried.extend(shapes);
    let (cond, ()) = in_region("while", &carried, location, |parameters| {
        (vec![called_from(location, || parameters[0].lt(count))], ())
    });
    let Some((cond, body)) = cond.zip(body) else {
        return vec![Tensor::poisoned(); init.len()];
    };
    let mut operands = vec![called_from(location, || Tensor::scalar(0, DType::I32))];
    operands.extend(init);
    record_at(location, While { cond, body }.into(), &operands, None).split_off(1)
}

fn repeated(
    replay: &mut Replay<'_>,
    location: Caller,
    repeat: ForLoop,
    operands: &[Tensor],
) -> Vec<Tensor> {
    let from = replay.from();
    let taken = from.shapes(&from.region(repeat.body).parameters);
    let (body, ()) = in_region("while", &taken, location, |parameters| {
        let next = replay.region(repeat.body, parameters, &mut expand);
        let mut results = vec![called_from(location, || parameters[0] + 1)];
        results.extend(next);
        (results, ())
    });
    counted(location, repeat.count, operands, &taken[1..], body)
}

fn scanned(
    replay: &mut Replay<'_>,
    location: Caller,
    scan: &Scan,
    operands: &[Tensor],
    shapes: &[Shape],
    stacked: Vec<Shape>,
) -> Vec<Tensor> {
    let count = shapes[scan.carried].sizes()[scan.axes[0]];
    let (start, sources) = operands.split_at(scan.carried);
    let mut carried = shapes[..scan.carried].to_vec();
    let mut taken = vec![Shape::scalar(DType::I32)];
    taken.extend(&carried);
    let (body, ()) = in_region("while", &taken, location, |parameters| {
        let i = parameters[0];
        mark_loop_index(i);
        let element = |(x, &axis): (&Tensor, &usize)| {
            called_from(location, || x.dynamic_slice(axis, i, 1).squeeze(axis))
        };
        let mut arguments = parameters[1..].to_vec();
        arguments.extend(sources.iter().zip(&scan.axes).map(element));
        let given = replay.region(scan.body, &arguments, &mut expand);
        let (next, rows) = given.split_at(scan.carried);
        let mut results = vec![called_from(location, || i + 1)];
        results.extend(next);
        for (&row, &shape) in rows.iter().zip(&stacked) {
            let all = region_parameter(shape, location);
            let name = shape.names()[0].map_or("_", |name| name.as_str());
            results.push(called_from(location, || {
                all.dynamic_update_slice(row.insert_axis(0, name), 0, i)
            }));
        }
        (results, ())
    });
    let zeros =
        |shape: &Shape| called_from(location, || Tensor::zeros(shape.dtype(), shape.axes()));
    let mut init = start.to_vec();
    init.extend(stacked.iter().map(zeros));
    carried.extend(&stacked);
    counted(location, count, &init, &carried, body)
}
