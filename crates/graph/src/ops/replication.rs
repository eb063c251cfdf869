//! Replication inside of `manual`: the mesh axes along which the devices' values may differ.

use crate::{Collective, Graph, Node, NodeId, Op, RegionId, ResolvedSharding, ValueId};
use std::collections::HashMap;

/// A set of mesh axes, one bit for each.
pub(super) type MeshAxes = u64;

/// The mesh axes that split a value, without those of size 1.
pub(super) fn splitting(sharding: &ResolvedSharding, sizes: &[usize]) -> MeshAxes {
    let axes = (0..sharding.rank()).flat_map(|axis| sharding.splits(axis));
    let axes = axes.map(|split| usize::from(split.mesh_axis));
    set(axes.filter(|&axis| sizes.get(axis).is_some_and(|&size| size > 1)))
}

/// The mesh axes along which the results of a manual body may differ, for parameters that differ
/// along `parameters`.
pub(super) fn varying(
    graph: &Graph,
    body: RegionId,
    parameters: &[MeshAxes],
    sizes: &[usize],
) -> Vec<MeshAxes> {
    let single = set((0..sizes.len()).filter(|&axis| sizes[axis] <= 1));
    let mut replication =
        Replication { graph, varies: HashMap::new(), loops: HashMap::new(), calls: HashMap::new() };
    let results = replication.region(body, parameters);
    results.into_iter().map(|axes| axes & !single).collect()
}

fn set(axes: impl IntoIterator<Item = usize>) -> MeshAxes {
    axes.into_iter().fold(0, |all, axis| all | 1 << axis)
}

fn union(axes: &[MeshAxes]) -> MeshAxes {
    axes.iter().fold(0, |all, axes| all | axes)
}

/// The axes along which values may differ. A value that is not in the map is the same on all
/// devices.
struct Replication<'a> {
    graph: &'a Graph,
    varies: HashMap<ValueId, MeshAxes>,
    /// The carried values of loops so far. The sets only grow while an enclosing loop is analysed
    /// again: starting from them makes nested loops take linear time.
    loops: HashMap<NodeId, Vec<MeshAxes>>,
    /// The results of bodies of composites, which several nodes may have.
    calls: HashMap<(RegionId, Vec<MeshAxes>), Vec<MeshAxes>>,
}

impl Replication<'_> {
    /// The results of a region whose parameters differ along `parameters`.
    fn region(&mut self, id: RegionId, parameters: &[MeshAxes]) -> Vec<MeshAxes> {
        let graph = self.graph;
        let region = graph.region(id);
        self.varies.extend(region.parameters.iter().copied().zip(parameters.iter().copied()));
        for &id in &region.nodes {
            let node = graph.node(id);
            if matches!(node.op, Op::Parameter(_)) {
                continue;
            }
            let results: Vec<ValueId> = graph.node_results(id).collect();
            let varies = self.node(id, node, results.len());
            self.varies.extend(results.into_iter().zip(varies));
        }
        self.values(&region.results)
    }

    fn values(&self, values: &[ValueId]) -> Vec<MeshAxes> {
        values.iter().map(|value| self.varies.get(value).copied().unwrap_or(0)).collect()
    }

    /// The results of a node.
    fn node(&mut self, id: NodeId, node: &Node, count: usize) -> Vec<MeshAxes> {
        let operands = self.values(self.graph.operands(id));
        match &node.op {
            Op::Collective(collective) => vec![after(collective, union(&operands))],
            Op::ForLoop(op) => self.carried(id, operands, |own, carried| {
                own.region(op.body, &[&[0], carried].concat())
            }),
            Op::While(op) => self.carried(id, operands, |own, carried| {
                // Devices that stop after different numbers of steps have different results.
                let runs = union(&own.region(op.cond, carried));
                own.region(op.body, carried).into_iter().map(|axes| axes | runs).collect()
            }),
            Op::Scan(op) => {
                let (start, sources) = operands.split_at(op.carried);
                let mut stacked = Vec::new();
                let mut carried = self.carried(id, start.to_vec(), |own, carried| {
                    let mut results = own.region(op.body, &[carried, sources].concat());
                    stacked = results.split_off(op.carried);
                    results
                });
                carried.extend(stacked);
                carried
            }
            Op::Case(op) => {
                let mut results = vec![union(&operands); count];
                for &branch in &op.branches {
                    for (result, own) in results.iter_mut().zip(self.region(branch, &[])) {
                        *result |= own;
                    }
                }
                results
            }
            Op::Composite(op) => self.call(op.body, operands),
            op => {
                // Regions of reductions and sorts combine any elements of all operands.
                let mut all = union(&operands);
                for region in op.regions() {
                    let parameters = vec![all; self.graph.region(region).parameters.len()];
                    all |= union(&self.region(region, &parameters));
                }
                vec![all; count]
            }
        }
    }

    /// The results of the body of a composite, which uses only its own arguments.
    fn call(&mut self, body: RegionId, operands: Vec<MeshAxes>) -> Vec<MeshAxes> {
        let key = (body, operands);
        if let Some(known) = self.calls.get(&key) {
            return known.clone();
        }
        // The state for other arguments of the same body does not apply to these.
        let loops = std::mem::take(&mut self.loops);
        let results = self.region(body, &key.1);
        self.loops = loops;
        self.calls.insert(key, results.clone());
        results
    }

    /// The carried values of a loop: those before the first step and after each one.
    fn carried(
        &mut self,
        id: NodeId,
        start: Vec<MeshAxes>,
        mut step: impl FnMut(&mut Self, &[MeshAxes]) -> Vec<MeshAxes>,
    ) -> Vec<MeshAxes> {
        let both = |a: &[MeshAxes], b: &[MeshAxes]| -> Vec<MeshAxes> {
            a.iter().zip(b).map(|(a, b)| a | b).collect()
        };
        let mut carried = self.loops.get(&id).map_or(start.clone(), |known| both(known, &start));
        loop {
            let after = step(self, &carried);
            let more = both(&carried, &after);
            if more == carried {
                self.loops.insert(id, more.clone());
                return more;
            }
            carried = more;
        }
    }
}

/// The result of a collective of a value that differs along `axes`.
fn after(collective: &Collective, axes: MeshAxes) -> MeshAxes {
    let over = set(collective.over().iter().copied());
    match collective {
        Collective::AllReduce { .. }
        | Collective::AllGather { .. }
        | Collective::Broadcast { .. } => axes & !over,
        Collective::ReduceScatter { .. }
        | Collective::AllToAll { .. }
        | Collective::Permute { .. }
        | Collective::AxisIndex(_) => axes | over,
    }
}
