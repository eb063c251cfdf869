//! Bodies that replace their ops.

use super::{BisectedProgram, edit::root_ops};
use crate::{Array, Interpreter};
use hloom_graph::{Graph, NodeId, Op, RegionId, ValueId};
use std::collections::BTreeMap;

/// A body that replaces its op outside of bodies.
#[derive(Clone)]
pub(super) struct Inline {
    pub op: NodeId,
    pub body: RegionId,
    /// The arguments of the body, which become inputs; without them it takes the op's operands.
    pub arguments: Option<Vec<Array>>,
}

/// The bodies that can replace ops of a program: those of composites, the branches that are taken,
/// and the steps of loops, of which the first one, the second one and the last one are tried.
pub(super) fn inlines(
    program: &BisectedProgram,
    interpreter: &mut Interpreter<'_>,
    values: &BTreeMap<ValueId, Array>,
) -> Vec<Inline> {
    let graph = &program.graph;
    let mut all = Vec::new();
    for op in root_ops(graph) {
        let (body, takes_operands) = match &graph.node(op).op {
            Op::Composite(composite) => {
                all.push(Inline { op, body: composite.body, arguments: None });
                continue;
            }
            Op::Case(case) => {
                let index = values.get(&graph.operands(op)[0]);
                let last = case.branches.len() - 1;
                let taken = index.map(|index| usize::try_from(index.scalar().int()));
                let taken = taken.map(|taken| taken.map_or(last, |taken| taken.min(last)));
                let body = taken.map(|taken| case.branches[taken]);
                all.extend(body.map(|body| Inline { op, body, arguments: None }));
                continue;
            }
            Op::ForLoop(repeat) => (repeat.body, true),
            Op::While(repeat) => (repeat.body, false),
            Op::Scan(scan) => (scan.body, false),
            _ => continue,
        };
        if takes_operands {
            all.push(Inline { op, body, arguments: None });
        }
        let steps = interpreter.steps(graph, &program.inputs, body).unwrap_or_default();
        let step = |arguments| Inline { op, body, arguments: Some(arguments) };
        all.extend(steps.into_iter().map(step));
    }
    all
}

/// The stacked results of a scan, which a single step does not have.
pub(super) fn stacked(graph: &Graph, op: NodeId) -> Vec<ValueId> {
    match &graph.node(op).op {
        Op::Scan(scan) => graph.node_results(op).skip(scan.carried).collect(),
        _ => Vec::new(),
    }
}
