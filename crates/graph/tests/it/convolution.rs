//! Shapes and errors of convolutions.

use crate::traced::traced;
use hloom_graph::{
    ConvDims, ConvOptions, DType, Graph, Padding, PerAxis, Spec, Tensor, TraceError, TraceScope,
};

/// The function of an input, `f32[batch=2, in=4, y=9, x=8]`, and a kernel,
/// `f32[out=6, in=4, y=3, x=2]`.
fn graph(f: impl FnOnce(Tensor, Tensor) -> Tensor) -> Result<Graph, TraceError> {
    let specs = [
        Spec::f32([("batch", 2), ("in", 4), ("y", 9), ("x", 8)]),
        Spec::f32([("out", 6), ("in", 4), ("y", 3), ("x", 2)]),
    ];
    traced(TraceScope::begin("test"), specs, |[x, kernel]| f(x, kernel))
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
    assert!(text.contains("tests/it/convolution.rs"), "{text}");
    text.lines().next().unwrap_or_default().to_owned()
}

fn options() -> ConvOptions {
    ConvOptions::new()
}

#[test]
fn the_features_of_the_kernel_take_the_place_of_the_inputs() {
    let expected = "f32[batch=2, out=6, y=7, x=7]";
    assert_eq!(shape(|x, k| x.conv2d(k, options())), expected);
    assert_eq!(shape(|x, k| x.conv(k, "in", ["y", "x"], options())), expected);
    assert_eq!(shape(|x, k| x.conv(k, "in", ["x", "y"], options())), expected);
    assert_eq!(shape(|x, k| x.conv_general(k, ConvDims::new(2))), expected);
    assert_eq!(
        shape(|x, k| {
            let x = x.transpose(["y", "in", "x", "batch"]);
            x.conv(k.transpose(["x", "y", "in", "out"]), "in", ["y", "x"], options())
        }),
        "f32[y=7, out=6, x=7, batch=2]"
    );
    // The name of the input's features is kept if the kernel has none.
    let unnamed = |k: Tensor| k.named(["_", "_", "_", "_"]);
    assert_eq!(shape(|x, k| x.conv2d(unnamed(k), options())), "f32[batch=2, in=6, y=7, x=7]");
}

#[test]
fn an_input_has_any_number_of_batch_axes() {
    let one = |k: Tensor| k.index("y", 0);
    assert_eq!(shape(|x, k| x.conv(one(k), "in", "x", options())), "f32[batch=2, out=6, y=9, x=7]");
    assert_eq!(shape(|x, k| x.index("batch", 0).conv2d(k, options())), "f32[out=6, y=7, x=7]");
    assert_eq!(
        shape(|x, k| x.insert_axis(0, "time").conv2d(k, options())),
        "f32[time=1, batch=2, out=6, y=7, x=7]"
    );
}

#[test]
fn windows_are_counted() {
    let of = |options: ConvOptions| shape(|x, k| x.conv2d(k, options));
    assert_eq!(of(options().strides([2, 3])), "f32[batch=2, out=6, y=4, x=3]");
    assert_eq!(of(options().padding(1)), "f32[batch=2, out=6, y=9, x=9]");
    assert_eq!(of(options().padding([(0, 1), (-2, 1)])), "f32[batch=2, out=6, y=8, x=6]");
    assert_eq!(of(options().dilation(4)), "f32[batch=2, out=6, y=1, x=4]");
    assert_eq!(of(options().dilation(5)), "f32[batch=2, out=6, y=0, x=3]");
    for padding in [Padding::Same, Padding::SameLower] {
        assert_eq!(of(options().padding(padding.clone())), "f32[batch=2, out=6, y=9, x=8]");
        assert_eq!(
            of(options().padding(padding).strides(4).dilation(2)),
            "f32[batch=2, out=6, y=3, x=2]"
        );
    }
    assert_eq!(of(options().padding(Padding::Causal)), "f32[batch=2, out=6, y=9, x=8]");
}

#[test]
fn a_transposed_convolution_has_the_shape_of_the_input_of_the_other() {
    let turned = |k: Tensor| k.transpose(["in", "out", "y", "x"]);
    let of = |options: ConvOptions| shape(|x, k| x.conv_transpose2d(turned(k), options));
    assert_eq!(of(options()), "f32[batch=2, out=6, y=11, x=9]");
    assert_eq!(of(options().strides(2)), "f32[batch=2, out=6, y=19, x=16]");
    assert_eq!(
        of(options().strides(2).padding(1).output_padding(1)),
        "f32[batch=2, out=6, y=18, x=15]"
    );
    assert_eq!(of(options().strides(3).padding(Padding::Same)), "f32[batch=2, out=6, y=27, x=24]");
    assert_eq!(of(options().groups(2)), "f32[batch=2, out=12, y=11, x=9]");
    assert_eq!(
        shape(|x, k| x.conv_transpose(k, "in", ["y", "x"], options())),
        "f32[batch=2, out=6, y=11, x=9]"
    );
}

/// A function of an input and a kernel.
type Function = fn(Tensor, Tensor) -> Tensor;

#[test]
fn unsound_convolutions_are_errors() {
    let cases: [(&str, Function); 18] = [
        ("conv2d: the input has 3 features along axis `in`, the kernel takes 4", |x, k| {
            x.slice("in", ..3).conv2d(k, options())
        }),
        (
            "conv2d: the input has 4 features along axis `in`, the kernel takes 4 in each of 2 \
             groups",
            |x, k| x.conv2d(k, options().groups(2)),
        ),
        ("conv2d: axis `out` of size 5 has no 2 groups of equal size", |x, k| {
            x.conv2d(k.slice("in", ..2).slice("out", ..5), options().groups(2))
        }),
        (
            "conv2d: 0 groups of features and 1 of the batch: both are at least 1, and one of them \
             is 1",
            |x, k| x.conv2d(k, options().groups(0)),
        ),
        (
            "conv3d: the kernel has 4 axes: two of features and 3 spatial ones are expected",
            |x, k| x.conv3d(k, options()),
        ),
        (
            "conv3d: the input has 3 axes: one of features and 3 spatial ones are expected at its \
             end",
            |x, k| x.index("batch", 0).conv3d(k, options()),
        ),
        ("conv: there is no axis `z` in f32[batch=2, in=4, y=9, x=8]", |x, k| {
            x.conv(k, "in", ["z", "x"], options())
        }),
        (
            "conv: the kernel has 4 axes: those given, 2, and one of the features of the result \
             are expected",
            |x, k| x.conv(k, "in", "x", options()),
        ),
        ("conv: axis `in` is given twice", |x, k| x.conv(k, "in", ["in", "x"], options())),
        ("conv2d: 3 strides for 2 axes: one for each is needed, or one for all", |x, k| {
            x.conv2d(k, options().strides([1, 2, 3]))
        }),
        ("conv2d: 0 pairs of edges for 2 axes: one for each is needed, or one for all", |x, k| {
            x.conv2d(k, options().padding(Padding::Explicit(Vec::new())))
        }),
        (
            "conv2d: the stride of a window is between 1 and 2147483647, not 0 as along axis `y`",
            |x, k| x.conv2d(k, options().strides(0)),
        ),
        (
            "conv2d: the size of a window is between 1 and 2147483647, not 0 as along axis `x`",
            |x, k| x.conv2d(k.slice("x", ..0), options()),
        ),
        ("conv2d: padding axis `y` of size 9 by -5 and -5 leaves less than nothing", |x, k| {
            x.conv2d(k, options().padding([(-5, -5), (0, 0)]))
        }),
        ("conv2d: only transposed convolutions have an output padding", |x, k| {
            x.conv2d(k, options().output_padding(1))
        }),
        (
            "conv_transpose2d: a transposed convolution has no padding Causal; `Valid`, `Same` and \
             `Explicit` are possible",
            |x, k| x.conv_transpose2d(k.swap_axes(0, 1), options().padding(Padding::Causal)),
        ),
        (
            "conv_general: the dimension numbers [0, 0, 2, 3] of the input do not list each of its \
             4 axes once",
            |x, k| x.conv_general(k, ConvDims { input_feature_dimension: 0, ..ConvDims::new(2) }),
        ),
        ("conv_general: the window does not have 2 axes everywhere", |x, k| {
            x.conv_general(k, ConvDims { strides: PerAxis::new(), ..ConvDims::new(2) })
        }),
    ];
    for (expected, f) in cases {
        assert_eq!(error(f), expected);
    }
}

#[test]
fn element_types_agree_and_have_products() {
    let as_type = |dtype| move |x: Tensor, k: Tensor| x.conv2d(k.convert(dtype), options());
    assert_eq!(
        error(as_type(DType::BF16)),
        "conv2d: element types f32 and bf16 differ; use `.convert(..)`"
    );
    assert_eq!(
        error(|x, k| x.ne(0).conv2d(k.ne(0), options())),
        "conv2d: takes numbers, not bool; use `&` and `any`, or `.convert(..)`"
    );
    let into = |dtype| ConvOptions { accumulate: Some(dtype), ..options() };
    assert_eq!(
        error(|x, k| x.conv2d(k, into(DType::I32))),
        "conv2d: products of f32 cannot be summed in i32"
    );
    assert_eq!(shape(|x, k| x.conv2d(k, into(DType::F64))), "f64[batch=2, out=6, y=7, x=7]");
}

#[test]
fn the_text_has_every_number() {
    let dims = ConvDims {
        low: PerAxis::collect([-1, 2]),
        reversal: PerAxis::collect([true, false]),
        feature_groups: 2,
        ..ConvDims::new(2)
    };
    let graph = graph(|x, k| x.conv_general(k.slice("in", ..2), dims)).expect("it is sound");
    let text = graph.to_string();
    let expected = "convolution %0, %2 [0, 1, 2, 3] by [1, 0, 2, 3] to [0, 1, 2, 3] step [1, 1] \
                    low [-1, 2] high [0, 0] dilation [1, 1] [1, 1] reversed [true, false] groups 2 1";
    assert!(text.contains(expected), "{text}");
}
