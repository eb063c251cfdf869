//! Weights of quantised blocks in programs, by kernels and by ops on their bytes.

mod experts;
mod format;
mod kinds;
mod meshes;
mod selections;

use crate::CPU;
use format::{KINDS, Weight, activations, distance, near, product};
use hloom_graph::{CheckpointPolicy, DType, DotOptions, Spec, Tensor, checkpoint, grad, vmap};
use hloom_runtime::{AnyExe, Argument, BlockLinearKernel, Buffer, Kernels};

/// The kernels, each with the relative distance that its results may have from those in `f64`.
fn all_kernels() -> [(&'static str, Kernels, f64); 3] {
    let exact = Kernels::off().with(BlockLinearKernel::with_float_activations());
    [
        ("ops", Kernels::off(), 1e-6),
        ("float activations", exact, 1e-6),
        ("quantised activations", Kernels::default(), 5e-2),
    ]
}

#[test]
fn products_are_those_of_the_values() {
    // The last weight has several panels.
    let sizes = [(1, 1, 32), (1, 7, 64), (3, 33, 96), (9, 64, 256), (2, 1, 32), (5, 4099, 512)];
    for kind in KINDS {
        for (rows, n, k) in sizes {
            let weight = Weight::new(kind, &[n, k]);
            let x = activations(rows * k);
            let expected = product(&x, &weight.values(), k);
            for (name, kernels, most) in all_kernels() {
                let compiler = CPU.compiler().kernels(kernels);
                let specs = (Spec::f32([("row", rows), ("in", k)]), weight.spec(["out", "in"]));
                let exe = compiler.compile(|x: Tensor, w: Tensor| x.dot(w, "in"), specs).unwrap();
                assert_eq!(exe.kernels().is_empty(), name == "ops", "{name}");
                let x = Buffer::from_slice(&CPU, &x, [rows, k]).unwrap();
                let y: Buffer = exe.call((&x, &weight.buffer())).unwrap();
                assert_eq!(y.shape().to_string(), format!("f32[row={rows}, out={n}]"));
                let what = format!("{kind}, {rows} rows, {n} by {k}, {name}");
                near(&y.to_vec::<f32>().unwrap(), &expected, most, &what);
            }
        }
    }
}

#[test]
fn products_of_one_left_side_are_one_call() {
    let weights = [KINDS[0], KINDS[2], KINDS[1]].map(|kind| Weight::new(kind, &[9, 64]));
    let [a, b, c] = &weights;
    let x = activations(64);
    let names = ["out", "in"];
    let specs =
        (Spec::f32([("row", 1), ("in", 64)]), a.spec(names), b.spec(names), c.spec(["k", "in"]));
    let forward = |x: Tensor, a: Tensor, b: Tensor, c: Tensor| {
        let first = x.dot(a, "in");
        (first, x.dot(b, "in").tanh() * first, x.dot(c.rename("k", "out"), "in"))
    };
    let exe = CPU.compile(forward, specs).unwrap();
    let uses: Vec<_> = exe.kernels().iter().map(|k| (k.name.as_str(), k.count)).collect();
    assert_eq!(uses, [("hloom.block_linear.v1", 3)]);
    let buffer = Buffer::from_slice(&CPU, &x, [1, 64]).unwrap();
    let y: (Buffer, Buffer, Buffer) =
        exe.call((&buffer, &a.buffer(), &b.buffer(), &c.buffer())).unwrap();
    near(&y.0.to_vec::<f32>().unwrap(), &product(&x, &a.values(), 64), 5e-2, "first");
    near(&y.2.to_vec::<f32>().unwrap(), &product(&x, &c.values(), 64), 5e-2, "last");
}

#[test]
fn sizes_of_zero_have_empty_results() {
    for (rows, n, k) in [(0, 3, 32), (2, 0, 32), (2, 3, 0), (0, 0, 0)] {
        let weight = Weight::new(KINDS[0], &[n, k]);
        for (name, kernels, _) in all_kernels() {
            let specs = (Spec::f32([("row", rows), ("in", k)]), weight.spec(["out", "in"]));
            let compiler = CPU.compiler().kernels(kernels);
            let exe = compiler
                .compile(|x: Tensor, w: Tensor| (x.dot(w, "in"), w.dequantize(DType::F32)), specs);
            let x = Buffer::from_slice::<f32>(&CPU, &activations(rows * k), [rows, k]).unwrap();
            let (y, values): (Buffer, Buffer) = exe.unwrap().call((&x, &weight.buffer())).unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap(), vec![0.0; rows * n], "{name}");
            assert_eq!(values.shape().sizes(), [n, k]);
        }
    }
}

#[test]
fn other_types_of_activations_keep_theirs() {
    let weight = Weight::new(KINDS[1], &[40, 64]);
    let x = activations(3 * 64);
    for (dtype, accumulate, most) in [
        (DType::BF16, None, 2e-2),
        (DType::F16, None, 2e-2),
        (DType::BF16, Some(DType::F32), 2e-2),
        (DType::F64, None, 1e-12),
    ] {
        for (name, kernels, _) in all_kernels() {
            let specs = (Spec::f32([("row", 3), ("in", 64)]), weight.spec(["out", "in"]));
            let forward = move |x: Tensor, w: Tensor| {
                let options = DotOptions { accumulate, ..DotOptions::default() };
                let y = x.convert(dtype).dot_with(w, "in", options);
                assert_eq!(y.dtype(), accumulate.unwrap_or(dtype));
                y.convert(DType::F64)
            };
            let exe = CPU.compiler().kernels(kernels).compile(forward, specs).unwrap();
            let x_buffer = Buffer::from_slice(&CPU, &x, [3, 64]).unwrap();
            let y: Buffer = exe.call((&x_buffer, &weight.buffer())).unwrap();
            let y: Vec<f32> = y.to_vec::<f64>().unwrap().iter().map(|&y| y as f32).collect();
            let most = f64::max(most, 1e-6);
            near(&y, &product(&x, &weight.values(), 64), most, &format!("{dtype}, {name}"));
        }
    }
}

#[test]
fn other_axes_are_contracted_and_moved() {
    let weight = Weight::new(KINDS[2], &[6, 5, 64]);
    let x = activations(64 * 2 * 3);
    // `x` is `[in, a, b]`.
    let at = |i: usize, a: usize, b: usize| f64::from(x[(i * 2 + a) * 3 + b]);
    let w = weight.values();
    let mut expected = Vec::new();
    for a in 0..2 {
        for b in 0..3 {
            for out in w.chunks_exact(64) {
                let terms = out.iter().enumerate().map(|(i, &w)| at(i, a, b) * f64::from(w));
                expected.push(terms.sum::<f64>());
            }
        }
    }
    let specs = (Spec::f32([("in", 64), ("a", 2), ("b", 3)]), weight.spec(["head", "out", "in"]));
    for (name, kernels, most) in all_kernels() {
        let compiler = CPU.compiler().kernels(kernels);
        let exe = compiler.compile(|x: Tensor, w: Tensor| x.dot(w, "in"), specs.clone()).unwrap();
        let x = Buffer::from_slice(&CPU, &x, [64, 2, 3]).unwrap();
        let y: Buffer = exe.call((&x, &weight.buffer())).unwrap();
        assert_eq!(y.shape().to_string(), "f32[a=2, b=3, head=6, out=5]");
        near(&y.to_vec::<f32>().unwrap(), &expected, most, name);
    }
    // The rows of a weight are contracted by its values.
    let weight = Weight::new(KINDS[0], &[6, 64]);
    let specs = (Spec::f32([("row", 2), ("out", 6)]), weight.spec(["out", "in"]));
    let exe = CPU.compile(|x: Tensor, w: Tensor| x.dot(w, "out"), specs).unwrap();
    let x = Buffer::from_slice(&CPU, &x[..12], [2, 6]).unwrap();
    let y: Buffer = exe.call((&x, &weight.buffer())).unwrap();
    assert_eq!(y.shape().to_string(), "f32[row=2, in=64]");
    let x = x.to_vec::<f32>().unwrap();
    let columns = weight.transposed_values();
    near(&y.to_vec::<f32>().unwrap(), &product(&x, &columns, 6), 1e-6, "rows");
}

#[test]
fn derivatives_are_products_with_the_other_axis() {
    for (n, k) in [(5, 64), (4099, 512)] {
        let weight = Weight::new(KINDS[1], &[n, k]);
        let (x, g) = (activations(3 * k), activations(3 * n));
        let specs = || {
            (
                Spec::f32([("row", 3), ("in", k)]),
                Spec::f32([("row", 3), ("out", n)]),
                weight.spec(["out", "in"]),
            )
        };
        let first = |x: Tensor, g: Tensor, w: Tensor| grad(x, |x| (x.dot(w, "in") * g).sum(..));
        let second = |x: Tensor, g: Tensor, w: Tensor| {
            grad(g, |g| (grad(x, |x| (x.dot(w, "in") * g).sum(..)) * x).sum(..))
        };
        let arguments = (
            Buffer::from_slice(&CPU, &x, [3, k]).unwrap(),
            Buffer::from_slice(&CPU, &g, [3, n]).unwrap(),
            weight.buffer(),
        );
        let (x_buffer, g_buffer, w) = (&arguments.0, &arguments.1, &arguments.2);
        let compiler = || CPU.compiler().kernels(Kernels::off());
        let exe = compiler().compile(first, specs()).unwrap();
        let of_x: Buffer = exe.call((x_buffer, g_buffer, w)).unwrap();
        let columns = weight.transposed_values();
        let expected = product(&g, &columns, n);
        near(&of_x.to_vec::<f32>().unwrap(), &expected, 1e-6, "first");
        // The derivative of the first one by `g` is the product.
        let exe = compiler().compile(second, specs()).unwrap();
        let of_g: Buffer = exe.call((x_buffer, g_buffer, w)).unwrap();
        near(&of_g.to_vec::<f32>().unwrap(), &product(&x, &weight.values(), k), 1e-6, "second");
    }
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own program")]
fn checkpoints_and_saved_programs_take_blocks() {
    let (weight, x) = (Weight::new(KINDS[1], &[64, 64]), activations(2 * 64));
    let specs = (Spec::f32([("row", 2), ("in", 64)]), weight.spec(["out", "in"]));
    let forward = |x: Tensor, w: Tensor| {
        let twice = |(x, w): (Tensor, Tensor)| x.dot(w, "in").rename("out", "in").dot(w, "in");
        grad(x, |x| checkpoint((x, w), CheckpointPolicy::NothingSaveable, twice).sum(..))
    };
    let exe = CPU.compiler().kernels(Kernels::off()).compile(forward, specs).unwrap();
    let bytes = exe.any().to_bytes().unwrap();
    // SAFETY: the bytes are those of a program of this test.
    let loaded = unsafe { AnyExe::from_bytes(&CPU, &bytes).unwrap() };
    // The sums over the rows of the weight, multiplied by it again.
    let columns = weight.transposed_values();
    let ones = product(&[1.0; 64], &columns, 64);
    let ones: Vec<f32> = ones.into_iter().map(|one| one as f32).collect();
    let expected = product(&ones, &columns, 64).repeat(2);
    let buffer = Buffer::from_slice(&CPU, &x, [2, 64]).unwrap();
    let w = weight.buffer();
    let y: Buffer = exe.call((&buffer, &w)).unwrap();
    near(&y.to_vec::<f32>().unwrap(), &expected, 1e-5, "checkpoint");
    let again = loaded.call(vec![Argument::Borrowed(&buffer), Argument::Borrowed(&w)]).unwrap();
    assert!(again[0].to_bytes().unwrap() == y.to_bytes().unwrap());
}

#[test]
fn lanes_are_products_of_each_element() {
    let weight = Weight::new(KINDS[0], &[4, 9, 64]);
    let x = activations(4 * 2 * 64);
    let specs =
        (Spec::f32([("lane", 4), ("row", 2), ("in", 64)]), weight.spec(["lane", "out", "in"]));
    let forward = |x: Tensor, w: Tensor| vmap((x, w), "lane", |(x, w)| x.dot(w, "in"));
    let exe = CPU.compiler().kernels(Kernels::off()).compile(forward, specs).unwrap();
    let buffer = Buffer::from_slice(&CPU, &x, [4, 2, 64]).unwrap();
    let y: Buffer = exe.call((&buffer, &weight.buffer())).unwrap();
    assert_eq!(y.shape().to_string(), "f32[lane=4, row=2, out=9]");
    let values = weight.values();
    let lanes = x.chunks_exact(2 * 64).zip(values.chunks_exact(9 * 64));
    let expected: Vec<f64> = lanes.flat_map(|(x, w)| product(x, w, 64)).collect();
    near(&y.to_vec::<f32>().unwrap(), &expected, 1e-6, "lanes");
}

#[test]
fn the_interpreter_reads_the_same_bytes() {
    for kind in KINDS {
        let (weight, x) = (Weight::new(kind, &[5, 64]), activations(2 * 64));
        let specs = (Spec::f32([("row", 2), ("in", 64)]), weight.spec(["out", "in"]));
        let forward = |x: Tensor, w: Tensor| (x.dot(w, "in"), w.slice("out", 1..3));
        let exe = CPU.compiler().keep_graph(true).compile(forward, specs).unwrap();
        let buffer = Buffer::from_slice(&CPU, &x, [2, 64]).unwrap();
        let (y, rows) = exe.interpret((&buffer, &weight.buffer())).unwrap();
        near(&y.to_vec::<f32>().unwrap(), &product(&x, &weight.values(), 64), 1e-6, "interpreted");
        let row = weight.bytes().len() / 5;
        assert!(rows.to_bytes().unwrap() == weight.bytes()[row..3 * row], "{kind}");
    }
}

#[test]
fn hostile_scales_are_as_in_the_values() {
    for kind in KINDS {
        let weight = Weight::hostile(kind, &[64, 32]);
        let exe = |kernels| {
            let specs = (weight.spec(["out", "in"]),);
            CPU.compiler().kernels(kernels).compile(|w: Tensor| w.dequantize(DType::F32), specs)
        };
        for kernels in [Kernels::off(), Kernels::default()] {
            let values: Buffer = exe(kernels).unwrap().call((&weight.buffer(),)).unwrap();
            let values = values.to_vec::<f32>().unwrap();
            for (at, (y, expected)) in values.iter().zip(weight.values()).enumerate() {
                let is_same = y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan();
                assert!(is_same, "{kind}, value {at}: {y} and {expected}");
            }
        }
    }
    assert!(distance(&[f32::NAN], &[1.0]).is_nan());
}
