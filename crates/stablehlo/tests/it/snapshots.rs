//! The text of the programs, and that they have every op.

use crate::{programs, text};
use hloom_graph::{Binary, Direction, Graph, Op, Unary};
use hloom_stablehlo::{Context, LowerOptions, Partitioner, lower};
use std::collections::BTreeSet;

#[test]
fn programs_lower_to_their_snapshots() {
    for (name, graph) in programs::all() {
        insta::assert_snapshot!(name, text(&graph));
    }
}

#[test]
fn graphs_print_as_their_snapshots() {
    for (name, graph) in programs::all() {
        insta::assert_snapshot!(format!("{name}_graph"), graph);
    }
}

#[test]
fn splits_lower_to_gspmd_too() {
    let options = LowerOptions {
        partitioner: Partitioner::Gspmd,
        has_broadcast: true,
        ..LowerOptions::default()
    };
    let context = Context::new();
    let module = lower(&context, &programs::sharding(), &options).expect("the module is sound");
    insta::assert_snapshot!("sharding_gspmd", module.text());
}

/// The number of an op that is not elementwise.
fn kind(op: &Op) -> usize {
    match op {
        Op::Parameter(_) => 0,
        Op::Constant(_) => 1,
        Op::Splat(_) => 2,
        Op::Iota(_) => 3,
        Op::Convert => 4,
        Op::BitcastConvert => 5,
        Op::Unary(_) => 6,
        Op::Binary(_) => 7,
        Op::Compare(_) => 8,
        Op::Select => 9,
        Op::Clamp => 10,
        Op::BroadcastInDim(_) => 11,
        Op::Reshape => 12,
        Op::Transpose(_) => 13,
        Op::Slice(_) => 14,
        Op::Pad(_) => 15,
        Op::Concatenate(_) => 16,
        Op::Reverse(_) => 17,
        Op::Dot(_) => 18,
        Op::Reduce(..) => 19,
        Op::ArgReduce(..) => 20,
        Op::Cumulative(..) => 21,
        Op::DynamicSlice(_) => 22,
        Op::DynamicUpdateSlice => 23,
        Op::Gather(_) => 24,
        Op::Sort { .. } => 25,
        Op::RngBits => 26,
        Op::While { .. } => 27,
        Op::Case(_) => 28,
        Op::OptimizationBarrier => 29,
        Op::CustomCall(_) => 30,
        Op::Constrain(_) => 31,
        Op::Manual(_) => 32,
        Op::TopK(_) => 33,
        Op::Collective(_) => KINDS - 1,
    }
}

const KINDS: usize = 35;

fn live_ops(graph: &Graph, region: hloom_graph::RegionId, all: &mut Vec<Op>) {
    let live = graph.live();
    for &node in graph.region(region).nodes.iter().filter(|node| live[node.index()]) {
        let op = &graph.node(node).op;
        all.push(op.clone());
        for inner in op.regions() {
            live_ops(graph, inner, all);
        }
    }
}

#[test]
fn programs_have_every_op() {
    let mut ops = Vec::new();
    for (_, graph) in programs::all() {
        live_ops(&graph, Graph::ROOT, &mut ops);
    }
    let kinds: BTreeSet<usize> = ops.iter().map(kind).collect();
    assert_eq!(kinds, (0..KINDS).collect());
    for &unary in Unary::ALL {
        assert!(ops.contains(&Op::Unary(unary)), "{unary:?}");
    }
    for &binary in Binary::ALL {
        assert!(ops.contains(&Op::Binary(binary)), "{binary:?}");
    }
    use Direction::{Eq, Ge, Gt, Le, Lt, Ne};
    for direction in [Eq, Ne, Lt, Le, Gt, Ge] {
        assert!(ops.contains(&Op::Compare(direction)), "{direction:?}");
    }
}
