//! Inputs of callbacks that outlive the call.

use super::compile;
use crate::CPU;
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_runtime::{Buffer, CallbackBuilder, NO_RESULTS, Platform, callback};
use std::sync::{Arc, Mutex, mpsc};

/// C15: a callback's inputs become buffers: kept after the call, and passed to an executable of
/// another platform, inside of the callback and later.
#[test]
fn inputs_of_callbacks_are_kept_and_passed_to_other_executables() {
    let other = Platform::cpus(2).unwrap();
    assert!(!other.is_same(&CPU));
    let doubled = other.compile(|x: Tensor| x * 2, (Spec::f32([("n", 2)]),)).unwrap();
    let here = CPU.compile(|x: Tensor| x * 10, (Spec::f32([("n", 2)]),)).unwrap();
    let (sender, kept) = mpsc::channel();
    let (platform, sender) = (other.clone(), Mutex::new(sender));
    let inner = doubled.clone();
    let exe = compile(
        move |x: Tensor| {
            let (platform, inner) = (platform.clone(), inner.clone());
            let sender = sender.lock().unwrap().clone();
            callback("double elsewhere", x + 1, Spec::of(x.shape()), move |_, x, mut y| {
                let there = Buffer::from_view(&platform, &x)?;
                let doubled = inner.call((&there,))?.to_vec::<f32>()?;
                y.as_slice_mut::<f32>()?.copy_from_slice(&doubled);
                let here = Buffer::from_view(&CPU, &x)?;
                sender.send((there, here)).expect("the buffers are kept below");
                Ok(())
            })
        },
        (Spec::f32([("n", 2)]),),
    );
    for value in [1f32, 5.0] {
        let x = Buffer::from_slice(&CPU, &[value, value + 1.0], [("n", 2)]).unwrap();
        let y = exe.call((&x,)).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(y, [2.0 * (value + 1.0), 2.0 * (value + 2.0)]);
    }
    drop(exe);
    let kept: Vec<(Buffer, Buffer)> = kept.iter().collect();
    assert_eq!(kept.len(), 2);
    for ((there, here_too), value) in kept.iter().zip([1f32, 5.0]) {
        // The memory of the program was used again since: these are copies.
        assert_eq!(there.to_vec::<f32>().unwrap(), [value + 1.0, value + 2.0]);
        assert_eq!(there.shape().to_string(), "f32[n=2]");
        let doubled = doubled.call((there,)).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(doubled, [2.0 * (value + 1.0), 2.0 * (value + 2.0)]);
        let tens = here.call((here_too,)).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(tens, [10.0 * (value + 1.0), 10.0 * (value + 2.0)]);
    }
}

/// C15: inputs of every element type keep their values, also those that programs pack; aliased ones
/// are refused.
#[test]
fn inputs_of_every_type_are_kept() {
    let kept: Arc<Mutex<Vec<Buffer>>> = Arc::default();
    for dtype in DType::ALL {
        let inside = kept.clone();
        let exe = compile(
            move |x: Tensor| {
                let inside = inside.clone();
                let [] = callback("keep", x, NO_RESULTS, move |_, x, _| {
                    inside.lock().unwrap().push(Buffer::from_view(&CPU, &x)?);
                    Ok(())
                });
                x
            },
            (Spec::new(dtype, [3]),),
        );
        let shape = Shape::new(dtype, [3]).unwrap();
        let bytes: Vec<u8> = (0..shape.byte_size()).map(|i| u8::from(i == 0)).collect();
        let x = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
        exe.call((&x,)).unwrap().ready().unwrap();
        let kept = kept.lock().unwrap().pop().unwrap();
        assert_eq!((kept.shape(), kept.to_bytes().unwrap()), (shape, bytes), "{dtype}");
    }
    let aliased = |x: Tensor| {
        let call = CallbackBuilder::new("aliased", x + 1, Spec::of(x.shape())).alias(0, 0);
        call.run(|_, x, _| Buffer::from_view(&CPU, &x).map(drop))
    };
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    let error = compile(aliased, (Spec::f32([1]),)).call((&x,)).and_then(|y| y.ready());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`aliased`") && error.contains("alias"), "{error}");
}
