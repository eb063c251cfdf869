//! The handlers that programs exported by JAX call, by the names of LAPACK's routines:
//! `lapack_spotrf_ffi` and its relatives for `d`, `c` and `z`.
//!
//! Matrices are column-major, and in LAPACK's packed forms: factors in place of the operand, row
//! exchanges counted from 1, reflections as vectors and `tau`, and `info`, which is 0 for success.

mod factors;
mod reductions;
mod spectra;
mod systems;

use crate::Scalar;
use factors::{Geqrf, Getrf, Orgqr, Ormqr, Potrf};
use hloom_ffi::{CallFrame, HandlerError, Handlers};
use num_complex::Complex;
use reductions::{Gehrd, Sytrd};
use spectra::{Geev, Gesdd, Syevd};
use systems::{Gtsv, Trsm};

/// Every handler, with its target name.
pub fn all() -> Vec<(String, Handlers)> {
    let complex = [of::<Complex<f32>>(), of::<Complex<f64>>()];
    [of::<f32>(), of::<f64>()].into_iter().chain(complex).flatten().collect()
}

/// The handlers of an element type.
fn of<T: Scalar>() -> Vec<(String, Handlers)> {
    let [orthogonal, symmetric] = if T::IS_REAL { ["or", "sy"] } else { ["un", "he"] };
    let all = [
        ("potrf".to_owned(), Handlers::new::<Potrf<T>>()),
        ("getrf".to_owned(), Handlers::new::<Getrf<T>>()),
        ("geqrf".to_owned(), Handlers::new::<Geqrf<T>>()),
        (format!("{orthogonal}gqr"), Handlers::new::<Orgqr<T>>()),
        (format!("{orthogonal}mqr"), Handlers::new::<Ormqr<T>>()),
        ("gesdd".to_owned(), Handlers::new::<Gesdd<T>>()),
        ("gesvd".to_owned(), Handlers::new::<Gesdd<T>>()),
        (format!("{symmetric}evd"), Handlers::new::<Syevd<T>>()),
        ("geev".to_owned(), Handlers::new::<Geev<T>>()),
        ("gehrd".to_owned(), Handlers::new::<Gehrd<T>>()),
        (format!("{symmetric}trd"), Handlers::new::<Sytrd<T>>()),
        ("trsm".to_owned(), Handlers::new::<Trsm<T>>()),
        ("gtsv".to_owned(), Handlers::new::<Gtsv<T>>()),
    ];
    let letter = T::LETTER;
    all.into_iter()
        .map(|(name, handlers)| (format!("lapack_{letter}{name}_ffi"), handlers))
        .collect()
}

/// A handler that calls a function of its element type.
macro_rules! routine {
    ($(#[$doc:meta])* $handler:ident $function:ident) => {
        $(#[$doc])*
        pub struct $handler<T>(std::marker::PhantomData<T>);

        impl<T: crate::Scalar> hloom_ffi::Handler for $handler<T> {
            fn call(frame: &mut hloom_ffi::CallFrame<'_>) -> Result<(), hloom_ffi::HandlerError> {
                if super::super::has_work(frame)? { $function::<T>(frame) } else { Ok(()) }
            }
        }
    };
}
use routine;

/// A letter of LAPACK, such as `L` for the lower triangle; it must be one of `expected`.
fn letter(frame: &CallFrame<'_>, name: &str, expected: &str) -> Result<char, HandlerError> {
    let found = frame.attributes().scalar::<u8>(name)? as char;
    if expected.contains(found) {
        Ok(found)
    } else {
        Err(HandlerError::invalid(format!(
            "attribute `{name}`: expected a letter of {expected:?}, found {found:?}"
        )))
    }
}
