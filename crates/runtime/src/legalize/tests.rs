//! Tests of the list of passes against the table of defects, and of their effect on small programs.

use super::{PASSES, legalize};
use hloom_graph::{DType, DotDims, Graph, PerAxis, Spec, Tensor, TraceScope, record};
use hloom_pjrt::PlatformKind;
use std::{borrow::Cow, collections::HashMap};

/// A row of the table of defects.
struct Row {
    /// The remedy in Hloom, with the names of passes.
    instead: String,
    /// The first tested version without the defect, if an earlier version had it.
    until: Option<i32>,
}

/// The table, by the names of the defects.
fn defects() -> HashMap<String, Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/plugin-defects.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut rows = page.lines().filter(|line| line.starts_with('|')).map(cells);
    let head = rows.next().expect("a head");
    let version = |cell: &String| cell.strip_prefix("0.").and_then(|minor| minor.parse().ok());
    let versions: Vec<i32> = head[3..].iter().map(|cell| version(cell).expect(cell)).collect();
    let row = |cells: Vec<String>| {
        let last = cells[3..].iter().rposition(|cell| !cell.is_empty());
        let until = last.and_then(|last| versions.get(last + 1).copied());
        (cells[0].trim_matches('`').to_owned(), Row { instead: cells[2].clone(), until })
    };
    rows.skip(1).map(row).collect()
}

#[test]
fn every_pass_is_named_by_the_rows_of_its_defects() {
    let rows = defects();
    assert!(rows.len() > 30, "the page was read wrongly");
    for pass in PASSES {
        assert!(!pass.defects.is_empty(), "{} works around nothing", pass.name);
        for &defect in pass.defects {
            let row = rows.get(defect).unwrap_or_else(|| panic!("no test shows {defect}"));
            let name = format!("`{}`", pass.name);
            assert!(row.instead.contains(&name), "{defect} does not name the pass {name}");
        }
    }
}

#[test]
fn passes_end_with_their_defects() {
    let rows = defects();
    for pass in PASSES {
        // A pass is needed until the last of its defects ends.
        let ends: Option<Vec<i32>> = pass.defects.iter().map(|&name| rows[name].until).collect();
        let end = ends.and_then(|ends| ends.into_iter().max());
        assert_eq!(pass.until, end, "{}", pass.name);
        let kinds = [PlatformKind::Cpu, PlatformKind::Cuda];
        let platform = kinds.into_iter().find(|&kind| pass.is_needed(kind, None));
        let platform = platform.unwrap_or_else(|| panic!("{} is never needed", pass.name));
        let is_needed = |version| pass.is_needed(platform, version);
        assert!(is_needed(None) && is_needed(Some(0)), "{}", pass.name);
        if let Some(end) = end {
            assert!(is_needed(Some(end - 1)) && !is_needed(Some(end)), "{}", pass.name);
            // The versions of other plugins decide nothing.
            let of_another = |version| pass.is_needed(PlatformKind::Other, version);
            assert_eq!(of_another(Some(end)), of_another(None), "{}", pass.name);
        }
    }
    assert!(PASSES.iter().any(|pass| pass.until.is_some()));
}

fn traced(specs: &[Spec], function: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let trace = TraceScope::begin("test");
    let arguments: Vec<Tensor> = (specs.iter().enumerate())
        .map(|(i, spec)| trace.parameter(i.to_string(), spec, false))
        .collect();
    let results = function(&arguments).into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the test's shapes fit")
}

fn is_kept(graph: &Graph, platform: &str, version: Option<i32>) -> bool {
    matches!(legalize(graph, platform, version).expect("it was traced"), Cow::Borrowed(_))
}

#[test]
fn plugins_without_a_defect_get_the_graph_as_it_is() {
    let division = traced(&[Spec::i32([2])], |x| vec![x[0] / (x[0] + 1)]);
    assert!(!is_kept(&division, "cpu", Some(106)) && !is_kept(&division, "cpu", None));
    assert!(is_kept(&division, "cpu", Some(115)) && !is_kept(&division, "cuda", Some(115)));
    let specs = [Spec::f32([4, 64]), Spec::f32([64, 64])];
    let rows = traced(&specs, |x| {
        vec![x[0].dot_general(
            x[1],
            &[(1, 1)],
            &[] as &[(usize, usize)],
            hloom_graph::DotOptions::default(),
        )]
    });
    assert!(!is_kept(&rows, "cpu", None) && is_kept(&rows, "cuda", None));
    let matrix = || Spec::new(DType::BF16, [8, 8]);
    let narrow = traced(&[matrix(), matrix()], |x| vec![x[0].matmul(x[1])]);
    assert!(!is_kept(&narrow, "cpu", Some(106)) && is_kept(&narrow, "cpu", Some(115)));
    assert!(is_kept(&narrow, "cuda", None));
}

#[test]
fn sums_of_bf16_are_rounded_once() {
    let specs = [[2, 3], [3, 4]].map(|dims| Spec::new(DType::BF16, dims));
    let graph = traced(&specs, |x| vec![x[0].matmul(x[1]).exp()]);
    let legal = legalize(&graph, "cpu", Some(106)).expect("it was traced");
    let text = legal.to_string();
    assert!(text.contains("f32[2, 4]"), "{text}");
    assert_eq!(legal.shape(legal.root().results[0]).to_string(), "bf16[2, 4]");
}

#[test]
fn long_sums_over_several_axes_end_in_f64() {
    let legal = |sizes: [usize; 4], axes: &[usize]| {
        let graph = traced(&[Spec::f32(sizes)], |x| vec![x[0].sum(axes.to_vec())]);
        assert!(is_kept(&graph, "cpu", Some(115)) && is_kept(&graph, "cuda", None));
        let legal = legalize(&graph, "cpu", Some(106)).expect("it was traced").into_owned();
        (legal.shape(legal.root().results[0]).to_string(), legal.to_string())
    };
    for (sizes, axes, sums, result) in [
        ([4, 5, 6, 7], &[0, 2, 3][..], "f64[4, 5, 6]", "f32[5]"),
        ([6, 5, 6, 7], &[0, 1, 2], "f64[6, 5, 7]", "f32[7]"),
        ([12, 5, 12, 1], &[0, 2, 3], "f64[12, 5, 1]", "f32[5]"),
    ] {
        let (shape, text) = legal(sizes, axes);
        assert!(text.contains(sums), "{text}");
        assert_eq!(shape, result);
    }
    // Few elements, or a single axis.
    for (sizes, axes) in [([4, 5, 6, 5], &[0, 2, 3][..]), ([1, 5, 1, 512], &[0, 2, 3])] {
        assert!(!legal(sizes, axes).1.contains("f64"));
    }
}

#[test]
fn contracted_axes_that_follow_each_other_are_merged() {
    let specs = [Spec::f32([2, 3, 4, 5]), Spec::f32([3, 4, 2, 6])];
    let graph = traced(&specs, |x| {
        let dims = DotDims {
            left_contracting: PerAxis::collect([1, 2]),
            right_contracting: PerAxis::collect([0, 1]),
            left_batch: PerAxis::collect([0]),
            right_batch: PerAxis::collect([2]),
            ..DotDims::default()
        };
        record(dims, &[x[0], x[1]])
    });
    let legal = legalize(&graph, "cpu", None).expect("it was traced");
    let text = legal.to_string();
    assert!(text.contains("f32[2, 12, 5]") && text.contains("f32[12, 2, 6]"), "{text}");
    assert_eq!(legal.shape(legal.root().results[0]).to_string(), "f32[2, 5, 6]");
    assert!(is_kept(&graph, "cuda", None));
    // The last axes of the left operand, or axes in another order, stay.
    let kept = |left: [usize; 2], right: [usize; 2]| {
        let specs = [Spec::f32([3, 4, 4]), Spec::f32([4, 4, 3])];
        let graph = traced(&specs, |x| {
            let [left_contracting, right_contracting] = [left, right].map(PerAxis::collect);
            record(DotDims { left_contracting, right_contracting, ..DotDims::default() }, &x[..2])
        });
        is_kept(&graph, "cpu", Some(106))
    };
    assert!(kept([1, 2], [0, 1]) && kept([0, 1], [2, 0]));
}

#[test]
fn programs_without_a_defect_stay_as_they_are() {
    let specs = [Spec::f32([4]), Spec::i32([4]), Spec::new(DType::I4, [4])];
    let graph = traced(&specs, |x| {
        vec![x[0].exp() / x[0], x[1] / 3, x[1].max(0), x[2] + x[2], x[0].pow(2.0)]
    });
    assert!(is_kept(&graph, "cpu", None));
}

#[test]
fn replaced_ops_keep_the_line_of_the_user() {
    let graph = traced(&[Spec::new(DType::I4, [2])], |x| vec![x[0].pow(x[0])]);
    let legal = legalize(&graph, "cpu", None).expect("it was traced");
    assert!(legal.node_count() > 10, "{legal}");
    let line = graph.node(graph.value(graph.root().results[0]).node).location;
    for (_, node) in legal.nodes().skip(1) {
        assert_eq!(node.location.file(), line.file(), "{} at {}", node.op.name(), node.location);
    }
}

#[test]
fn only_updates_made_of_other_elements_are_selected() {
    let is_legal = |update: fn(Tensor) -> Tensor| {
        is_kept(&traced(&[Spec::f32([6])], |x| vec![update(x[0])]), "cpu", Some(115))
    };
    assert!(!is_legal(|x| x.at(0, 1..).set(x.slice(0, ..-1))));
    assert!(!is_legal(|x| x.at(0, 1..).set(x.exp().slice(0, ..-1) * 2)));
    assert!(!is_legal(|x| x.reshape([2, 3]).at(0, 1..).set(x.slice(0, ..3).reshape([1, 3]))));
    assert!(!is_legal(|x| x.dynamic_update_slice(x.reverse(0).slice(0, ..2), 0, 1)));
    // The elements that are overwritten, and those of another tensor.
    assert!(is_legal(|x| x.at(0, 1..).add(1)));
    assert!(is_legal(|x| x.dynamic_update_slice(x.dynamic_slice(0, 1, 2).exp(), 0, 1)));
    assert!(is_legal(|x| x.zeros_like().at(0, 1..).set(x.slice(0, ..-1))));
}

#[test]
fn quotients_of_quotients_keep_the_inner_one() {
    let legal = |function: fn(Tensor) -> Tensor| {
        let graph = traced(&[Spec::f32([4])], |x| vec![function(x[0])]);
        legalize(&graph, "cpu", Some(115)).expect("it was traced").to_string()
    };
    assert!(legal(|x| x / (x + 1) / x).contains("optimization_barrier"));
    assert!(legal(|x| x / (x / (x + 1))).contains("optimization_barrier"));
    assert!(!legal(|x| (x / (x + 1)) * x).contains("optimization_barrier"));
}
