//! Drawings of shardings.

use super::{CPUS, mesh};
use hloom_graph::Spec;
use hloom_runtime::Mesh;
use insta::assert_snapshot;

fn picture(mesh: &Mesh, spec: &Spec) -> String {
    let sharding = mesh.sharding(spec).expect("the spec fits the mesh");
    sharding.picture(&spec.shape()).to_string()
}

#[test]
fn a_matrix_is_split_into_rows_columns_or_both() {
    let line =
        Mesh::over(&CPUS, CPUS.devices()[..4].to_vec(), [("x", 4)]).expect("there are six devices");
    let matrix = Spec::f32([("in", 16), ("hidden", 64)]);
    assert_snapshot!(picture(&line, &matrix.clone().shard("hidden", "x")), @r"
    f32[in=16, hidden=64/x] on [x=4]
    ┌─────┬─────┬─────┬─────┐
    │  0  │  1  │  2  │  3  │
    └─────┴─────┴─────┴─────┘
    ");
    assert_snapshot!(picture(&line, &matrix.clone().shard("in", "x")), @r"
    f32[in=16/x, hidden=64] on [x=4]
    ┌─────┐
    │  0  │
    ├─────┤
    │  1  │
    ├─────┤
    │  2  │
    ├─────┤
    │  3  │
    └─────┘
    ");
    let grid = mesh([("x", 2), ("y", 3)]);
    let spec = Spec::f32([("a", 2), ("b", 3)]).shard("a", "x").shard("b", "y");
    assert_snapshot!(picture(&grid, &spec), @r"
    f32[a=2/x, b=3/y] on [x=2, y=3]
    ┌─────┬─────┬─────┐
    │  0  │  1  │  2  │
    ├─────┼─────┼─────┤
    │  3  │  4  │  5  │
    └─────┴─────┴─────┘
    ");
    // The mesh axes are drawn along the tensor axes.
    let spec = Spec::f32([("a", 3), ("b", 2)]).shard("a", "y").shard("b", "x");
    assert_snapshot!(picture(&grid, &spec), @r"
    f32[a=3/y, b=2/x] on [x=2, y=3]
    ┌─────┬─────┐
    │  0  │  3  │
    ├─────┼─────┤
    │  1  │  4  │
    ├─────┼─────┤
    │  2  │  5  │
    └─────┴─────┘
    ");
}

#[test]
fn a_vector_goes_to_the_right() {
    let grid = mesh([("x", 2), ("y", 3)]);
    assert_snapshot!(picture(&grid, &Spec::f32([("n", 12)]).shard("n", "x")), @r"
    f32[n=12/x] on [x=2, y=3]
    ┌─────────┬─────────┐
    │  0 1 2  │  3 4 5  │
    └─────────┴─────────┘
    ");
}

#[test]
fn all_but_the_last_axis_of_three_go_down() {
    let grid = mesh([("x", 2), ("y", 3)]);
    let spec = Spec::f32([("a", 6), ("b", 6), ("c", 6)]);
    assert_snapshot!(picture(&grid, &spec.clone().shard("a", "x").shard("c", "y")), @r"
    f32[a=6/x, b=6, c=6/y] on [x=2, y=3]
    ┌─────┬─────┬─────┐
    │  0  │  1  │  2  │
    ├─────┼─────┼─────┤
    │  3  │  4  │  5  │
    └─────┴─────┴─────┘
    ");
    assert_snapshot!(picture(&grid, &spec.clone().shard("b", "x")), @r"
    f32[a=6, b=6/x, c=6] on [x=2, y=3]
    ┌─────────┐
    │  0 1 2  │
    ├─────────┤
    │  3 4 5  │
    └─────────┘
    ");
    assert_snapshot!(picture(&grid, &spec.shard("a", "y").shard("b", "x")), @r"
    f32[a=6/y, b=6/x, c=6] on [x=2, y=3]
    ┌─────┐
    │  0  │
    ├─────┤
    │  3  │
    ├─────┤
    │  1  │
    ├─────┤
    │  4  │
    ├─────┤
    │  2  │
    ├─────┤
    │  5  │
    └─────┘
    ");
}

#[test]
fn two_mesh_axes_split_one_axis() {
    let grid = mesh([("x", 2), ("y", 3)]);
    let spec = Spec::f32([("a", 2), ("b", 12)]);
    assert_snapshot!(picture(&grid, &spec.clone().shard("b", ["x", "y"])), @r"
    f32[a=2, b=12/(x, y)] on [x=2, y=3]
    ┌─────┬─────┬─────┬─────┬─────┬─────┐
    │  0  │  1  │  2  │  3  │  4  │  5  │
    └─────┴─────┴─────┴─────┴─────┴─────┘
    ");
    assert_snapshot!(picture(&grid, &spec.shard("b", ["y", "x"])), @r"
    f32[a=2, b=12/(y, x)] on [x=2, y=3]
    ┌─────┬─────┬─────┬─────┬─────┬─────┐
    │  0  │  3  │  1  │  4  │  2  │  5  │
    └─────┴─────┴─────┴─────┴─────┴─────┘
    ");
}

#[test]
fn a_replicated_tensor_is_one_cell() {
    let grid = mesh([("x", 2), ("y", 3)]);
    assert_snapshot!(picture(&grid, &Spec::f32([("a", 2), ("b", 3)])), @r"
    f32[a=2, b=3] on [x=2, y=3]
    ┌───────────────┐
    │  0 1 2 3 4 5  │
    └───────────────┘
    ");
    let none: [usize; 0] = [];
    assert_snapshot!(picture(&grid, &Spec::f32(none)), @r"
    f32[] on [x=2, y=3]
    ┌───────────────┐
    │  0 1 2 3 4 5  │
    └───────────────┘
    ");
}
