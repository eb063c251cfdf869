//! Platform kernels in programs.

mod blocks;
mod dots;
mod measuring;
pub mod near;
mod patterns;
mod saved;
#[cfg(target_os = "linux")]
mod threads;
mod update;

use crate::CPU;
use hloom_graph::{DType, Spec, Tensor};
use hloom_runtime::{Args, Buffer, Exe, Function, Kernels, Platform};
use near::{Near, Sizes, assert_near, attended, products};

fn buffer(dtype: DType, dims: [usize; 2], seed: usize) -> Buffer {
    let values: Vec<f32> = (0..dims[0] * dims[1])
        .map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0)
        .collect();
    let wide = Buffer::from_slice(&CPU, &values, dims).expect("a buffer");
    let convert =
        CPU.compile(move |x: Tensor| x.convert(dtype), (Spec::f32(dims),)).expect("it compiles");
    convert.call((&wide,)).expect("it runs")
}

/// Compiles with kernels and without.
fn both<A: Args + Clone, F: Function<A, Passing> + Clone, Passing>(
    function: F,
    arguments: A,
) -> [Exe<A, F::Output>; 2]
where
    F::Output: hloom_runtime::ResultTree,
{
    [Kernels::default(), Kernels::off()].map(|kernels| {
        let compiler = CPU.compiler().kernels(kernels);
        compiler.compile(function.clone(), arguments.clone()).expect("it compiles")
    })
}

fn wide(buffer: &Buffer) -> Vec<f32> {
    let shape = buffer.shape();
    let spec = Spec::new(shape.dtype(), shape.sizes().to_vec());
    let convert = CPU.compile(|x: Tensor| x.convert(DType::F32), (spec,)).expect("it compiles");
    convert.call((buffer,)).expect("it runs").to_vec().expect("it is read")
}

/// The elements of a buffer of any rank.
fn flat(buffer: &Buffer) -> Vec<f32> {
    let bytes = buffer.to_bytes().expect("it is read");
    let shape = [buffer.shape().element_count()];
    let spec = Spec::new(buffer.shape().dtype(), shape);
    wide(&Buffer::from_bytes(&*CPU, spec.shape(), &bytes).expect("a buffer"))
}

fn exact(buffer: &Buffer) -> Vec<Near> {
    wide(buffer).into_iter().map(Near::exact).collect()
}

#[test]
fn products_are_the_same_with_kernels_and_without() {
    for (dtype, rows, accumulate) in [
        (DType::BF16, 1, Some(DType::F32)),
        (DType::BF16, 3, None),
        (DType::F16, 5, Some(DType::F32)),
        (DType::F16, 20, None),
        (DType::F32, 2, None),
        (DType::F32, 7, None),
        (DType::BF16, 17, None),
    ] {
        let (n, k) = (437, 150);
        let product = move |x: Tensor, w: Tensor| {
            let options = hloom_graph::DotOptions { accumulate, ..Default::default() };
            x.dot_with(w, "in", options)
        };
        let specs = (
            Spec::new(dtype, [("row", rows), ("in", k)]),
            Spec::new(dtype, [("out", n), ("in", k)]),
        );
        let [with, without] = both(product, specs);
        assert_eq!(with.kernels().len(), 1, "{dtype} {rows}");
        assert_eq!(
            (with.kernels()[0].name.as_str(), with.kernels()[0].count),
            ("hloom.linear.v1", 1)
        );
        assert!(without.kernels().is_empty());
        let (x, w) = (buffer(dtype, [rows, k], 1), buffer(dtype, [n, k], 2));
        let expected = products(&exact(&x), &wide(&w), k, accumulate.unwrap_or(dtype));
        for (exe, by) in [(with, "the kernel"), (without, "the plugin")] {
            let found = wide(&exe.call((&x, &w)).expect("it runs"));
            assert_near(&format!("{by}, {dtype} {rows}"), &found, &expected);
        }
    }
}

#[test]
fn products_of_one_operand_are_one_call() {
    let function = |x: Tensor, a: Tensor, b: Tensor| {
        let y = x.dot(a, "in") + x.dot(b, "in");
        y.abs()
    };
    let weight = || Spec::bf16([("out", 8), ("in", 16)]);
    let specs = (Spec::bf16([("row", 2), ("in", 16)]), weight(), weight());
    let [with, without] = both(function, specs);
    assert_eq!(with.kernels()[0].count, 2);
    let (_, text) = with.any().optimized_program().expect("a program");
    let text = String::from_utf8_lossy(&text);
    assert_eq!(text.matches("hloom.linear.v1").count(), 1, "{text}");
    let buffers = [
        buffer(DType::BF16, [2, 16], 1),
        buffer(DType::BF16, [8, 16], 2),
        buffer(DType::BF16, [8, 16], 3),
    ];
    let [x, a, b] = &buffers;
    let product = |weight| products(&exact(x), &wide(weight), 16, DType::BF16);
    let sum = |(a, b): (Near, Near)| (a + b).rounded(DType::BF16).abs();
    let expected: Vec<Near> = product(a).into_iter().zip(product(b)).map(sum).collect();
    for (exe, by) in [(with, "the kernel"), (without, "the plugin")] {
        assert_near(by, &wide(&exe.call((x, a, b)).expect("it runs")), &expected);
    }
}

#[test]
fn threads_call_one_program() {
    let specs = (Spec::bf16([("row", 3), ("in", 512)]), Spec::bf16([("out", 700), ("in", 512)]));
    let exe = CPU.compile(|x: Tensor, w: Tensor| x.dot(w, "in"), specs).expect("it compiles");
    let (x, w) = (buffer(DType::BF16, [3, 512], 1), buffer(DType::BF16, [700, 512], 2));
    let expected = wide(&exe.call((&x, &w)).expect("it runs"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(wide(&exe.call((&x, &w)).expect("it runs")), expected);
                }
            });
        }
    });
    #[cfg(target_os = "linux")]
    {
        let tasks = std::fs::read_dir("/proc/self/task").expect("the system lists threads");
        let names =
            tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
        let kernel_threads = names.filter(|name| name.starts_with("hloom-kernel")).count();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(kernel_threads, cores - 1, "however many threads call");
    }
}

#[test]
fn products_that_are_left_to_the_plugin_are_right() {
    let numbers = |count: usize, by: usize| {
        (0..count).map(|i| (i * by % 17) as f32 - 8.0).collect::<Vec<_>>()
    };
    let (n, k) = (70, 60);
    // The sizes around the contracted axis.
    for (before, after) in [(2, 1), (140, 1), (141, 1), (1, 3), (5, 4), (6, 1)] {
        let (x, w) = (numbers(before * k * after, 7), numbers(n * k, 5));
        let sizes = [("head", before), ("in", k), ("row", after)];
        let specs = (Spec::f32(sizes), Spec::f32([("out", n), ("in", k)]));
        let exe = CPU
            .compiler()
            .kernels(Kernels::off())
            .compile(|x: Tensor, w: Tensor| x.dot(w, "in"), specs)
            .expect("it compiles");
        let inputs = [(&x, vec![before, k, after]), (&w, vec![n, k])];
        let [x_buffer, w_buffer] =
            inputs.map(|(values, dims)| Buffer::from_slice(&CPU, values, dims).expect("a buffer"));
        let y = exe.call((&x_buffer, &w_buffer)).expect("it runs");
        assert_eq!(y.shape().to_string(), format!("f32[head={before}, row={after}, out={n}]"));
        let mut expected = Vec::new();
        for (b, a) in (0..before).flat_map(|b| (0..after).map(move |a| (b, a))) {
            let row = |i: usize| x[(b * k + i) * after + a];
            expected.extend((0..n).map(|j| (0..k).map(|i| row(i) * w[j * k + i]).sum::<f32>()));
        }
        assert_eq!(y.to_vec::<f32>().expect("it is read"), expected, "{before} {after}");
    }
}

#[test]
fn threads_call_a_new_program_at_once() {
    // Small enough to be left to the plugin, and surrounded by constants.
    let function = |x: Tensor, w: Tensor| {
        let product = x.dot(w, "in");
        (1..16).fold(product, |y, i| (y + f64::from(i)).maximum(product * f64::from(i) - 3.0))
    };
    let specs = (Spec::f32([("row", 9), ("in", 8)]), Spec::f32([("out", 8), ("in", 8)]));
    let (x, w) = (buffer(DType::F32, [9, 8], 1), buffer(DType::F32, [8, 8], 2));
    for _ in 0..20 {
        let exe = CPU.compile(function, specs.clone()).expect("it compiles");
        assert!(exe.kernels().is_empty());
        let start = std::sync::Barrier::new(8);
        let call = || {
            start.wait();
            exe.call((&x, &w)).expect("it runs").to_vec::<f32>().expect("it is read")
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(call)).collect();
            let results = threads.into_iter().map(|thread| thread.join().expect("no panic"));
            let results: Vec<Vec<f32>> = results.collect();
            assert!(results.iter().all(|result| *result == results[0]));
        });
    }
}

#[test]
fn products_inside_of_loops_are_found() {
    let function = |x: Tensor, w: Tensor| {
        let (x, _) = hloom_graph::while_loop(
            (x, Tensor::scalar(0, DType::I32)),
            |(_, i): (Tensor, Tensor)| i.lt(3),
            |(x, i): (Tensor, Tensor)| (x.dot(w, "in").rename("out", "in"), i + 1),
        );
        x
    };
    let specs = (Spec::bf16([("row", 2), ("in", 8)]), Spec::bf16([("out", 8), ("in", 8)]));
    let [with, without] = both(function, specs);
    assert_eq!(with.kernels()[0].count, 1);
    let (x, w) = (buffer(DType::BF16, [2, 8], 1), buffer(DType::BF16, [8, 8], 2));
    let step = |x: Vec<Near>, _| products(&x, &wide(&w), 8, DType::BF16);
    let expected = (0..3).fold(exact(&x), step);
    for (exe, by) in [(with, "the kernel"), (without, "the plugin")] {
        assert_near(by, &wide(&exe.call((&x, &w)).expect("it runs")), &expected);
    }
}

#[test]
fn small_loops_that_reduce_compile_beside_products() {
    let function = |x: Tensor, w: Tensor| {
        let (x, _) = hloom_graph::while_loop(
            (x.dot(w, "in").rename("out", "in"), Tensor::scalar(0, DType::I32)),
            |(x, i): (Tensor, Tensor)| i.lt(3) & x.max(["row", "in"]).lt(100.0),
            |(x, i): (Tensor, Tensor)| {
                (x + x.sum("in").broadcast_to([("row", 2), ("in", 2)]), i + 1)
            },
        );
        x
    };
    let specs = (Spec::f32([("row", 2), ("in", 2)]), Spec::f32([("out", 2), ("in", 2)]));
    let buffer = |values| Buffer::from_slice(&CPU, values, [2, 2]).expect("a buffer");
    let (x, w) = (buffer(&[1f32, 0.0, 0.0, 1.0]), buffer(&[1f32, 2.0, 3.0, 4.0]));
    for exe in both(function, specs) {
        let found = exe.call((&x, &w)).expect("it runs").to_vec::<f32>().expect("it is read");
        // Three times, the sum of its row is added to each element.
        assert_eq!(found, [53.0, 55.0, 80.0, 82.0], "{:?}", exe.kernels());
    }
}

/// Attention as in decoders.
fn attention(query: Tensor, key: Tensor, value: Tensor, start: Option<Tensor>) -> Tensor {
    let (queries, positions) = (query.size("seq"), key.size("position"));
    let mask = start.map(|start| hloom_nn::causal_mask(start, queries, positions, None));
    hloom_nn::attention(query, key, value, mask, 0.7)
}

#[test]
fn attention_is_the_same_with_kernels_and_without() {
    for (dtype, seq, masked) in [
        (DType::BF16, 1, true),
        (DType::F16, 3, true),
        (DType::F32, 8, true),
        (DType::BF16, 2, false),
        (DType::F32, 25, true),
        (DType::BF16, 20, false),
    ] {
        let (kv, group, dim, positions) = (2, 3, 20, 70);
        let query =
            Spec::new(dtype, [("seq", seq), ("kv_head", kv), ("group", group), ("dim", dim)]);
        let cache = Spec::new(dtype, [("kv_head", kv), ("position", positions), ("dim", dim)]);
        let function = move |q: Tensor, k: Tensor, v: Tensor, start: Tensor| {
            attention(q, k, v, masked.then_some(start))
        };
        let specs = (query.clone(), cache.clone(), cache.clone(), Spec::scalar(DType::I32));
        let [with, without] = both(function, specs);
        assert_eq!(with.kernels().len(), 1, "{dtype} {seq}");
        assert_eq!(
            (with.kernels()[0].name.as_str(), with.kernels()[0].count),
            ("hloom.attend.v1", 1)
        );
        let of = |spec: &Spec, seed| {
            let flat = buffer(dtype, [1, spec.shape().element_count()], seed);
            let axes = spec.shape().axes();
            let reshape = CPU.compile(move |x: Tensor| x.reshape(axes), (Spec::of(flat.shape()),));
            reshape.expect("it compiles").call((&flat,)).expect("it runs")
        };
        let (q, k, v) = (of(&query, 1), of(&cache, 2), of(&cache, 3));
        let start = Buffer::scalar(&CPU, 41i32).expect("a buffer");
        let sizes = Sizes { seq, kv_heads: kv, group, positions, dim };
        let [query, key, value] = [&q, &k, &v].map(flat);
        let sees = |token: usize, at: usize| !masked || at <= 41 + token;
        let expected = attended(sizes, [&query, &key, &value], 0.7, sees, dtype);
        for (exe, by) in [(with, "the kernel"), (without, "the plugin")] {
            let found = exe.call((&q, &k, &v, &start)).expect("it runs");
            assert_near(&format!("{by}, {dtype} {seq}"), &flat(&found), &expected);
        }
    }
}

#[test]
fn a_kernel_of_a_user_is_asked_first() {
    use hloom_graph::{NodeId, Op, Rewrite, ValueId};
    use hloom_pjrt::extension::ffi::Ffi;

    /// A kernel with an invalid replacement.
    struct Wrong;
    impl hloom_runtime::PlatformKernel for Wrong {
        fn name(&self) -> &str {
            "test.wrong.v1"
        }
        fn register(&self, _: &Ffi) -> hloom_pjrt::Result<()> {
            Ok(())
        }
        fn replace(
            &self,
            _: &Platform,
            rewrite: &mut Rewrite<'_>,
            node: NodeId,
        ) -> Option<Vec<ValueId>> {
            let graph = rewrite.from();
            matches!(graph.node(node).op, Op::Dot(_))
                .then(|| vec![rewrite.value(graph.operands(node)[0])])?
                .into_iter()
                .collect()
        }
    }
    let specs = || (Spec::bf16([("row", 2), ("in", 16)]), Spec::bf16([("out", 8), ("in", 16)]));
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    let kernels = Kernels::default().with(Wrong);
    let error = CPU
        .compiler()
        .kernels(kernels.clone())
        .compile(product, specs())
        .expect_err("another shape");
    assert!(
        error
            .to_string()
            .contains("a result, bf16[row=2, out=8], was replaced by bf16[row=2, in=16]"),
        "{error}"
    );
    let exe = CPU.compiler().kernels(kernels.without("test.wrong.v1")).compile(product, specs());
    assert_eq!(exe.expect("it compiles").kernels()[0].name, "hloom.linear.v1");
}
