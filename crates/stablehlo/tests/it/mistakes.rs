//! Each op of the table is called once with wrong arguments; snapshots have the errors.

use crate::op_table;
use hloom_graph::*;
use std::collections::BTreeSet;

/// The tensors that the wrong calls are made with.
#[derive(Clone, Copy)]
struct Arguments {
    /// `f32[row=3, column=4]`
    x: Tensor,
    /// `f32[out=5, in=4]`
    w: Tensor,
    /// `i32[row=3, column=4]`
    i: Tensor,
    /// `bool[row=3]`
    b: Tensor,
    /// `c64[row=3, column=4]`
    c: Tensor,
    /// `u8[row=3]`
    u: Tensor,
}

type Mistake = (&'static str, fn(Arguments) -> Tensor);

/// Ops that no tensor is wrong for.
const WITHOUT: [&str; 2] = ["optimization_barrier", "eq"];

#[expect(clippy::eq_op, reason = "what the ops get is wrong whatever it is")]
const MISTAKES: &[Mistake] = &[
    ("abs", |a| a.b.abs()),
    ("neg", |a| -a.b),
    ("sign", |a| a.b.sign()),
    ("exp", |a| a.i.exp()),
    ("exp_m1", |a| a.i.exp_m1()),
    ("log", |a| a.i.log()),
    ("log1p", |a| a.i.log1p()),
    ("sqrt", |a| a.i.sqrt()),
    ("rsqrt", |a| a.i.rsqrt()),
    ("cbrt", |a| a.c.cbrt()),
    ("sin", |a| a.i.sin()),
    ("cos", |a| a.i.cos()),
    ("tan", |a| a.i.tan()),
    ("tanh", |a| a.i.tanh()),
    ("sigmoid", |a| a.i.sigmoid()),
    ("erf", |a| a.c.erf()),
    ("floor", |a| a.c.floor()),
    ("ceil", |a| a.c.ceil()),
    ("round", |a| a.c.round()),
    ("round_even", |a| a.c.round_even()),
    ("is_finite", |a| a.b.is_finite()),
    ("convert", |a| a.c.convert(DType::F32)),
    ("bitcast", |a| a.x.bitcast(DType::F64)),
    ("reduce_precision", |a| a.x.reduce_precision(0, 7)),
    ("not", |a| !a.x),
    ("count_leading_zeros", |a| a.x.count_leading_zeros()),
    ("population_count", |a| a.b.population_count()),
    ("population_count_narrow", |a| a.x.population_count()),
    ("and", |a| a.x & a.x),
    ("or", |a| a.x | a.x),
    ("xor", |a| a.x ^ a.x),
    ("shift_left", |a| a.x.shift_left(2)),
    ("shift_right_arithmetic", |a| a.x.shift_right_arithmetic(2)),
    ("shift_right_logical", |a| a.b.shift_right_logical(2)),
    ("complex", |a| a.x.complex(a.i)),
    ("real", |a| a.i.real()),
    ("imag", |a| a.i.imag()),
    ("add", |a| a.x + a.x.rename("column", "in").dot(a.w, "in")),
    ("add_bool", |a| a.b + a.u),
    ("sub", |a| a.b - a.b),
    ("mul", |a| a.x * a.i),
    ("div", |a| a.b / a.b),
    ("div_integer", |a| a.i / a.x),
    ("rem", |a| a.c % a.c),
    ("pow", |a| a.x.pow(a.i)),
    ("pow_integer", |a| a.b.pow(a.b)),
    ("maximum", |a| a.x.maximum(a.w)),
    ("minimum", |a| a.x.minimum(a.u)),
    ("atan2", |a| a.i.atan2(a.i)),
    ("next_after", |a| a.i.next_after(a.i)),
    ("ne", |a| a.x.ne(a.i)),
    ("lt", |a| a.c.lt(a.c)),
    ("le", |a| a.c.le(a.c)),
    ("gt", |a| a.x.gt(a.w)),
    ("ge", |a| a.x.ge(a.u)),
    ("select", |a| a.x.select(a.x, a.x)),
    ("clamp", |a| a.x.clamp(a.i, a.i)),
    ("clamp_bool", |a| a.b.clamp(0, 1)),
    ("constant", |_| Tensor::constant(&[1f32, 2.], [3])),
    ("splat", |_| Tensor::full(300, DType::U8, [2])),
    ("iota", |_| Tensor::iota(DType::Bool, [2], 0)),
    ("reshape", |a| a.x.reshape([5, 2])),
    ("transpose", |a| a.x.transpose(["column"])),
    ("reverse", |a| a.x.reverse("in")),
    ("broadcast_in_dim", |a| a.x.broadcast_to([("row", 3), ("column", 8)])),
    ("slice", |a| a.x.slice("row", 2..5)),
    ("pad", |a| a.x.pad("row", -2, -2, 0)),
    ("concatenate", |a| concatenate(&[a.x, a.w], 0)),
    ("dot", |a| a.x.dot(a.w, "in")),
    ("sum", |a| a.x.sum("in")),
    ("prod", |a| a.b.prod("row")),
    ("max", |a| a.c.max("row")),
    ("min", |a| a.c.min("row")),
    ("any", |a| a.x.any("row")),
    ("all", |a| a.x.all("row")),
    ("argmax", |a| a.c.argmax("row")),
    ("argmin", |a| a.x.argmin("in")),
    ("cumsum", |a| a.b.cumsum("row")),
    ("cummax", |a| a.c.cummax("row")),
    ("cumprod", |a| a.x.cumprod("in")),
    ("dynamic_slice", |a| a.x.dynamic_slice("row", 0, 4)),
    ("dynamic_update_slice", |a| a.x.dynamic_update_slice(a.w, "row", 0)),
    ("gather", |a| a.x.take(a.x, "row")),
    ("gather_or", |a| a.x.at("row", a.x).get_or(0)),
    ("scatter", |a| a.x.index_add(a.i, a.w, "row")),
    ("scatter_by", |a| {
        scatter_by(a.x, a.i, a.x, GatherDims::default().to_scatter(), |old, new| old + new)
    }),
    ("sort", |a| a.c.sort("row", false)),
    ("top_k", |a| a.x.top_k(5, "column").0),
    ("reduce_by", |a| reduce_by(a.x, a.x, "row", |left, right| left + right)),
    ("reduce_window", |a| {
        a.x.reduce_window(Reduction::Sum, WindowDims::new(PerAxis::collect([2])))
    }),
    ("reduce_window_by", |a| {
        let window = WindowDims::new(PerAxis::collect([2, 2]));
        let zero = Tensor::scalar(0, DType::F32);
        reduce_window_by(a.x, zero, window, |left, right| left.lt(right))
    }),
    ("sort_by", |a| sort_by(a.x, "row", |left, right| left - right)),
    ("random", |a| Key(a.x).bits(DType::U32, [4])),
    ("convolution", |a| a.x.conv1d(a.w, ConvOptions::new())),
    ("conv_transpose", |a| a.x.conv_transpose1d(a.w, ConvOptions::new())),
    ("pool", |a| a.x.max_pool(["row", "column"], [2, 2, 2])),
    ("cholesky", |a| a.x.cholesky()),
    ("triangular_solve", |a| a.x.solve_triangular(a.x, true)),
    ("svd", |a| a.b.svd().1),
    ("det", |a| a.x.det()),
    ("fft", |a| a.i.fft("row")),
    ("while", |a| while_loop(a.x, |x| x.lt(1), |x| x + 1)),
    ("for_loop", |a| for_loop(3, a.x, |_, x| x.sum("row"))),
    ("scan", |a| scan(a.x, a.w, "row", |sum, w| (sum, w)).1),
    ("case", |a| case(a.x, || a.x, [Box::new(|| a.x + a.x) as Box<dyn FnOnce() -> Tensor>])),
    ("custom_call", |a| custom_call("acme.step", a.x, Spec::f32([2])).alias(0, 0).call()),
    ("composite", |a| composite("acme.sum", 1, Attributes::new(), a.x, |x| x + a.x)),
    ("constrain", |a| a.x.constrain(PartitionSpec::shard("row", "devices"))),
    ("manual", |a| {
        let split = || PartitionSpec::shard("row", "data");
        manual(a.x, split(), split(), |x| x)
    }),
    ("all_reduce", |a| a.x.all_reduce(Reduction::Sum, "data")),
    ("all_gather", |a| of_part(a, |x| x.all_gather("in", "data"))),
    ("reduce_scatter", |a| of_part(a, |x| x.reduce_scatter(Reduction::Sum, "row", "data"))),
    ("all_to_all", |a| of_part(a, |x| x.all_to_all("column", "row", "model"))),
    ("collective_permute", |a| of_part(a, |x| x.collective_permute("data", [(0, 2)]))),
    ("collective_broadcast", |a| of_part(a, |x| x.collective_broadcast(2, "data"))),
    ("axis_index", |_| axis_index("data")),
];

/// A function of the part of a device.
#[track_caller]
fn of_part(a: Arguments, f: fn(Tensor) -> Tensor) -> Tensor {
    let split = || PartitionSpec::shard("column", "data");
    manual(a.x, split(), split(), f)
}

fn message(mistake: fn(Arguments) -> Tensor) -> Option<String> {
    let mesh = MeshShape::new([("data", 2)]).expect("one axis makes a mesh");
    let trace = TraceScope::begin_over("test", mesh);
    let argument = |name: &str, spec: Spec| trace.parameter(name, &spec, false);
    let both = [("row", 3), ("column", 4)];
    let result = mistake(Arguments {
        x: argument("x", Spec::f32(both)),
        w: argument("w", Spec::f32([("out", 5), ("in", 4)])),
        i: argument("i", Spec::i32(both)),
        b: argument("b", Spec::bool([("row", 3)])),
        c: argument("c", Spec::new(DType::C64, both)),
        u: argument("u", Spec::new(DType::U8, [("row", 3)])),
    });
    let error = trace.finish(vec![("".into(), result)]).err()?;
    assert!(error.location.file().ends_with(file!()), "{error}");
    Some(
        error
            .to_string()
            .lines()
            .filter(|line| !line.contains(file!()))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

#[test]
fn the_most_likely_mistake_with_an_op_has_its_message() {
    let listed: BTreeSet<&str> = MISTAKES.iter().map(|(op, _)| *op).chain(WITHOUT).collect();
    let ops: BTreeSet<&str> = op_table::ops().collect();
    assert_eq!(listed, ops, "one mistake for each op");
    let mut messages = String::new();
    for (op, mistake) in MISTAKES {
        let message = message(*mistake);
        messages += &format!("# {op}\n{}\n\n", message.as_deref().unwrap_or("no error"));
    }
    assert!(!messages.contains("no error"), "{messages}");
    insta::with_settings!({ snapshot_path => "mistakes", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("messages", messages);
    });
}
