//! What kernels leave to the plugin.

use crate::CPU;
use hloom_graph::{DType, DotOptions, Spec, Tensor};
use hloom_runtime::{Kernels, LinearKernel};

#[test]
fn what_the_plugin_is_fast_at_is_left_to_it() {
    let specs = |dtype, rows| {
        (
            Spec::new(dtype, [("row", rows), ("in", 16)]),
            Spec::new(dtype, [("out", 8), ("in", 16)]),
        )
    };
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    for (dtype, rows) in [(DType::F32, 1), (DType::I32, 4), (DType::F64, 4), (DType::BF16, 0)] {
        let exe = CPU.compile(product, specs(dtype, rows)).expect("it compiles");
        assert!(exe.kernels().is_empty(), "{dtype} {rows}");
    }
    // Contracted along the first axis of the right side.
    let specs = (Spec::bf16([4, 16]), Spec::bf16([16, 8]));
    let exe = CPU
        .compile(|x: Tensor, w: Tensor| x.matmul(w), specs)
        .expect("it compiles");
    assert!(exe.kernels().is_empty());
}

#[test]
fn sizes_decide_who_multiplies() {
    for (dtype, rows, n, k, is_used) in [
        (DType::F32, 1, 255, 256, false),
        (DType::F32, 1, 256, 256, true),
        (DType::BF16, 1, 63, 64, false),
        (DType::BF16, 1, 64, 64, true),
        (DType::F16, 1, 127, 128, false),
        (DType::F16, 1, 128, 128, true),
        (DType::F32, 2, 1, 1, true),
        (DType::BF16, 8, 3, 5, true),
        (DType::BF16, 9, 255, 256, false),
        (DType::F32, 9, 256, 256, true),
    ] {
        let specs = || {
            (
                Spec::new(dtype, [("row", rows), ("in", k)]),
                Spec::new(dtype, [("out", n), ("in", k)]),
            )
        };
        let product = |x: Tensor, w: Tensor| x.dot(w, "in");
        let exe = CPU.compile(product, specs()).expect("it compiles");
        assert_eq!(!exe.kernels().is_empty(), is_used, "{dtype} {rows} {n} {k}");
        let kernels = Kernels::off().with(LinearKernel::of_any_size());
        let exe = CPU.compiler().kernels(kernels).compile(product, specs());
        assert_eq!(exe.expect("it compiles").kernels().len(), 1, "{dtype} {rows} {n} {k}");
    }
    // A small one goes with a large one of the same left side.
    let exe = CPU.compile(
        |x: Tensor, a: Tensor, b: Tensor| (x.dot(a, "in"), x.dot(b, "in")),
        (
            Spec::f32([("row", 1), ("in", 256)]),
            Spec::f32([("out", 300), ("in", 256)]),
            Spec::f32([("out", 2), ("in", 256)]),
        ),
    );
    assert_eq!(exe.expect("it compiles").kernels()[0].count, 2);
}

#[test]
fn products_of_another_form_are_left_to_the_plugin() {
    type Product = fn(Tensor, Tensor) -> Tensor;
    let forms: [(&str, Product, Spec, Spec); 4] = [
        (
            "in step over an axis",
            |x, w| x.dot(w, "in"),
            Spec::bf16([("head", 3), ("row", 4), ("in", 16)]),
            Spec::bf16([("head", 3), ("out", 8), ("in", 16)]),
        ),
        (
            "two contracted axes",
            |x, w| x.dot(w, ["head", "in"]),
            Spec::bf16([("row", 4), ("head", 3), ("in", 16)]),
            Spec::bf16([("out", 8), ("head", 3), ("in", 16)]),
        ),
        (
            "another axis of the left side",
            |x, w| x.dot(w, "in"),
            Spec::bf16([("in", 16), ("row", 4)]),
            Spec::bf16([("out", 8), ("in", 16)]),
        ),
        (
            "two axes of outputs",
            |x, w| x.dot(w, "in"),
            Spec::bf16([("row", 4), ("in", 16)]),
            Spec::bf16([("head", 3), ("out", 8), ("in", 16)]),
        ),
    ];
    for (what, product, x, w) in forms {
        let exe = CPU.compile(product, (x, w)).expect("it compiles");
        assert!(exe.kernels().is_empty(), "{what}");
    }
}

/// Attention as decoders compute it, but for what `change` says.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    Nothing,
    FiniteMask,
    MaskOfHeads,
    ScaleAfterMask,
    OtherAxis,
    NoMaximum,
    OtherSum,
    NarrowScores,
}

fn attention(change: Change) -> impl Fn(Tensor, Tensor, Tensor, Tensor) -> Tensor + Clone {
    move |query, key, value, mask| {
        let sums = |accumulate| DotOptions {
            accumulate,
            ..DotOptions::default()
        };
        let wide = sums((change != Change::NarrowScores).then_some(DType::F32));
        let mut scores = query.dot_with(key, "dim", wide);
        let hidden = if change == Change::FiniteMask {
            -1e9
        } else {
            f64::NEG_INFINITY
        };
        if change == Change::MaskOfHeads {
            let head = Tensor::arange(DType::I32, "kv_head", key.size("kv_head"));
            scores = (mask & head.ge(0)).select(scores, hidden);
        } else {
            scores = mask.select(scores, hidden);
        }
        if change == Change::ScaleAfterMask {
            scores = scores * 0.5;
        }
        let weights = match change {
            Change::OtherAxis => scores.softmax("group"),
            Change::NoMaximum => scores.exp() / scores.exp().sum("position").broadcast_to(scores.shape().axes()),
            Change::OtherSum => {
                let exponentials = (scores - scores.max("position")).exp();
                exponentials / (scores * 2.0).exp().sum("position")
            }
            _ => scores.softmax("position"),
        };
        weights
            .convert(value.dtype())
            .dot_with(value, "position", sums(Some(DType::F32)))
    }
}

#[test]
fn attention_of_another_form_is_left_to_the_plugin() {
    let query = Spec::bf16([("seq", 2), ("kv_head", 2), ("group", 3), ("dim", 8)]);
    let cache = Spec::bf16([("kv_head", 2), ("position", 10), ("dim", 8)]);
    let mask = Spec::new(DType::Bool, [("seq", 2), ("position", 10)]);
    for change in [
        Change::Nothing,
        Change::FiniteMask,
        Change::MaskOfHeads,
        Change::ScaleAfterMask,
        Change::OtherAxis,
        Change::NoMaximum,
        Change::OtherSum,
        Change::NarrowScores,
    ] {
        let specs = (query.clone(), cache.clone(), cache.clone(), mask.clone());
        let exe = CPU.compile(attention(change), specs).expect("it compiles");
        let is_used = exe.kernels().iter().any(|kernel| kernel.name == "hloom.attend.v1");
        assert_eq!(is_used, change == Change::Nothing, "{change:?}");
    }
}
