//! Sorting.

use super::table::check;
use crate::platforms::platforms;
use hloom::prelude::*;

#[test]
fn sorting_matches() {
    check("sort");
}

#[test]
fn nans_stand_last_whatever_their_bits_are() {
    let floats = DType::ALL.into_iter().filter(|dtype| dtype.is_float());
    // The type has no NaN.
    let floats: Vec<DType> = floats.filter(|&dtype| dtype != DType::F4E2M1FN).collect();
    let types = floats.clone();
    let sorted = move |x: Tensor| {
        let each = types.iter().map(|&dtype| {
            let sorted = x.convert(dtype).sort(0, false).convert(DType::F32);
            (sorted, x.convert(dtype).argsort(0, true))
        });
        each.collect::<Vec<(Tensor, Tensor)>>()
    };
    for platform in platforms() {
        let exe = platform.compile(sorted.clone(), (Spec::f32([5]),)).unwrap();
        let x = Buffer::from_slice(platform, &[4.0, f32::NAN, 0.25, f32::NAN, 1.0], [5]).unwrap();
        for ((values, order), dtype) in exe.call((&x,)).unwrap().into_iter().zip(&floats) {
            let values = values.to_vec::<f32>().unwrap();
            assert_eq!(values[..3], [0.25, 1.0, 4.0], "{dtype}: {values:?}");
            assert!(values[3..].iter().all(|value| value.is_nan()), "{dtype}: {values:?}");
            assert_eq!(order.to_vec::<i32>().unwrap(), [1, 3, 0, 4, 2], "{dtype}");
        }
    }
}
