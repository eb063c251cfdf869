//! Executables whose graphs the interpreter evaluates, on the arguments of their calls.

use crate::platforms::{cpu, cpus};
use hloom::{
    Error, PartitionSpec, host_fn,
    interpret::{Array, Interpreter},
    prelude::*,
};

#[derive(Tree, Clone)]
struct Layer<T = Tensor> {
    weight: T,
    bias: Option<T>,
}

impl Layer {
    /// The values, their sums, and which of them are positive.
    fn forward(self, x: Tensor) -> (Tensor, Vec<Tensor>) {
        let y = x.dot(self.weight, "in") + self.bias.expect("it has one");
        (y, vec![y.sum("out"), y.gt(0).convert(DType::I32)])
    }
}

/// Small whole numbers, of which sums and products are exact.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 11) as f32 - 5.0).collect()
}

fn buffer(dims: &[(&'static str, usize)]) -> Buffer {
    let count = dims.iter().map(|(_, size)| size).product();
    Buffer::from_slice(cpu(), &numbers(count), dims).expect("it fits")
}

fn values(buffer: &Buffer) -> (Shape, Vec<u8>) {
    (buffer.shape(), buffer.to_bytes().expect("it is read"))
}

#[test]
fn bound_weights_and_several_results_are_those_of_the_call() {
    let (weight, bias) = ([("out", 4), ("in", 3)], [("out", 4)]);
    let spec = Layer { weight: Spec::f32(weight), bias: Some(Spec::f32(bias)) };
    let compiler = cpu().compiler().keep_graph(true);
    let exe = compiler.compile(Layer::forward, (spec, Spec::f32([("n", 2), ("in", 3)])));
    let exe = exe.expect("it compiles");
    let layer = Layer { weight: buffer(&weight), bias: Some(buffer(&bias)) };
    let x = buffer(&[("n", 2), ("in", 3)]);
    let free = exe.interpret((&layer, &x)).expect("it is evaluated");
    let exe = exe.bind(&layer).expect("it binds");
    let (y, rest) = exe.call((&x,)).expect("it runs");
    let found = exe.interpret((&x,)).expect("it is evaluated");
    assert_eq!(rest.len(), 2);
    for (y_found, rest_found) in [&free, &found] {
        assert_eq!(values(y_found), values(&y));
        assert_eq!(
            rest_found.iter().map(values).collect::<Vec<_>>(),
            [&rest[0], &rest[1]].map(values)
        );
    }
    // Positions without a bound input between bound ones.
    let any = exe.any().bind_named([("arg1", &x)]).expect("it binds");
    let all = any.interpret(vec![]).expect("it is evaluated");
    assert_eq!(values(&all[0]), values(&y));
}

#[test]
fn donated_arguments_and_loops_are_evaluated() {
    let step = |cache: Tensor, x: Tensor| {
        let last = hloom::ops::for_loop(3, cache, |i, c| c * 2 + x + i.convert(DType::F32));
        let (sum, all) =
            scan(Tensor::scalar(0, DType::F32), last, "t", |sum: Tensor, row: Tensor| {
                let sum = sum + row.sum(..);
                (sum, sum * 2)
            });
        (last, sum, all)
    };
    let spec = || Spec::f32([("t", 3), ("c", 2)]);
    let compiler = cpu().compiler().keep_graph(true);
    let exe = compiler.compile(step, (Donated(spec()), Spec::f32([("c", 2)])));
    let exe = exe.expect("it compiles");
    let (x, cache) = (buffer(&[("c", 2)]), || buffer(&[("t", 3), ("c", 2)]));
    let kept = cache();
    let first = exe.keep_donated().interpret((&kept, &x)).expect("it is evaluated");
    let second = exe.interpret((cache(), &x)).expect("it is evaluated");
    let called = exe.call((kept, &x)).expect("it runs");
    for found in [first, second] {
        assert_eq!(values(&found.0), values(&called.0));
        assert_eq!(values(&found.1), values(&called.1));
        assert_eq!(values(&found.2), values(&called.2));
    }
}

#[test]
fn results_over_a_mesh_lie_as_those_of_the_call() {
    let mesh = Mesh::new(cpus(), [("x", 2)]).expect("there are devices");
    let spec = Spec::f32([("n", 4), ("in", 3)]).partitioned(PartitionSpec::shard(0, "x"));
    let weight = Spec::f32([("in", 3), ("out", 6)]).partitioned(PartitionSpec::shard(1, "x"));
    let exe = mesh.compiler().keep_graph(true).compile(
        |weight: Tensor, x: Tensor| (x.dot(weight, "in"), x.sum(..)),
        (weight.clone(), spec.clone()),
    );
    let exe = exe.expect("it compiles");
    let place = |spec: &Spec| {
        let shape = spec.shape();
        let bytes: Vec<u8> =
            numbers(shape.element_count()).iter().flat_map(|x| x.to_le_bytes()).collect();
        Buffer::from_bytes(&mesh.sharding(spec).expect("it fits"), shape, &bytes).expect("it fits")
    };
    let exe = exe.bind(&place(&weight)).expect("it binds");
    let x = place(&spec);
    let (y, sum) = exe.call((&x,)).expect("it runs");
    let (y_found, sum_found) = exe.interpret((&x,)).expect("it is evaluated");
    assert_eq!(values(&y_found), values(&y));
    assert_eq!(values(&sum_found), values(&sum));
    assert_eq!(y_found.sharding(), y.sharding());
    assert!(y_found.sharding().is_some());
}

fn doubled(x: Tensor) -> Tensor {
    x * 2 + 1
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own programs")]
fn an_executable_without_its_graph_reports_that() {
    let x = buffer(&[("n", 3)]);
    let spec = || (Spec::f32([("n", 3)]),);
    let without = cpu().compile(doubled, spec()).expect("it compiles");
    assert!(without.any().graph().is_none());
    let error = without.interpret((&x,)).expect_err("it has no graph").to_string();
    let expected = "doubled` has no graph to interpret: compile its function, or load it with its \
                    function, by a compiler with `keep_graph(true)`";
    assert!(error.starts_with("the executable `") && error.ends_with(expected), "{error}");
    let bytes = without.to_bytes().expect("it is saved");
    // SAFETY: this test saved the program.
    let untyped = unsafe { AnyExe::from_bytes(cpu(), &bytes) }.expect("it loads");
    let error = untyped.interpret(vec![Argument::Borrowed(&x)]).expect_err("it has no graph");
    assert!(matches!(error, Error::NoGraph { .. }), "{error}");
    let compiler = cpu().compiler().keep_graph(true);
    // SAFETY: this test saved the program.
    let loaded = unsafe { compiler.load_bytes(&bytes, doubled, spec()) }.expect("it loads");
    let found = loaded.interpret((&x,)).expect("it is evaluated");
    assert_eq!(values(&found), values(&without.call((&x,)).expect("it runs")));
}

#[test]
fn arguments_and_calls_that_do_not_fit_are_errors() {
    let spec = (Spec::f32([("n", 3)]),);
    let compile = || cpu().compiler().keep_graph(true).name("half");
    let exe = compile().compile(doubled, spec.clone()).expect("it compiles");
    let x = buffer(&[("n", 4)]);
    let called = exe.call((&x,)).expect_err("it has another size").to_string();
    assert_eq!(exe.interpret((&x,)).expect_err("it has another size").to_string(), called);
    assert!(called.contains("f32[n=4]"), "{called}");
    assert!(exe.any().interpret(vec![]).is_err());
    let x = buffer(&[("n", 3)]);
    let error = exe.interpret_by(&mut Interpreter::new().limit(1), (&x,));
    let error = error.expect_err("it takes more steps").to_string();
    assert!(error.starts_with("interpreting `half`: the computation takes more than 1"), "{error}");

    let half = |x: Tensor| host_fn("half", |x: f32| x / 2.0)(x) + 1;
    let exe = compile().compile(half, spec).expect("it compiles");
    let error = exe.interpret((&x,)).expect_err("nothing evaluates it").to_string();
    assert!(error.contains("there is no evaluator of the host function `half`"), "{error}");
    let mut interpreter = Interpreter::new().host_call("half", |operands| {
        let x = operands[0].to_vec::<f32>().ok_or("takes f32")?;
        let halves: Vec<f32> = x.iter().map(|x| x / 2.0).collect();
        let result = Array::new(operands[0].shape(), &halves);
        Ok(vec![result.map_err(|error| error.to_string())?])
    });
    let found = exe.interpret_by(&mut interpreter, (&x,)).expect("it is evaluated");
    assert_eq!(values(&found), values(&exe.call((&x,)).expect("it runs")));
}

/// The elements of a matrix without order.
fn matrix(rows: usize, columns: usize, salt: usize) -> Vec<f32> {
    let number = |i: usize| ((i * i * 37 + i * 5 + salt * 11) % 101) as f32 / 25.0 - 2.0;
    (0..rows * columns).map(number).collect()
}

/// Checks that numbers are near each other, by the largest of them.
#[track_caller]
fn check_near(name: &str, expected: &Buffer, found: &Buffer) {
    assert_eq!(expected.shape(), found.shape(), "{name}");
    let read = |x: &Buffer| -> Vec<f64> {
        match x.dtype() {
            DType::F32 => x.to_vec::<f32>().expect("f32").into_iter().map(f64::from).collect(),
            DType::I32 => x.to_vec::<i32>().expect("i32").into_iter().map(f64::from).collect(),
            dtype => panic!("{name}: {dtype}"),
        }
    };
    let (expected, found) = (read(expected), read(found));
    let largest = expected.iter().fold(1f64, |largest, x| largest.max(x.abs()));
    for (a, b) in expected.iter().zip(&found) {
        let is_near = (a - b).abs() <= largest * 1e-4 || a.is_nan() && b.is_nan() || a == b;
        assert!(is_near, "{name}: {expected:?} by the plugin, {found:?} by the interpreter");
    }
}

#[test]
fn linear_algebra_of_the_host_is_evaluated() {
    fn scaled(matrices: Tensor, by: Tensor) -> Tensor {
        matrices
            * by.convert(matrices.dtype())
                .insert_axis(-2, "_")
                .broadcast_to(matrices.shape().axes())
    }
    fn all(x: Tensor) -> Vec<Tensor> {
        let (packed, pivots, order) = x.lu_factor();
        let (q, r) = x.qr();
        let (full_q, full_r) = x.qr_full();
        let (u, s, vh) = x.svd();
        let (full_u, _, full_vh) = x.svd_full();
        let square = x.matmul(x.swap_axes(-2, -1));
        let size = square.size(-1);
        let diagonal =
            (0..size * size).map(|i| if i % (size + 1) == 0 { i as f32 + 1. } else { 0. });
        let diagonal: Vec<f32> = diagonal.collect();
        let shifted = square + Tensor::constant(&diagonal, [size, size]);
        let (w, v) = shifted.eigh();
        let (values, vectors) = (shifted / 100).eig();
        let product = |u: Tensor| u.swap_axes(-2, -1).matmul(u);
        let mut all = vec![packed, pivots, order, q, r, full_q, full_r, s, x.svdvals()];
        all.extend([scaled(u, s).matmul(vh), product(full_u), product(full_vh)]);
        all.extend([w, product(v), shifted.eigvalsh(), shifted.inv(), shifted.solve(square)]);
        let rest = (shifted / 100).convert(DType::C64).matmul(vectors) - scaled(vectors, values);
        all.extend([values.sum(-1).real(), rest.abs(), vectors.norm(-2)]);
        all
    }
    for (rows, columns, salt) in [(3, 3, 1), (4, 2, 2), (2, 5, 3), (1, 1, 4), (6, 6, 5), (8, 3, 6)]
    {
        let spec = Spec::f32([2, rows, columns]);
        let compiler = cpu().compiler().keep_graph(true);
        let exe = compiler.compile(all, (spec.clone(),)).expect("it compiles");
        let values = [matrix(rows, columns, salt), matrix(rows, columns, salt + 10)].concat();
        let x = Buffer::from_slice(cpu(), &values, spec.shape().axes()).expect("it fits");
        let expected = exe.call((&x,)).expect("it runs");
        let found = exe.interpret((&x,)).expect("it is evaluated");
        for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
            check_near(&format!("{rows} x {columns}, result {i}"), expected, found);
        }
    }
}

#[test]
fn matrices_without_a_decomposition_are_nan_in_both() {
    let all = |x: Tensor| vec![x.eigvalsh(), x.svdvals(), x.eigvals().real(), x.lu_factor().0];
    let spec = Spec::f32([3, 2, 2]);
    let compiler = cpu().compiler().keep_graph(true);
    let exe = compiler.compile(all, (spec.clone(),)).expect("it compiles");
    let values = [1.0, f32::NAN, f32::NAN, 1.0, f32::INFINITY, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let x = Buffer::from_slice(cpu(), &values, spec.shape().axes()).expect("it fits");
    let expected = exe.call((&x,)).expect("it runs");
    let found = exe.interpret((&x,)).expect("it is evaluated");
    for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
        check_near(&format!("result {i}"), expected, found);
    }
}
