//! Snapshots of the programs' text, and a check that they contain every op.

use crate::{programs, text, text_with};
use hloom_graph::{Binary, Direction, Graph, Op, Unary};
use hloom_stablehlo::{LowerOptions, Partitioner};
use std::collections::BTreeSet;

/// Compares a text with the snapshot of an op's name, so that a new op changes no other snapshot.
fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn programs_print_and_lower_to_their_snapshots() {
    let mut names = BTreeSet::new();
    for (name, graph) in programs::all() {
        assert!(names.insert(name), "two programs are called {name}");
        assert_snapshot(name, &format!("{graph}\n{}", text(&graph)));
    }
    // Without these, the snapshot of an op that was removed would stay.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots");
    for file in std::fs::read_dir(folder).expect("the snapshots are there") {
        let file = file.expect("a file").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(names.contains(name.trim_end_matches("_gspmd")), "no program is called {name}");
    }
}

#[test]
fn partitioned_programs_lower_to_gspmd_too() {
    let options = LowerOptions { partitioner: Partitioner::Gspmd, ..LowerOptions::default() };
    for (name, graph) in programs::over_mesh() {
        assert_snapshot(&format!("{name}_gspmd"), &text_with(&graph, options.clone()));
    }
}

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
    let variants: BTreeSet<&str> = ops.iter().map(Op::variant).collect();
    assert_eq!(variants, Op::ALL.iter().copied().collect());
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

#[test]
fn programs_recorded_again_are_the_same_programs() {
    for (name, graph) in programs::all() {
        let copy = graph.transform(&mut |_, _| None).expect(name);
        assert_eq!(copy.to_string(), graph.to_string(), "{name}");
        assert_eq!(copy.structure_hash(), graph.structure_hash(), "{name}");
        assert_eq!(text(&copy), text(&graph), "{name}");
        let copy = graph.rewrite(|_, _| None).expect(name);
        assert_eq!(text(&copy), text(&graph), "{name}");
    }
}
