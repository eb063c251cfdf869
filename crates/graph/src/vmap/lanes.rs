//! The values of a body for every index of the mapped axis.

use super::rule::BatchedValues;
use crate::{
    Dims, Op, PerAxis, RegionId, ShapeError, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    ops::{BroadcastInDim, map},
    trace::{called_from, in_region_of, shape_of},
};
use std::{collections::HashMap, panic::Location};

/// A value of the body: the same for every index, or with the mapped axis, without a name, as its
/// first axis.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub tensor: Tensor,
    pub is_batched: bool,
}

/// The values known so far.
pub(crate) struct Lanes {
    /// The size of the mapped axis.
    pub size: usize,
    known: HashMap<ValueId, Lane>,
}

pub(crate) type Caller = &'static Location<'static>;

impl Lane {
    pub fn batched(tensor: Tensor) -> Lane {
        Lane { tensor, is_batched: true }
    }

    pub fn single(tensor: Tensor) -> Lane {
        Lane { tensor, is_batched: false }
    }
}

impl Lanes {
    pub fn new(size: usize) -> Lanes {
        Lanes { size, known: HashMap::new() }
    }

    /// A value of the body, or a captured value, which is the same for every index.
    pub fn get(&self, value: ValueId) -> Lane {
        self.known.get(&value).copied().unwrap_or_else(|| Lane::single(Tensor::of(value)))
    }

    /// The value with the mapped axis as its first one.
    #[track_caller]
    pub fn spread(&self, lane: Lane) -> Tensor {
        let Some(shape) = shape_of(lane.tensor).filter(|_| !lane.is_batched) else {
            return lane.tensor;
        };
        match self.dims(&shape.axes()) {
            Ok(dims) => {
                let axes = PerAxis::collect(1..=shape.rank());
                crate::record(BroadcastInDim { axes, dims }, &[lane.tensor])[0]
            }
            Err(error) => crate::record_error("vmap", &[lane.tensor], error.to_string()),
        }
    }

    /// The axes with the mapped one first.
    pub fn dims(&self, dims: &Dims) -> Result<Dims, ShapeError> {
        let axes = dims.names().iter().copied().zip(dims.sizes().iter().copied());
        Dims::new(std::iter::once((None, self.size)).chain(axes))
    }

    /// The operands of a node.
    pub fn operands(&self, node: &Recorded) -> Vec<Lane> {
        node.operands.iter().map(|&value| self.get(value)).collect()
    }

    /// Records the nodes of a body for these arguments, and returns its results.
    pub fn body(&mut self, body: &Body, arguments: &[Lane]) -> Vec<Lane> {
        for (&parameter, &lane) in body.parameters.iter().zip(arguments) {
            self.known.insert(parameter, lane);
        }
        for node in &body.nodes {
            let results = if self.depends(node) {
                node.op.definition().batch(self, node)
            } else {
                self.unchanged(node)
            };
            for (&value, lane) in node.results.iter().zip(results) {
                self.known.insert(value, lane);
            }
        }
        body.results.iter().map(|&value| self.get(value)).collect()
    }

    /// Whether a node uses a batched value.
    fn depends(&self, node: &Recorded) -> bool {
        let free = node.regions.values().flat_map(Body::free);
        node.operands.iter().copied().chain(free).any(|value| self.get(value).is_batched)
    }

    /// Records a node whose operands are the same for every index.
    fn unchanged(&mut self, node: &Recorded) -> Vec<Lane> {
        let operands: Vec<Tensor> = self.operands(node).iter().map(|lane| lane.tensor).collect();
        let tensors = self.recorded(node, node.op.clone(), &operands);
        tensors.into_iter().map(Lane::single).collect()
    }

    /// Records `op`, with copies of the regions of `node`, which take no batched values.
    pub fn recorded(&mut self, node: &Recorded, mut op: Op, operands: &[Tensor]) -> Vec<Tensor> {
        let mut is_sound = true;
        op.map_regions(&mut |region| {
            let copy = node.regions.get(&region).and_then(|body| self.copy(node, body));
            is_sound &= copy.is_some();
            copy.unwrap_or(region)
        });
        if is_sound {
            record_at(node.location, op, operands, None)
        } else {
            vec![Tensor::poisoned(); node.results.len()]
        }
    }

    fn copy(&mut self, node: &Recorded, body: &Body) -> Option<RegionId> {
        let (name, kind) = (node.op.name(), body.kind);
        in_region_of(name, kind, &body.shapes, &[], node.location, |parameters| {
            let lanes: Vec<Lane> = parameters.iter().copied().map(Lane::single).collect();
            (self.body(body, &lanes).into_iter().map(|lane| lane.tensor).collect(), ())
        })
        .0
    }

    /// Records a node once for each index.
    pub fn in_turn(&mut self, node: &Recorded) -> Vec<Lane> {
        let lanes = self.operands(node);
        let batched = lanes.iter().filter(|lane| lane.is_batched).map(|lane| lane.tensor);
        let batched: Vec<Tensor> = batched.collect();
        let ys = called_from(node.location, || {
            map(batched, 0, |own| {
                let mut own = own.into_iter();
                let operands: Vec<Tensor> = lanes
                    .iter()
                    .map(|lane| if lane.is_batched { own.next() } else { Some(lane.tensor) })
                    .map(|tensor| tensor.unwrap_or_else(Tensor::poisoned))
                    .collect();
                self.recorded(node, node.op.clone(), &operands)
            })
        });
        ys.into_iter().map(Lane::batched).collect()
    }

    /// Records that a node has no rule.
    pub fn refuse(&self, node: &Recorded, why: &str) -> Vec<Lane> {
        let tensor = called_from(node.location, || {
            crate::record_error("vmap", &[], format!("`{}` {why}", node.op.name()))
        });
        node.results.iter().map(|_| Lane::batched(tensor)).collect()
    }

    /// Whether each result of a body is batched, if these arguments are.
    pub fn batched_results(&self, body: &Body, arguments: &[bool]) -> Vec<bool> {
        let mut batched = BatchedValues::new();
        self.trace_batched(body, arguments, &mut batched)
    }

    /// As [`batched_results`](Self::batched_results), where these values have the mapped axis too.
    pub fn trace_batched(
        &self,
        body: &Body,
        arguments: &[bool],
        batched: &mut BatchedValues,
    ) -> Vec<bool> {
        for (&parameter, &is_batched) in body.parameters.iter().zip(arguments) {
            if is_batched {
                batched.insert(parameter)
            } else {
                batched.remove(&parameter)
            };
        }
        for node in &body.nodes {
            let results = self.node_batched(node, batched);
            batched.extend(node.results.iter().zip(results).filter(|p| p.1).map(|p| p.0));
        }
        body.results.iter().map(|&value| self.is_batched(value, batched)).collect()
    }

    fn is_batched(&self, value: ValueId, batched: &BatchedValues) -> bool {
        batched.contains(&value) || self.known.get(&value).is_some_and(|lane| lane.is_batched)
    }

    fn node_batched(&self, node: &Recorded, batched: &mut BatchedValues) -> Vec<bool> {
        let operands: Vec<bool> =
            node.operands.iter().map(|&value| self.is_batched(value, batched)).collect();
        node.op.definition().batched(self, node, &operands, batched)
    }

    /// Whether each result of a node is batched.
    pub fn results_batched(&self, node: &Recorded) -> Vec<bool> {
        self.node_batched(node, &mut BatchedValues::new())
    }
}
