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
        let last = hloom::for_loop(3, cache, |i, c| c * 2 + x + i.convert(DType::F32));
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
    let error = untyped.interpret(vec![Given::Borrowed(&x)]).expect_err("it has no graph");
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
