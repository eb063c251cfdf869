//! Layers find their axis by its name, wherever it is; all axes have one size, so that another
//! axis would fit too.

use hloom_graph::{DType, Spec, Tensor, TraceScope, Tree};
use hloom_nn::{Embedding, Gru, LayerNorm, Linear, Lstm, LstmState, RmsNorm};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

const SIZE: usize = 4;

/// Values that repeat in no row or column.
fn values(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + seed * 5) % 23) as f32 / 11.0 - 1.0).collect()
}

/// Runs a layer on an input with `in` last and on one with `in` at another place. The results have
/// the order of their input, and the same elements.
fn check<M: Tree<Leaf = Spec> + Clone>(
    name: &str,
    model: M,
    run: fn(M::With<Tensor>, Tensor) -> Tensor,
) where
    M::With<Buffer>: 'static,
{
    let mut seed = 0;
    let buffers = Buffer::tree(&*CPU, model.clone(), |_, spec| {
        seed += 1;
        values(spec.shape().element_count(), seed)
    });
    let buffers = buffers.unwrap();
    let input = Buffer::from_slice(
        &*CPU,
        &values(SIZE * SIZE * SIZE, 9),
        [("time", SIZE), ("batch", SIZE), ("in", SIZE)],
    );
    let input = input.unwrap();
    let run_on = |axes: [&str; 3]| {
        let x = input.transposed(axes).unwrap();
        let exe = CPU.compile(run, (model.clone(), Spec::of(x.shape()))).unwrap();
        let y = exe.call((&buffers, &x)).unwrap();
        let found: Vec<&str> =
            y.shape().names().iter().map(|name| name.map_or("_", |name| name.as_str())).collect();
        assert_eq!(found, axes, "{name}");
        y.to_vec_in::<f32>(["time", "batch", "in"]).unwrap()
    };
    let expected = run_on(["time", "batch", "in"]);
    assert!(expected.iter().any(|&y| y != expected[0]), "{name}");
    for axes in [["time", "in", "batch"], ["in", "time", "batch"], ["batch", "time", "in"]] {
        // The recurrent layers return their steps along the first axis.
        if name.ends_with("forward") && axes[0] != "time" {
            continue;
        }
        let found = run_on(axes);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-5, "{name} {axes:?}: {found} {expected}");
        }
    }
}

#[test]
fn each_layer_works_along_its_own_axis() {
    let linear = |bias| Linear::new(SIZE, SIZE, bias, DType::F32);
    check("Linear", linear(true), |linear: Linear, x| linear.forward(x));
    check("Linear without bias", linear(false), |linear: Linear, x| linear.forward(x));
    check("Linear::to", linear(true), |linear: Linear, x| {
        linear.to("hidden").forward(x).rename("hidden", "in")
    });
    let table = Embedding::new(SIZE, SIZE, DType::F32);
    check("Embedding::as_linear", table, |table: Embedding, x| table.as_linear().forward(x));
    let norm = LayerNorm::new(SIZE, 1e-5, DType::F32);
    check("LayerNorm", norm, |norm: LayerNorm, x| norm.forward(x));
    let norm = RmsNorm::new(SIZE, 1e-5, DType::F32);
    check("RmsNorm", norm, |norm: RmsNorm, x| norm.forward(x));
    let lstm = Lstm::new(SIZE, SIZE, true, DType::F32);
    check("Lstm::step", lstm.clone(), |lstm: Lstm, x| {
        let state = LstmState { hidden: x * 0.5, cell: x * 0.25 };
        let next = lstm.step(x, &state);
        next.hidden + next.cell
    });
    check("Lstm::forward", lstm, |lstm: Lstm, x| {
        let state = lstm.zero_state(x.index("time", 0));
        lstm.forward(x, "time", state).1
    });
    let gru = Gru::new(SIZE, SIZE, true, DType::F32);
    check("Gru::step", gru.clone(), |gru: Gru, x| gru.step(x, x * 0.5));
    check("Gru::forward", gru, |gru: Gru, x| {
        let state = gru.zero_state(x.index("time", 0));
        gru.forward(x, "time", state).1
    });
}

/// Without an axis of the layer's name, the last one is taken.
#[test]
fn another_name_is_that_of_the_last_axis() {
    let trace = TraceScope::begin("test");
    let linear = Linear::new(4, 3, true, DType::F32)
        .map(&mut |path, spec| trace.parameter(path.to_string(), &spec, false));
    let x = trace.parameter("x", &Spec::f32([("batch", 2), ("pixel", 4)]), false);
    assert_eq!(linear.forward(x).shape().to_string(), "f32[batch=2, pixel=3]");
    let x = trace.parameter("y", &Spec::f32([2, 4]), false);
    assert_eq!(linear.forward(x).shape().to_string(), "f32[2, 3]");
}

#[test]
fn ids_with_the_axis_of_the_vectors_are_refused() {
    let forward = |table: Embedding, ids: Tensor| table.forward(ids);
    let table = || Embedding::new(SIZE, SIZE, DType::F32);
    let ids = Spec::i32([("batch", SIZE), ("in", SIZE)]);
    let error = CPU.compile(forward, (table(), ids)).map(drop).unwrap_err().to_string();
    let hint = r#"nn::Embedding: the ids have an axis `in`, and so have the vectors of the table: rename the axis of the ids, as by `ids.rename("in", "seq")`"#;
    assert!(error.starts_with(hint), "{error}");
    let ids = Spec::i32([("batch", SIZE), ("seq", SIZE)]);
    let exe = CPU.compile(forward, (table(), ids)).unwrap();
    assert_eq!(exe.signature().outputs[0].shape.to_string(), "f32[batch=4, seq=4, in=4]");
}
