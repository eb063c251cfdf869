//! The elements that the nearest interpolation takes, against the exact rule in whole numbers.

use hloom_graph::{Graph, Op, Spec, TraceScope};
use hloom_nn::{Interpolation, Resize};

/// All pairs of sizes up to this.
const MAX_SIZE: usize = 256;

/// The indices that an axis of `from` elements is resized by, for each size but its own.
fn indices(resize: Resize, from: usize) -> Vec<Vec<i32>> {
    let trace = TraceScope::begin("resize");
    let x = trace.parameter("x", &Spec::f32([("x", from)]), false);
    let sizes = (1..=MAX_SIZE).filter(|&to| to != from);
    let resized = sizes.map(|to| (to.to_string(), resize.forward(x, &[("x", to)]))).collect();
    let graph: Graph = trace.finish(resized).expect("every size is legal");
    let constants = graph.nodes().filter_map(|(_, node)| match &node.op {
        Op::Constant(literal) => Some(literal.bytes()),
        _ => None,
    });
    let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("four bytes"));
    constants.map(|bytes| bytes.chunks(4).map(number).collect()).collect()
}

/// Checks every pair of sizes against `rule`, of an index and both sizes.
fn check(resize: Resize, rule: impl Fn(usize, usize, usize) -> usize) {
    for from in 1..=MAX_SIZE {
        let found = indices(resize, from);
        assert_eq!(found.len(), MAX_SIZE - 1);
        let sizes = (1..=MAX_SIZE).filter(|&to| to != from);
        for (to, found) in sizes.zip(found) {
            let expected: Vec<i32> = (0..to).map(|i| rule(i, from, to) as i32).collect();
            assert_eq!(found, expected, "{from} to {to}");
        }
    }
}

#[test]
fn the_nearest_element_from_the_start_is_exact() {
    check(Resize::torch(Interpolation::Nearest), |i, from, to| i * from / to);
}

#[test]
fn the_nearest_element_from_the_middle_is_exact() {
    let middle = |i: usize, from: usize, to: usize| (2 * i + 1) * from / (2 * to);
    check(Resize { from_start: false, ..Resize::torch(Interpolation::Nearest) }, middle);
    check(Resize::jax(Interpolation::Nearest), middle);
}

#[test]
fn the_nearest_element_between_the_corners_is_exact() {
    let rounded = |i: usize, from: usize, to: usize| match to {
        1 => 0,
        // Half an element is rounded up.
        to => (2 * i * (from - 1) + to - 1) / (2 * (to - 1)),
    };
    let corners = Resize::jax(Interpolation::Nearest).align_corners();
    check(corners, rounded);
}
