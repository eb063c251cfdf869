//! Patterns that kernels leave to the plugin.

use crate::CPU;
use hloom_graph::{Attributes, DType, Spec, Tensor, composite, op::OwnComposite, shared_composite};
use hloom_kernels::Isa;
use hloom_nn::Linear;
use hloom_runtime::{AnyExe, Buffer, Kernels, LinearKernel};

#[test]
fn what_the_plugin_is_fast_at_is_left_to_it() {
    let specs = |dtype, rows| {
        (Spec::new(dtype, [("row", rows), ("in", 16)]), Spec::new(dtype, [("out", 8), ("in", 16)]))
    };
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    for (dtype, rows) in [(DType::F32, 1), (DType::I32, 4), (DType::F64, 4), (DType::BF16, 0)] {
        let exe = CPU.compile(product, specs(dtype, rows)).expect("it compiles");
        assert!(exe.kernels().is_empty(), "{dtype} {rows}");
    }
    // Contracted along the first axis of the right side.
    let specs = (Spec::bf16([4, 16]), Spec::bf16([16, 8]));
    let exe = CPU.compile(|x: Tensor, w: Tensor| x.matmul(w), specs).expect("it compiles");
    assert!(exe.kernels().is_empty());
}

#[test]
fn sizes_decide_who_multiplies() {
    let has_vectors = !matches!(Isa::selected(), Ok(Isa::Portable));
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
        (DType::F32, 9, 256, 256, has_vectors),
        (DType::BF16, 9, 256, 256, true),
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
    // A small product joins the call of a large one with the same left side.
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
fn products_of_one_left_side_are_one_call() {
    let weight = |out| Spec::bf16([("out", out), ("in", 256)]);
    let specs = || (Spec::bf16([("row", 1), ("in", 256)]), weight(300), weight(300), weight(2));
    let plain = |x: Tensor, a: Tensor, b: Tensor, c: Tensor| {
        (x.dot(a, "in"), x.dot(b, "in"), x.dot(c, "in"))
    };
    // Layers rename the axes of their weights.
    let layers = |x: Tensor, a: Tensor, b: Tensor, c: Tensor| {
        let [a, b, c] = [a, b, c].map(|weight| Linear { weight, bias: None });
        (a.to("a").forward(x), b.to("b").forward(x), c.forward(x))
    };
    let calls = |exe: &AnyExe| {
        let (_, program) = exe.optimized_program().expect("the plugin returns it");
        program.windows(15).filter(|bytes| bytes == b"hloom.linear.v1").count()
    };
    assert_eq!(calls(CPU.compile(plain, specs()).expect("it compiles").any()), 1);
    assert_eq!(calls(CPU.compile(layers, specs()).expect("it compiles").any()), 1);
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

/// Specs of queries, keys, values and a mask, in that order.
type Form = [Spec; 4];

fn decoder() -> Form {
    let cache = Spec::bf16([("kv_head", 2), ("position", 10), ("dim", 8)]);
    [
        Spec::bf16([("seq", 3), ("kv_head", 2), ("group", 3), ("dim", 8)]),
        cache.clone(),
        cache,
        Spec::new(DType::Bool, [("seq", 3), ("position", 10)]),
    ]
}

fn with(position: usize, spec: Spec) -> Form {
    let mut form = decoder();
    form[position] = spec;
    form
}

/// The number of kernels that compute attention of these inputs.
fn attend_kernels(form: Form) -> usize {
    let [query, key, value, mask] = form;
    let attention = |q: Tensor, k: Tensor, v: Tensor, mask: Tensor| {
        hloom_nn::attention(q, k, v, Some(mask), 0.3)
    };
    let exe = CPU.compile(attention, (query, key, value, mask)).expect("it compiles");
    exe.kernels()
        .iter()
        .filter(|kernel| kernel.name == "hloom.attend.v1")
        .map(|kernel| kernel.count)
        .sum()
}

#[test]
fn attention_of_another_form_is_left_to_the_plugin() {
    assert_eq!(attend_kernels(decoder()), 1);
    let other_query = Spec::f32([("seq", 3), ("kv_head", 2), ("group", 3), ("dim", 8)]);
    assert_eq!(attend_kernels(with(0, other_query)), 1, "queries are converted");
    let wide = || Spec::new(DType::F64, [("kv_head", 2), ("position", 10), ("dim", 8)]);
    let [query, _, _, mask] = decoder();
    let swapped = Spec::bf16([("position", 10), ("kv_head", 2), ("dim", 8)]);
    for (what, form) in [
        (
            "a mask of heads",
            with(3, Spec::new(DType::Bool, [("kv_head", 2), ("seq", 3), ("position", 10)])),
        ),
        ("a mask of positions", with(3, Spec::new(DType::Bool, [("position", 10)]))),
        (
            "a mask the other way round",
            with(3, Spec::new(DType::Bool, [("position", 10), ("seq", 3)])),
        ),
        ("a mask of one query", with(3, Spec::new(DType::Bool, [("seq", 1), ("position", 10)]))),
        (
            "queries by heads",
            with(0, Spec::bf16([("kv_head", 2), ("seq", 3), ("group", 3), ("dim", 8)])),
        ),
        (
            "values of another type",
            with(2, Spec::f32([("kv_head", 2), ("position", 10), ("dim", 8)])),
        ),
        ("values in another order", with(2, swapped.clone())),
        ("positions first", [query.clone(), swapped.clone(), swapped, mask.clone()]),
        ("wide floats", [query, wide(), wide(), mask]),
    ] {
        assert_eq!(attend_kernels(form), 0, "{what}");
    }
}

#[test]
fn composites_of_other_names_are_left_alone() {
    let [query, key, value, _] = decoder();
    for (name, version, attributes) in [
        ("acme.attention", 1, Attributes::new().with("scale", 0.3)),
        ("hloom.attention", 2, Attributes::new().with("scale", 0.3)),
        ("hloom.attention", 1, Attributes::new()),
    ] {
        let attention = move |q: Tensor, k: Tensor, v: Tensor| {
            let body = |x: &[Tensor]| hloom_nn::attention(x[0], x[1], x[2], None, 1.0) * 0.0;
            if name == OwnComposite::ATTENTION.name() {
                OwnComposite::ATTENTION.call(version, attributes, &[q, k, v], body)
            } else {
                shared_composite(name, version, attributes, &[q, k, v], body)
            }
        };
        let specs = (query.clone(), key.clone(), value.clone());
        let exe = CPU.compile(attention, specs).expect("it compiles");
        // The attention inside is one that the kernel computes.
        assert_eq!(exe.kernels().len(), 1, "{name} {version}");
        assert_eq!(exe.kernels()[0].count, 1, "{name} {version}");
    }
}

#[test]
fn attention_with_operands_that_the_kernel_does_not_take_is_left_to_the_plugin() {
    let [query, key, value, mask] = decoder();
    let number = Spec::f32([("seq", 3), ("position", 10)]);
    for masks in [vec![number], vec![mask.clone(), mask]] {
        let attention = |q: Tensor, k: Tensor, v: Tensor, masks: Vec<Tensor>| {
            let inputs = [vec![q, k, v], masks].concat();
            let attributes = Attributes::new().with("scale", 0.3);
            OwnComposite::ATTENTION.call(1, attributes, &inputs, |x| x[0] * 2.0)
        };
        let specs = (query.clone(), key.clone(), value.clone(), masks);
        let exe = CPU.compile(attention, specs).expect("it compiles");
        assert!(exe.kernels().is_empty());
    }
}

#[test]
fn composites_that_stay_compute_the_same() {
    let function =
        |x: Tensor| composite("acme.twice", 1, Attributes::new(), x, |x| x.softmax("n") * 2.0);
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 0.5, 3.0], [2, 2]).expect("a buffer");
    let [in_place, kept] = [false, true].map(|kept| {
        let compiler = CPU.compiler().composites(kept);
        let exe =
            compiler.compile(function, (Spec::f32([("row", 2), ("n", 2)]),)).expect("it compiles");
        exe.call((&x,)).expect("it runs").to_vec::<f32>().expect("it is read")
    });
    assert_eq!(in_place, kept);
    assert!((kept[0] - 0.537_883).abs() < 1e-5, "{kept:?}");
}
