//! Adds nodes, merging identical ones (CSE).

use super::{Graph, MergedNode, Node, NodeId, RegionId, StoredValue, ValueId};
use crate::{
    Op, Shape,
    definition::{InferContext, Shapes},
    ops::Composite,
    trace::Rule,
};
use std::{hash::BuildHasher, panic::Location};

/// Returns an error if an op computes with blocks: their bytes are not elements.
fn refuse_blocks(op: &Op, operands: &[Shape]) -> Rule<()> {
    // The first reads bytes, and the others pass values on.
    let takes_blocks = matches!(
        op,
        Op::BitcastConvert(_) | Op::Composite(_) | Op::Manual(_) | Op::OptimizationBarrier(_)
    );
    match operands.iter().find(|shape| shape.dtype().block().is_some()) {
        Some(shape) if !takes_blocks => Err(format!(
            "{shape} has blocks of quantised numbers, with which this op does not compute; \
             `dequantize` it first, or load the tensor as a float type"
        )
        .into()),
        _ => Ok(()),
    }
}

impl Graph {
    /// Adds a node, or finds an identical one. `shapes` are those of the operands.
    pub(crate) fn add(
        &mut self,
        op: Op,
        shapes: &[Shape],
        operands: &[ValueId],
        region: RegionId,
        location: &'static Location<'static>,
    ) -> Rule<NodeId> {
        let op = match op {
            Op::Composite(mut composite) => {
                composite.body = self.canonical_body(composite.body);
                Op::Composite(composite)
            }
            op => op,
        };
        self.add_of(op, operands, region, location, |op, graph| {
            refuse_blocks(op, shapes)?;
            let context = InferContext { operands: shapes, graph, region };
            op.infer(&context)
        })
    }

    /// The first isolated region with the same content, so that equal composites are merged.
    pub(crate) fn canonical_body(&mut self, body: RegionId) -> RegionId {
        let key = (self.region_hash(body), self.manual_around(body));
        *self.bodies.entry(key).or_insert(body)
    }

    /// The body already traced for a composite of this name, version and attributes, and operands
    /// of these shapes.
    pub(crate) fn shared_body(
        &self,
        like: &Composite,
        operands: &[Shape],
        region: RegionId,
    ) -> Option<RegionId> {
        let manual = self.manual_around(region);
        let found =
            self.shared_bodies.find(self.shared_hash(like, operands, manual), |(_, known)| {
                let parameters = &self.region(known.body).parameters;
                (&known.name, known.version, &known.attributes)
                    == (&like.name, like.version, &like.attributes)
                    && self.shapes(parameters)[..] == *operands
                    && self.manual_around(known.body) == manual
            });
        found.map(|(_, known)| known.body)
    }

    /// Lets later composites reuse the body of this one.
    pub(crate) fn share_body(&mut self, composite: Composite) {
        let operands = self.shapes(&self.region(composite.body).parameters);
        let hash = self.shared_hash(&composite, &operands, self.manual_around(composite.body));
        self.shared_bodies.insert_unique(hash, (hash, composite), |(hash, _)| *hash);
    }

    fn shared_hash(
        &self,
        composite: &Composite,
        operands: &[Shape],
        manual: Option<RegionId>,
    ) -> u64 {
        let Composite { name, version, attributes, .. } = composite;
        self.hasher.hash_one((name, version, attributes, operands, manual))
    }

    /// As [`add`](Self::add), with the result shapes given by the caller.
    pub(crate) fn add_of(
        &mut self,
        op: Op,
        operands: &[ValueId],
        region: RegionId,
        location: &'static Location<'static>,
        results: impl FnOnce(&Op, &Graph) -> Rule<Shapes>,
    ) -> Rule<NodeId> {
        let hash = op.is_mergeable().then(|| self.hash_of(&op, operands));
        if let Some(hash) = hash
            && let Some(found) = self.find_hashed(hash, &op, operands, region)
        {
            return Ok(found);
        }
        let shapes = results(&op, self)?;
        let id = self.push(op, operands, &shapes, region, location);
        if let Some(hash) = hash {
            let entry = MergedNode { hash, node: id };
            self.merged.insert_unique(hash, entry, |other| other.hash);
        }
        Ok(id)
    }

    pub(super) fn push(
        &mut self,
        op: Op,
        operands: &[ValueId],
        shapes: &[Shape],
        region: RegionId,
        location: &'static Location<'static>,
    ) -> NodeId {
        let id =
            NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes fit in memory"));
        let first_operand = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let first_result = self.values.len() as u32;
        for &shape in shapes {
            let shape = self.shapes.intern(shape);
            self.values.push(StoredValue { shape, node: id });
        }
        self.has_effects |= op.has_effect();
        self.nodes.push(Node {
            op,
            location,
            region,
            operands: first_operand..self.operands.len() as u32,
            results: first_result..self.values.len() as u32,
        });
        self.regions[region.index()].nodes.push(id);
        id
    }

    fn hash_of(&self, op: &Op, operands: &[ValueId]) -> u64 {
        self.hasher.hash_one((op, operands))
    }

    /// An identical node that is visible in the region, if there is one.
    pub(crate) fn find(&self, op: &Op, operands: &[ValueId], region: RegionId) -> Option<NodeId> {
        self.find_hashed(self.hash_of(op, operands), op, operands, region)
    }

    fn find_hashed(
        &self,
        hash: u64,
        op: &Op,
        operands: &[ValueId],
        region: RegionId,
    ) -> Option<NodeId> {
        let found = self.merged.find(hash, |candidate| {
            let node = self.node(candidate.node);
            candidate.hash == hash
                && node.op == *op
                && self.operands(candidate.node) == operands
                && self.encloses(node.region, region)
        });
        found.map(|found| found.node)
    }
}
