//! Views of a program's memory.

use super::compile;
use crate::CPU;
use half::{bf16, f16};
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_runtime::{Buffer, CallbackBuilder, ViewElement, callback};
use num_complex::Complex;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// A callback that copies and reverses.
fn reversed<T: ViewElement>(x: Tensor) -> Tensor {
    callback("reverse", x, Spec::of(x.shape()), |_, x, mut y| {
        let x = x.as_slice::<T>()?;
        for (y, x) in y.as_slice_mut::<T>()?.iter_mut().zip(x.iter().rev()) {
            *y = *x;
        }
        Ok(())
    })
}

fn check_type<T: ViewElement>(values: &[T]) {
    let exe = compile(reversed::<T>, (Spec::new(T::DTYPE, [values.len()]),));
    let x = Buffer::from_slice(&CPU, values, [values.len()]).unwrap();
    let mut expected = values.to_vec();
    expected.reverse();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<T>().unwrap(), expected);
    assert_eq!(x.to_vec::<T>().unwrap(), values, "the input stays as it is");
}

/// C9: outputs are written through views of every element type.
#[test]
fn elements_of_every_type_are_viewed() {
    check_type(&[true, false, false]);
    check_type(&[i8::MIN, -1, i8::MAX]);
    check_type(&[i16::MIN, -1, i16::MAX]);
    check_type(&[i32::MIN, -1, i32::MAX]);
    check_type(&[i64::MIN, -1, i64::MAX]);
    check_type(&[0, 1, u8::MAX]);
    check_type(&[0, 1, u16::MAX]);
    check_type(&[0, 1, u32::MAX]);
    check_type(&[0, 1, u64::MAX]);
    check_type(&[bf16::ONE, bf16::MIN, bf16::INFINITY]);
    check_type(&[f16::ONE, f16::MIN, f16::INFINITY]);
    check_type(&[0.5f32, -0.0, f32::INFINITY]);
    check_type(&[0.5f64, -0.0, f64::INFINITY]);
    check_type(&[Complex::new(1f32, 2.0), Complex::new(-1.0, 0.0)]);
    check_type(&[Complex::new(1f64, 2.0), Complex::new(-1.0, 0.0)]);
}

#[test]
fn every_dtype_passes_as_bytes() {
    for dtype in DType::ALL {
        let copy = |x: Tensor| {
            callback("copy", x, Spec::of(x.shape()), |_, x, mut y| {
                y.as_bytes_mut()?.copy_from_slice(x.as_bytes()?);
                Ok(())
            })
        };
        let shape = Shape::new(dtype, [("row", 3), ("column", 5)]).unwrap();
        let exe = compile(copy, (Spec::of(shape),));
        let bits = dtype.bits().min(8);
        let mut bytes: Vec<u8> =
            (0..shape.byte_size() as u32).map(|i| (i * 37 % 251) as u8).collect();
        if bits < 8 || dtype == DType::Bool {
            // One element per byte, in host layout.
            let mask = if dtype == DType::Bool { 1 } else { u8::MAX >> (8 - bits) };
            for byte in &mut bytes {
                *byte &= mask;
                if dtype.is_signed_int() && *byte >> (bits - 1) == 1 {
                    *byte |= !mask;
                }
            }
        }
        let x = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
        let y = exe.call((&x,)).unwrap().to_bytes();
        assert_eq!(y.unwrap_or_else(|error| panic!("{dtype}: {error}")), bytes, "{dtype}");
    }
}

#[test]
fn shapes_of_every_kind_keep_their_names() {
    let shapes = [
        Shape::scalar(DType::F32),
        Shape::new(DType::F32, [("n", 0)]).unwrap(),
        Shape::new(DType::F32, [1]).unwrap(),
        Shape::new(DType::F32, [("a", 2), ("b", 0), ("c", 3)]).unwrap(),
        Shape::new(DType::F32, [1, 1, 1, 1, 1, 1, 1, 7]).unwrap(),
    ];
    for shape in shapes {
        let seen = Arc::new(Mutex::new(None));
        let kept = seen.clone();
        let double = move |x: Tensor| {
            let kept = kept.clone();
            callback("double", x, Spec::of(x.shape()), move |_, x, mut y| {
                *kept.lock().unwrap() = Some((x.shape(), y.shape()));
                for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
                    *y = 2.0 * x;
                }
                Ok(())
            })
        };
        let exe = compile(double, (Spec::of(shape),));
        let values: Vec<f32> = (0..shape.element_count()).map(|i| i as f32 - 1.5).collect();
        let x = Buffer::from_slice(&CPU, &values, shape.axes()).unwrap();
        let doubled: Vec<f32> = values.iter().map(|x| 2.0 * x).collect();
        assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), doubled);
        assert_eq!(*seen.lock().unwrap(), Some((shape, shape)));
    }
}

/// C1: a callback takes and returns trees of any number of tensors.
#[test]
fn up_to_sixteen_inputs_and_outputs_go_through_as_trees() {
    for count in 1..=16 {
        let rotate = move |xs: Vec<Tensor>| {
            let specs: Vec<Spec> = (0..count).map(|i| Spec::i64([i + 1])).collect();
            callback(
                "rotate",
                (xs, Tensor::scalar(7, DType::I64)),
                specs,
                |_, (xs, add), mut ys| {
                    let (add, count) = (add.item::<i64>()?, xs.len());
                    for (i, y) in ys.iter_mut().enumerate() {
                        y.as_slice_mut::<i64>()?
                            .fill(xs[(i + 1) % count].as_slice::<i64>()?[0] + add);
                    }
                    Ok(())
                },
            )
        };
        let exe = compile(rotate, (vec![Spec::i64([2]); count],));
        let xs: Vec<Buffer> = (0..count as i64)
            .map(|i| Buffer::from_slice(&CPU, &[10 * i, -1], [2]).unwrap())
            .collect();
        for (i, y) in exe.call((&xs,)).unwrap().iter().enumerate() {
            let expected = vec![10 * ((i + 1) % count) as i64 + 7; i + 1];
            assert_eq!(y.to_vec::<i64>().unwrap(), expected, "{count}, {i}");
        }
    }
}

/// C9: inputs are views of the program's own memory.
#[test]
fn a_large_input_is_not_copied() {
    let address = Arc::new(AtomicUsize::new(0));
    let kept = address.clone();
    let sum = move |x: Tensor| {
        let kept = kept.clone();
        callback("sum", x, Spec::scalar(DType::F64), move |_, x, mut y| {
            kept.store(x.as_ptr() as usize, Ordering::Relaxed);
            y.as_slice_mut::<f64>()?[0] = x.as_slice::<f32>()?.iter().map(|&x| f64::from(x)).sum();
            Ok(())
        })
    };
    let exe = compile(sum, (Spec::f32([1 << 20]),));
    let x = Buffer::from_slice(&CPU, &vec![0.5f32; 1 << 20], [1 << 20]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().item::<f64>().unwrap(), f64::from(1 << 19));
    assert_eq!(address.load(Ordering::Relaxed), x.as_pjrt().unsafe_pointer().unwrap() as usize);
}

/// Memory that other programs wrote before is not read.
#[test]
fn outputs_are_zeros_at_first() {
    let reads = |x: Tensor| {
        callback("reads", x + 1, Spec::of(x.shape()), |_, _, mut y| {
            assert!(y.as_slice_mut::<f32>()?.iter().all(|&y| y == 0.0));
            Ok(())
        })
    };
    for size in [1, 7, 1000, 100_000] {
        let sevens = compile(|x: Tensor| x + 7, (Spec::f32([size]),));
        let reads = compile(reads, (Spec::f32([size]),));
        let x = Buffer::zeros(&CPU, Spec::f32([size])).unwrap();
        for _ in 0..20 {
            let other = sevens.call((&x,)).unwrap().to_vec::<f32>().unwrap();
            assert_eq!(other[size - 1], 7.0);
            // The callback writes nothing.
            let y = reads.call((&x,)).unwrap().to_vec::<f32>().unwrap();
            assert!(y.iter().all(|&y| y == 0.0), "{size}");
        }
    }
}

/// C5: an output is aliased to an input.
#[test]
fn an_output_has_the_memory_of_an_input() {
    let same = Arc::new(Mutex::new(Vec::new()));
    let kept = same.clone();
    let step = move |x: Tensor| {
        let kept = kept.clone();
        let x = x + 1;
        CallbackBuilder::new("in place", x, Spec::of(x.shape())).alias(0, 0).run(
            move |_, x, mut y| {
                kept.lock().unwrap().push(std::ptr::eq(x.as_ptr(), y.as_mut_ptr()));
                let refused = x.as_slice::<f32>().expect_err("it is the output's memory");
                assert!(
                    refused.message().contains("read and write the result in place"),
                    "{refused}"
                );
                for y in y.as_slice_mut::<f32>()? {
                    *y *= 10.0;
                }
                Ok(())
            },
        )
    };
    let exe = compile(step, (Spec::f32([4]),));
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, 4.0], [4]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [20.0, 30.0, 40.0, 50.0]);
    assert_eq!(*same.lock().unwrap(), [true]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);

    // An input that is needed afterwards is copied first.
    let keeps = |x: Tensor| {
        let y = CallbackBuilder::new("negate", x, Spec::of(x.shape())).alias(0, 0).run(
            |_, _, mut y| {
                y.as_slice_mut::<f32>()?.iter_mut().for_each(|y| *y = -*y);
                Ok(())
            },
        );
        (x, y)
    };
    let exe = compile(keeps, (Spec::f32([4]),));
    let (same, negated) = exe.call((&x,)).unwrap();
    assert_eq!(negated.to_vec::<f32>().unwrap(), [-1.0, -2.0, -3.0, -4.0]);
    assert_eq!(same.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}
