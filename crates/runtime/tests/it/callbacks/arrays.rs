//! Views as arrays of the `ndarray` crate.

use super::compile;
use crate::CPU;
use hloom_graph::{Spec, Tensor};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, CallbackError, Error, callback};
use ndarray::{Axis, Ix2};

#[test]
fn views_are_arrays_of_the_same_axes() {
    let centred = |x: Tensor| {
        callback("centre columns", x, Spec::of(x.shape()), |_, x, mut y| {
            let x = x.as_array::<f64>()?.into_dimensionality::<Ix2>()?;
            let mean = x.mean_axis(Axis(0)).ok_or_else(|| CallbackError::new("no rows"))?;
            y.as_array_mut::<f64>()?.assign(&(&x - &mean));
            Ok(())
        })
    };
    let exe = compile(centred, (Spec::f64([("row", 3), ("column", 2)]),));
    let x =
        Buffer::from_slice(&CPU, &[1.0, 10.0, 2.0, 20.0, 6.0, 60.0], [("row", 3), ("column", 2)])
            .unwrap();
    let expected = [-2.0, -20.0, -1.0, -10.0, 3.0, 30.0];
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f64>().unwrap(), expected);
}

#[test]
fn scalars_and_empty_arrays_keep_their_rank() {
    let shapes = |x: Tensor, y: Tensor| {
        callback("shapes", (x, y), Spec::i64([2]), |_, (x, y), mut ranks| {
            let (x, y) = (x.as_array::<f32>()?, y.as_array::<bool>()?);
            assert_eq!((x.shape(), y.shape()), (&[][..], &[2, 0][..]));
            let ranks = &mut ranks.as_array_mut::<i64>()?;
            (ranks[0], ranks[1]) = (x.ndim() as i64, y.ndim() as i64);
            Ok(())
        })
    };
    let exe = compile(shapes, (Spec::f32([0; 0]), Spec::bool([2, 0])));
    let (x, y) = (
        Buffer::scalar(&CPU, 1f32).unwrap(),
        Buffer::from_slice::<bool>(&CPU, &[], [2, 0]).unwrap(),
    );
    assert_eq!(exe.call((&x, &y)).unwrap().to_vec::<i64>().unwrap(), [0, 2]);
}

#[test]
fn an_array_of_another_type_is_an_error() {
    let wrong = |x: Tensor| {
        callback("wrong", x, Spec::of(x.shape()), |_, x, _| {
            x.as_array::<i32>()?;
            Ok(())
        })
    };
    let exe = compile(wrong, (Spec::f32([("n", 1)]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [("n", 1)]).unwrap();
    let Err(Error::Callback(failure)) = exe.call((&x,)).and_then(|y| y.ready()) else {
        panic!("f32 is not i32");
    };
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
    assert!(
        failure.message.contains("an input of f32[n=1] has no elements of type i32"),
        "{failure}"
    );
}
