//! Value semantics, and memory that is reused.

use crate::vector;
use hloom_graph::DType;
use hloom_lazy::Lazy;
use hloom_test_support::CPU;

/// U8: `set` makes a new value: later reads of it see the change, reads of the source do not, and
/// the memory of the source is reused when nobody else holds it.
#[test]
fn set_makes_a_new_value() {
    let x = vector(&[1.0, 2.0, 3.0]);
    let before = &x + 0;
    let changed = x.at(0, 1).set(20);
    let later = &changed + 0;
    assert_eq!(later.to_vec::<f32>().unwrap(), [1.0, 20.0, 3.0]);
    assert_eq!(before.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);

    let mut x = Lazy::zeros(&CPU, DType::F32, [1 << 16]) + 1;
    let place = |x: &Lazy| {
        let buffer = x.realize().unwrap();
        buffer.ready().unwrap();
        buffer.as_pjrt().unsafe_pointer().unwrap()
    };
    let first = place(&x);
    for i in 0..4i32 {
        x = x.at(0, i).set(7);
        assert_eq!(place(&x), first, "the memory of step {i} is another");
    }
    let kept = x.clone();
    let next = x.at(0, 9).set(8);
    assert_ne!(place(&next), first);
    assert_eq!(kept.slice(0, 0..6).to_vec::<f32>().unwrap(), [7.0, 7.0, 7.0, 7.0, 1.0, 1.0]);
    assert_eq!(next.index(0, 9).item::<f32>().unwrap(), 8.0);
}

/// A buffer that was handed out is never overwritten.
#[test]
fn a_buffer_with_another_holder_is_kept() {
    let x = vector(&[1.0, 2.0, 3.0]) + 1;
    let buffer = x.realize().unwrap();
    let y = x * 2;
    assert_eq!(y.to_vec::<f32>().unwrap(), [4.0, 6.0, 8.0]);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0]);
    let y = y + 1;
    let other = y.clone();
    assert_eq!((y * 2).to_vec::<f32>().unwrap(), [10.0, 14.0, 18.0]);
    assert_eq!(other.to_vec::<f32>().unwrap(), [5.0, 7.0, 9.0]);
}
