//! Rows of weights of blocks, their names, and what refuses them.

use super::format::{KINDS, Weight};
use crate::CPU;
use hloom_graph::{BlockKind, DType, Spec, Tensor, TraceScope};
use hloom_runtime::{Buffer, Function, Kernels};

/// The shape and the bytes of the result of a function of a weight, `[6, 5, 64]`.
fn bytes_of<Passing, F>(weight: &Weight, function: F) -> (String, Vec<u8>)
where
    F: Function<(Spec,), Passing, Output = Tensor>,
{
    let exe = CPU.compile(function, (weight.spec(["head", "out", "in"]),)).unwrap();
    let y: Buffer = exe.call((&weight.buffer(),)).unwrap();
    (y.shape().to_string(), y.to_bytes().unwrap())
}

#[test]
fn rows_are_selected_by_their_bytes() {
    let weight = Weight::new(BlockKind::Q8_0, &[6, 5, 64]);
    let row = |at: usize| weight.bytes()[68 * at..68 * (at + 1)].to_vec();
    let rows = |at: &[usize]| at.iter().flat_map(|&at| row(at)).collect::<Vec<u8>>();
    let all: Vec<usize> = (0..30).collect();
    let found = bytes_of(&weight, |w: Tensor| w.slice("head", 1..3));
    assert!(found == ("q8_0[head=2, out=5, in=64]".into(), rows(&all[5..15])), "{}", found.0);
    let found = bytes_of(&weight, |w: Tensor| w.slice_step("out", 1.., 2));
    let odd: Vec<usize> = all.iter().copied().filter(|at| [1, 3].contains(&(at % 5))).collect();
    assert!(found == ("q8_0[head=6, out=2, in=64]".into(), rows(&odd)), "{}", found.0);
    let found = bytes_of(&weight, |w: Tensor| w.index("head", -1));
    assert!(found == ("q8_0[out=5, in=64]".into(), rows(&all[25..])), "{}", found.0);
    let found =
        bytes_of(&weight, |w: Tensor| w.dynamic_slice("head", Tensor::scalar(4, DType::I32), 1));
    assert!(found == ("q8_0[head=1, out=5, in=64]".into(), rows(&all[20..25])), "{}", found.0);
    let found = bytes_of(&weight, |w: Tensor| {
        let indices = Tensor::iota(DType::I32, [("i", 2)], 0) * 2;
        w.take(indices, "head")
    });
    assert_eq!(found.0, "q8_0[i=2, out=5, in=64]");
    assert!(found.1 == rows(&[&all[..5], &all[10..15]].concat()));
    let found = bytes_of(&weight, |w: Tensor| w.rename("in", "k").named(["a", "_", "b"]));
    assert!(found == ("q8_0[a=6, 5, b=64]".into(), weight.bytes().to_vec()), "{}", found.0);
}

#[test]
fn values_of_rows_are_bit_for_bit() {
    for kind in KINDS {
        let weight = Weight::new(kind, &[7, 96]);
        for kernels in [Kernels::off(), Kernels::default()] {
            let values = |w: Tensor| {
                let rows = w.take(Tensor::iota(DType::I32, [3], 0) + 3, 0);
                (rows.dequantize(DType::F32), rows.dequantize(DType::BF16))
            };
            let compiler = CPU.compiler().kernels(kernels);
            let exe = compiler.compile(values, (weight.spec(["out", "in"]),)).unwrap();
            let (wide, short): (Buffer, Buffer) = exe.call((&weight.buffer(),)).unwrap();
            let expected = weight.values()[3 * 96..6 * 96].to_vec();
            assert_eq!(wide.to_vec::<f32>().unwrap(), expected, "{kind}");
            let expected: Vec<half::bf16> =
                expected.into_iter().map(half::bf16::from_f32).collect();
            assert_eq!(short.to_vec::<half::bf16>().unwrap(), expected, "{kind}");
        }
    }
}

/// The error of a function of `x`, `f32[row=2, in=64]`, and of a weight, `q8_0[out=8, in=64]`.
fn q8(function: fn(Tensor, Tensor) -> Tensor) -> String {
    let trace = TraceScope::begin("blocks");
    let x = trace.parameter("x", &Spec::f32([("row", 2), ("in", 64)]), false);
    let spec = Spec::new(DType::Block(BlockKind::Q8_0), [("out", 8), ("in", 64)]);
    let weight = trace.parameter("w", &spec, false);
    let y = function(x, weight);
    trace.finish(vec![("y".into(), y)]).unwrap_err().to_string()
}

#[test]
fn other_uses_are_errors_that_name_the_shape() {
    for (error, parts) in [
        (q8(|_, w| w.slice("in", ..32)), &["lie along axis `in`", "dequantize"][..]),
        (q8(|_, w| w.take(Tensor::iota(DType::I32, [1], 0), 1)), &["lie along axis 1"]),
        (q8(|_, w| w.convert(DType::F32)), &["q8_0[out=8, in=64] has blocks", "dequantize"]),
        (q8(|_, w| w + 1.0), &["q8_0[out=8, in=64]"]),
        (q8(|_, w| w.transpose([1, 0])), &["q8_0[out=8, in=64] has blocks"]),
        (q8(|_, w| w.reshape([64, 8])), &["q8_0[out=8, in=64] has blocks"]),
        (q8(|_, w| w.bitcast(DType::I8)), &["q8_0[out=8, in=64] is read as u8, not as i8"]),
        (
            q8(|x, _| x.bitcast(DType::Block(BlockKind::Q8_0))),
            &["f32[row=2, in=64] is not rows of bytes"],
        ),
        (
            q8(|x, _| x.convert(DType::U8).bitcast(DType::Block(BlockKind::Q8_0))),
            &["rows of 64 bytes are not blocks of q8_0, which have 34 bytes"],
        ),
        (q8(|x, w| w.dot(x, "in")), &["right operand"]),
        (q8(|x, w| x.convert(DType::I32).dot(w, "in")), &["floats of 16 bits or more", "i32"]),
        (q8(|x, w| x.slice("in", ..32).dot(w, "in")), &["axis `in` has size 32", "64 on the"]),
        (q8(|x, _| x.dequantize(DType::F32)), &["f32[row=2, in=64] has no blocks"]),
        (q8(|_, w| w.dequantize(DType::I8)), &["not of i8"]),
    ] {
        for part in parts {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
        assert!(error.contains("selections.rs"), "{error}");
    }
}
