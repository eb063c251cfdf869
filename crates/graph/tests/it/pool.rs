//! Shapes and errors of sliding windows and pooling.

use crate::traced::traced;
use hloom_graph::{
    DType, Graph, PerAxis, PoolOptions, Reduction, ScatterUpdate, Spec, Tensor, TraceError,
    TraceScope, WindowDims, reduce_window_by,
};

/// The function of `f32[channel=3, y=9, x=8]`.
fn graph(f: impl FnOnce(Tensor) -> Tensor) -> Result<Graph, TraceError> {
    let specs = [Spec::f32([("channel", 3), ("y", 9), ("x", 8)])];
    traced(TraceScope::begin("test"), specs, |[x]| f(x))
}

#[track_caller]
fn shape(f: impl FnOnce(Tensor) -> Tensor) -> String {
    let graph = graph(f).expect("the function is sound");
    graph.shape(graph.root().results[0]).to_string()
}

/// The first line of the error.
#[track_caller]
fn error(f: impl FnOnce(Tensor) -> Tensor) -> String {
    let text = graph(f).expect_err("the function is wrong").to_string();
    assert!(text.contains("tests/it/pool.rs"), "{text}");
    text.lines().next().unwrap_or_default().to_owned()
}

fn window(sizes: [usize; 3]) -> WindowDims {
    WindowDims::new(PerAxis::collect(sizes))
}

#[test]
fn windows_are_counted() {
    assert_eq!(shape(|x| x.max_pool(["y", "x"], 2)), "f32[channel=3, y=4, x=4]");
    assert_eq!(shape(|x| x.min_pool("x", [3])), "f32[channel=3, y=9, x=2]");
    assert_eq!(shape(|x| x.sum_pool(["x", "channel"], [8, 3])), "f32[channel=1, y=9, x=1]");
    let options = || PoolOptions::new(3).strides(2);
    assert_eq!(shape(|x| x.avg_pool([1, 2], options())), "f32[channel=3, y=4, x=3]");
    assert_eq!(shape(|x| x.avg_pool([1, 2], options().ceil(true))), "f32[channel=3, y=4, x=4]");
    assert_eq!(shape(|x| x.avg_pool([1, 2], options().padding(1))), "f32[channel=3, y=5, x=4]");
    assert_eq!(shape(|x| x.avg_pool([1, 2], options().dilation(4))), "f32[channel=3, y=1, x=0]");
    assert_eq!(shape(|x| x.adaptive_avg_pool(["y", "x"], [2, 4])), "f32[channel=3, y=2, x=4]");
    assert_eq!(shape(|x| x.adaptive_max_pool("y", 12)), "f32[channel=3, y=12, x=8]");
    let window = WindowDims { base_dilations: PerAxis::collect([2, 1, 1]), ..window([2, 1, 9]) };
    assert_eq!(shape(|x| x.reduce_window(Reduction::Max, window)), "f32[channel=4, y=9, x=0]");
}

type Function = fn(Tensor) -> Tensor;

#[test]
fn unsound_windows_are_errors() {
    let cases: [(&str, Function); 17] = [
        ("max_pool: there is no axis `z` in f32[channel=3, y=9, x=8]", |x| x.max_pool("z", 2)),
        ("max_pool: axis `y` is given twice", |x| x.max_pool(["y", "y"], 2)),
        ("max_pool: 3 sizes of a window for 2 axes: one for each is needed, or one for all", |x| {
            x.max_pool(["y", "x"], [1, 2, 3])
        }),
        (
            "max_pool: the size of a window is between 1 and 2147483647, not 0 as along axis `y`",
            |x| x.max_pool("y", 0),
        ),
        (
            "sum_pool: the stride of a window is between 1 and 2147483647, not 0 as along axis `y`",
            |x| x.sum_pool("y", PoolOptions::new(2).strides(0)),
        ),
        ("max_pool: takes integers, floats or bool, not c64", |x| {
            x.convert(DType::C64).max_pool("y", 2)
        }),
        ("avg_pool: takes floats or complex numbers, not i32; use `.convert(..)`", |x| {
            x.convert(DType::I32).avg_pool("y", 2)
        }),
        ("adaptive_avg_pool: axis `y` of size 9 is not pooled to 0 windows", |x| {
            x.adaptive_avg_pool("y", 0)
        }),
        ("adaptive_max_pool: axis `y` of size 9 is not pooled to 100000000 windows", |x| {
            x.adaptive_max_pool("y", 100_000_000)
        }),
        ("reduce_window: takes bool, not f32", |x| {
            x.reduce_window(Reduction::Any, window([1, 1, 1]))
        }),
        ("reduce_window: a window for each axis of f32[channel=3, y=9, x=8] is needed", |x| {
            x.reduce_window(Reduction::Sum, WindowDims::default())
        }),
        ("reduce_window_by: the body is given f32[] as tensor 0 and returns f64[]", |x| {
            let zero = Tensor::scalar(0, DType::F32);
            reduce_window_by(x, zero, window([1, 2, 2]), |a, b| (a + b).convert(DType::F64))
        }),
        ("reduce_window_by: the initial value is i32[], not f32[]", |x| {
            let zero = Tensor::scalar(0, DType::I32);
            reduce_window_by(x, zero, window([1, 2, 2]), |a, b| a + b)
        }),
        (
            "select_and_scatter: the source has one element for each window, f32[channel=3, y=8, \
             x=7], not f32[channel=3, y=9, x=8]",
            |x| {
                let add = ScatterUpdate::Add;
                x.select_and_scatter(x, 0, window([1, 2, 2]), |a, b| a.ge(b), add)
            },
        ),
        ("select_and_scatter: a source of i32 for a tensor of f32; use `.convert(..)`", |x| {
            let source = x.convert(DType::I32);
            let add = ScatterUpdate::Add;
            x.select_and_scatter(source, 0, window([1, 1, 1]), |a, b| a.ge(b), add)
        }),
        ("max_pool_with_indices: c64 numbers have no order", |x| {
            x.convert(DType::C64).max_pool_with_indices("y", 2).1
        }),
        ("reduce_window_by: there is nothing to combine", |x| {
            let window = window([1, 2, 2]);
            reduce_window_by(Vec::new(), Vec::new(), window, |a, _| a).pop().unwrap_or(x)
        }),
    ];
    for (expected, f) in cases {
        assert_eq!(error(f), expected);
    }
}

#[test]
fn averages_are_divided_once_where_windows_are_full() {
    let divisions = |options: PoolOptions| {
        let graph = graph(|x| x.avg_pool(["y", "x"], options)).expect("it is sound");
        graph.to_string().matches(" div ").count()
    };
    assert_eq!(divisions(PoolOptions::new(2)), 1);
    assert_eq!(divisions(PoolOptions::new(3).padding(1)), 1);
    assert!(divisions(PoolOptions::new(3).padding(1).count_padding(false)) > 2);
}
