//! Shapes and errors of gathers and scatters.

use crate::traced::traced;
use hloom_graph::{
    DType, GatherDims, Graph, PerAxis, ScatterDims, ScatterUpdate, Spec, Tensor, TraceError,
    TraceScope, scatter_by,
};

/// The function of a table, `f32[row=8, width=4]`, and three indices, `i32[n=3]`.
fn graph(f: impl FnOnce(Tensor, Tensor) -> Tensor) -> Result<Graph, TraceError> {
    let specs = [Spec::f32([("row", 8), ("width", 4)]), Spec::i32([("n", 3)])];
    traced(TraceScope::begin("test"), specs, |[x, i]| f(x, i))
}

#[track_caller]
fn shape(f: impl FnOnce(Tensor, Tensor) -> Tensor) -> String {
    let graph = graph(f).expect("the function is sound");
    graph.shape(graph.root().results[0]).to_string()
}

/// The first line of the error.
#[track_caller]
fn error(f: impl FnOnce(Tensor, Tensor) -> Tensor) -> String {
    let text = graph(f).expect_err("the function is wrong").to_string();
    assert!(text.contains("tests/it/scatter.rs"), "{text}");
    text.lines().next().unwrap_or_default().to_owned()
}

/// The rows at scalar indices.
fn rows() -> GatherDims {
    GatherDims {
        offset_dims: PerAxis::collect([1]),
        collapsed_slice_dims: PerAxis::collect([0]),
        start_index_map: PerAxis::collect([0]),
        index_vector_dim: 1,
        slice_sizes: PerAxis::collect([1, 4]),
        ..GatherDims::default()
    }
}

#[test]
fn selected_axes_are_replaced_or_come_first() {
    assert_eq!(shape(|x, i| x.at("row", i).get()), "f32[n=3, width=4]");
    assert_eq!(shape(|x, i| x.at("width", i).get()), "f32[row=8, n=3]");
    assert_eq!(shape(|x, i| x.at("row", i).at("width", i).get()), "f32[n=3]");
    assert_eq!(shape(|x, i| x.at("row", i).at("width", 1..).get()), "f32[n=3, width=3]");
    assert_eq!(shape(|x, i| x.at("row", i).at("width", -1).get_or(0)), "f32[n=3]");
    assert_eq!(shape(|x, _| x.at("row", 2).get()), "f32[width=4]");
    assert_eq!(shape(|x, _| x.at("row", ..=-2).at(1, 0usize).get()), "f32[row=7]");
    assert_eq!(shape(|x, i| x.at(0, i.rename("n", "row")).get()), "f32[row=3, width=4]");
}

#[test]
fn indices_that_are_not_adjacent_come_first() {
    let spec = Spec::f32([("a", 2), ("b", 3), ("c", 4)]);
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &spec, false);
    let i = trace.parameter("i", &Spec::i32([("n", 5)]), false);
    assert_eq!(x.at("a", i).at("c", i).get().shape().to_string(), "f32[n=5, b=3]");
    assert_eq!(x.at("b", i).at("c", i).get().shape().to_string(), "f32[a=2, n=5]");
    assert_eq!(x.at("a", 1).at("c", i).get().shape().to_string(), "f32[n=5, b=3]");
    let batched = trace.parameter("j", &Spec::i32([("n", 5), ("b", 3)]), false);
    assert_eq!(x.at("c", batched).get().shape().to_string(), "f32[n=5, b=3, a=2]");
}

#[test]
fn updates_keep_the_shape_and_names_of_the_tensor() {
    let table = "f32[row=8, width=4]";
    assert_eq!(shape(|x, i| x.index_add(i, 1, "row")), table);
    assert_eq!(shape(|x, i| x.at("row", i).at("width", 1..3).max(0.5)), table);
    assert_eq!(shape(|x, _| x.at("row", 3).at("width", -2..).mul(2)), table);
    assert_eq!(shape(|x, _| x.at("row", 3).set(x.index(0, 1))), table);
    assert_eq!(shape(|x, i| x.index_set(i, x.index(0, 1), "row")), table);
    assert_eq!(
        shape(|x, i| x.scatter_along(i.broadcast_to([("n", 3), ("w", 4)]), 0, "row")),
        table
    );
    // Updates may have their axes in another order.
    assert_eq!(shape(|x, i| x.index_add(i, x.take(i, 0).transpose(["width", "n"]), 0)), table);
}

#[test]
fn a_known_place_needs_no_scatter() {
    let text = graph(|x, _| x.at("row", 1..3).add(1)).expect("it is sound").to_string();
    assert!(text.contains("dynamic_update_slice") && !text.contains("scatter"), "{text}");
    let text = graph(|x, _| x.at("row", ..).add(1)).expect("it is sound").to_string();
    assert!(!text.contains("slice"), "{text}");
}

#[test]
fn errors_of_selections_name_the_axis() {
    for (found, expected) in [
        (
            error(|x, _| x.at("column", 1).get()),
            "at.get: there is no axis `column` in f32[row=8, width=4]",
        ),
        (
            error(|x, _| x.at("row", 8).set(0)),
            "at.set: index 8 is out of range for axis `row` of size 8",
        ),
        (
            error(|x, _| x.at("row", -9).get_or(0)),
            "at.get_or: index -9 is out of range for axis `row` of size 8",
        ),
        (
            error(|x, _| x.at("row", 2..9).add(0)),
            "at.add: the range 2..9 does not lie in axis `row` of size 8",
        ),
        (error(|x, i| x.at("row", i).at(0, i).mul(0)), "at.mul: axis 0 is given twice"),
        (error(|x, _| x.at("row", x).max(0)), "at.max: indices are integers, not f32"),
        (
            error(|x, i| x.at("row", i).min(i)),
            "at.min: element types f32 and i32 differ; use `.convert(..)`",
        ),
        (
            error(|x, i| x.at("row", i).set(x)),
            "at.set: updates f32[row=8, width=4] are not those of f32[n=3, width=4]",
        ),
        (
            error(|x, i| x.at("row", i.rename(0, "width")).at("width", 1..).get()),
            "at.get: axis `width` is also one of the indices, and only a range of it is selected",
        ),
        (
            error(|x, i| x.at("row", i).at("width", i.rename(0, "m")).get()),
            "at.get: `m` is only right, `n` only left; rename one, or write `outer(..)`",
        ),
        (
            error(|x, i| x.index_add(i, 1, "column")),
            "index_add: there is no axis `column` in f32[row=8, width=4]",
        ),
        (
            error(|x, i| x.index_set(i, x, "row")),
            "index_set: updates f32[row=8, width=4] are not those of f32[n=3, width=4]",
        ),
        (error(|x, i| x.index_mul(x, i, 0)), "index_mul: indices are integers, not f32"),
        (
            error(|x, i| x.ge(0).index_add(i, true, 0)),
            "index_add: takes numbers, not bool; use `max`, which is `or`, or `.convert(..)`",
        ),
        (
            error(|x, i| x.complex(x).index_max(i, 0, 0)),
            "index_max: takes integers, floats or bool, not c64",
        ),
        (
            error(|x, i| x.scatter_along(i, 1, 0)),
            "scatter_along: f32[row=8, width=4] and i32[n=3] differ in more than the size of axis 0",
        ),
        (
            error(|x, i| x.scatter_along_add(x.slice(0, ..3).convert(i.dtype()), x, 0)),
            "scatter_along_add: updates f32[row=8, width=4] are not those of f32[row=3, width=4]",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn errors_of_dimension_numbers_name_the_list() {
    let gathered = |change: fn(&mut GatherDims)| {
        let mut dims = rows();
        change(&mut dims);
        error(|x, i| x.gather(i, dims))
    };
    for (found, expected) in [
        (
            gathered(|d| d.index_vector_dim = 2),
            "gather: index_vector_dim is 2, and the indices i32[n=3] have 1 axes",
        ),
        (
            gathered(|d| d.index_vector_dim = 0),
            "gather: start_index_map [0] lists 1 axes for index vectors of 3 elements",
        ),
        (
            gathered(|d| d.start_index_map = PerAxis::collect([2])),
            "gather: start_index_map [2]: there is no axis 2 among the 2 of the operand",
        ),
        (
            gathered(|d| d.collapsed_slice_dims = PerAxis::collect([0, 0])),
            "gather: collapsed_slice_dims [0, 0] list axis 0 twice",
        ),
        (
            gathered(|d| d.collapsed_slice_dims = PerAxis::collect([1, 0])),
            "gather: collapsed_slice_dims [1, 0] are not in ascending order",
        ),
        (
            gathered(|d| d.collapsed_slice_dims = PerAxis::new()),
            "gather: offset_dims, collapsed_slice_dims and operand_batching_dims list 1 axes for the 2 axes of the operand",
        ),
        (
            gathered(|d| d.operand_batching_dims = PerAxis::collect([0])),
            "gather: axis 0 is in collapsed_slice_dims and in operand_batching_dims",
        ),
        (
            gathered(|d| d.offset_dims = PerAxis::collect([2])),
            "gather: offset_dims [2]: there is no axis 2 among the 2 of the result",
        ),
        (
            gathered(|d| d.slice_sizes = PerAxis::collect([1])),
            "gather: slice_sizes [1] are not one for each of the 2 axes of f32[row=8, width=4]",
        ),
        (
            gathered(|d| d.slice_sizes = PerAxis::collect([2, 4])),
            "gather: the result drops axis `row`: its slice size is 1, not 2",
        ),
        (
            gathered(|d| d.slice_sizes = PerAxis::collect([1, 5])),
            "gather: slices of 5 along axis `width` of size 4",
        ),
        (
            error(|x, i| x.gather_or(x, rows(), i.rank())),
            "gather_or: indices are integers, not f32 (in gather)",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn errors_of_scatters_name_the_axes_of_both() {
    let dims = || rows().to_scatter();
    let scattered = |updates: fn(Tensor) -> Tensor, dims: ScatterDims| {
        error(|x, i| x.scatter(i, updates(x), dims, ScatterUpdate::Add))
    };
    for (found, expected) in [
        (
            scattered(|x| x, dims()),
            "scatter: axis `row` of the updates has size 8, axis `n` of the indices 3",
        ),
        (
            scattered(|x| x.slice(0, ..3).broadcast_to([2, 3, 4]).reshape([3, 8]), dims()),
            "scatter: slices of 8 (axis 1 of the updates) along axis `width` of size 4",
        ),
        (
            scattered(|x| x.slice(0, ..3).convert(DType::F64), dims()),
            "scatter: element types f32 of the operand and f64 of the updates differ; use `.convert(..)`",
        ),
        (
            scattered(|x| x.insert_axis(0, "z"), dims()),
            "scatter: the updates have 3 axes, not the 1 batch axes of the indices and the 1 of update_window_dims",
        ),
        (
            scattered(
                |x| x,
                ScatterDims {
                    input_batching_dims: PerAxis::collect([0]),
                    inserted_window_dims: PerAxis::new(),
                    scatter_indices_batching_dims: PerAxis::collect([0]),
                    scatter_dims_to_operand_dims: PerAxis::collect([1]),
                    ..dims()
                },
            ),
            "scatter: batch axis `row` has size 8 in the operand and 3 in the indices",
        ),
        (
            error(|x, i| {
                scatter_by((x, x), i, (x, x), dims(), |old, new| (old.0 + new.1, old.1)).0
            }),
            "scatter_by: axis `row` of the updates has size 8, axis `n` of the indices 3",
        ),
        (
            error(|x, i| {
                let updates = x.slice(0, ..3);
                scatter_by(x, i, updates, dims(), |old, new| (old + new).convert(DType::F64))
            }),
            "scatter_by: the body is given f32[] as tensor 0 and returns f64[]",
        ),
        (
            error(|x, i| scatter_by(vec![x, x], i, vec![x], dims(), |old, _| old)[0]),
            "scatter_by: 2 tensors and 1 updates",
        ),
        (
            error(|_, i| {
                scatter_by(Vec::new(), i, Vec::new(), dims(), |old, _| old).pop().unwrap_or(i)
            }),
            "scatter_by: there is nothing to scatter to",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn errors_of_searches_and_counts_tell_what_they_take() {
    for (found, expected) in [
        (
            error(|x, i| x.searchsorted(i, false)),
            "searchsorted: takes elements along one axis, not f32[row=8, width=4]",
        ),
        (
            error(|x, i| i.searchsorted(x, true)),
            "searchsorted: element types i32 and f32 differ; use `.convert(..)`",
        ),
        (error(|x, i| x.isin(i)), "isin: element types f32 and i32 differ; use `.convert(..)`"),
        (error(|x, _| x.complex(x).isin(x.complex(x))), "isin: complex numbers have no order"),
        (error(|x, _| x.bincount("bin", 3)), "bincount: indices are integers, not f32"),
        (
            error(|x, i| x.histogram(i.slice(0, ..1))),
            "histogram: two edges or more bound a range, not i32[n=1]",
        ),
        (error(|x, _| x.nonzero("n", 3, 0)[0]), "nonzero: takes bool, not f32; use `.ne(0)`"),
        (error(|x, _| x.complex(x).unique("n", 3, 0)), "unique: complex numbers have no order"),
    ] {
        assert_eq!(found, expected);
    }
    assert_eq!(shape(|x, _| x.index(0, 0).searchsorted(x, true)), "i32[row=8, width=4]");
    assert_eq!(shape(|x, _| x.isin(x.index(0, 0))), "bool[row=8, width=4]");
    assert_eq!(shape(|_, i| i.bincount("bin", 9)), "i32[bin=9]");
    assert_eq!(shape(|x, _| x.unique("distinct", 9, 0)), "f32[distinct=9]");
    assert_eq!(shape(|x, _| x.ge(0).nonzero("n", 9, 0)[1]), "i32[n=9]");
}
