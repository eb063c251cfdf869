//! Buffers that the host writes between calls.

use hloom_graph::{Shape, Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Error, SharedBuffer, ViewElement, callback};
use hloom_test_support::CPU;
use std::time::Duration;

/// E21: the program reads what the host wrote in place; each call sees the values of its own time,
/// and neither side copies.
#[test]
fn an_input_is_written_in_place_between_calls() {
    // A program that is slow before it reads its input again.
    let slow = |x: Tensor| {
        let seen = callback("seen", x, Spec::of(x.shape()), |_, x, mut y| {
            let address = x.as_ptr() as usize as u64;
            std::thread::sleep(Duration::from_millis(5));
            let (x, y) = (x.as_slice::<f64>()?, y.as_slice_mut::<f64>()?);
            y[0] = x[0];
            y[1] = f64::from_bits(address);
            Ok(())
        });
        (seen, x * 2)
    };
    let exe = CPU.compile(slow, (Spec::f64([("n", 2)]),)).unwrap();
    let mut x = SharedBuffer::<f64>::from_slice(&CPU, &[1.0, 2.0], [("n", 2)]).unwrap();
    let address = x.read().unwrap().as_ptr() as usize;
    assert_eq!(x.buffer().as_pjrt().unsafe_pointer().unwrap(), address);
    assert_eq!(x.shape().to_string(), "f64[n=2]");
    for step in 0..10 {
        let value = f64::from(step);
        x.write().unwrap().copy_from_slice(&[value, value + 0.5]);
        let (seen, double) = exe.call((x.buffer(),)).unwrap();
        // Written at once: this waits for the call, which sees the earlier values.
        x.write().unwrap().fill(-1.0);
        assert_eq!(double.to_vec::<f64>().unwrap(), [2.0 * value, 2.0 * value + 1.0]);
        let seen = seen.to_vec::<f64>().unwrap();
        assert_eq!((seen[0], seen[1].to_bits() as usize), (value, address));
        assert_eq!(x.read().unwrap()[..], [-1.0; 2]);
        assert_eq!(x.read().unwrap().as_ptr() as usize, address);
    }
}

/// E21: what others can read at the same time cannot be written; a donated buffer is gone.
#[test]
fn a_bound_shared_buffer_is_not_written() {
    let add = CPU.compile(|x: Tensor, y: Tensor| x + y, (Spec::f32([2]), Spec::f32([2]))).unwrap();
    let mut x = SharedBuffer::<f32>::zeros(&CPU, [2]).unwrap();
    let y = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    let bound = add.bind(x.buffer()).unwrap();
    let error = x.write().map(drop).unwrap_err();
    assert!(matches!(error, Error::SharedElsewhere { .. }), "{error}");
    assert!(error.to_string().contains("f32[2] cannot be written"), "{error}");
    assert_eq!(bound.call((&y,)).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    drop(bound);
    x.write().unwrap().fill(3.0);
    assert_eq!(add.call((x.buffer(), &y)).unwrap().to_vec::<f32>().unwrap(), [4.0, 5.0]);

    let step = CPU.compile(|x: Tensor| (x + 1).reuse(x), (Donated(Spec::f32([2])),)).unwrap();
    let result = step.call((x.into_buffer(),)).unwrap();
    assert_eq!(result.to_vec::<f32>().unwrap(), [4.0; 2]);
}

#[test]
fn shared_buffers_hold_elements_of_every_type_and_shape() {
    fn check<T: ViewElement + PartialEq + std::fmt::Debug>(values: &[T]) {
        let mut shared = SharedBuffer::<T>::zeros(&CPU, [values.len()]).unwrap();
        shared.write().unwrap().copy_from_slice(values);
        assert_eq!(shared.buffer().to_vec::<T>().unwrap(), values);
        assert_eq!(shared.shape(), Shape::new(T::DTYPE, [values.len()]).unwrap());
    }
    check::<bool>(&[true, false, true]);
    check::<u8>(&[1, 255]);
    check::<i64>(&[i64::MIN, 7]);
    check::<half::bf16>(&[half::bf16::ONE]);
    check::<num_complex::Complex<f64>>(&[num_complex::Complex::new(1.0, -2.0)]);
    check::<f32>(&[]);
    let scalar = SharedBuffer::<i32>::from_slice(&CPU, &[7], [0usize; 0]).unwrap();
    assert_eq!(scalar.buffer().item::<i32>().unwrap(), 7);
    let error = SharedBuffer::<f32>::from_slice(&CPU, &[1.0], [2]).unwrap_err().to_string();
    assert_eq!(error, "1 elements of type f32 do not fill f32[2], which has 2 of type f32");
}
