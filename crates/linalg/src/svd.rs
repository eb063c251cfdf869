//! Singular values and vectors.

use crate::{Scalar, eigen::is_finite};
use faer::{
    Mat, MatRef, Par, Spec,
    diag::Diag,
    dyn_stack::{MemBuffer, MemStack},
    linalg::svd::{ComputeSvdVectors, svd, svd_scratch},
};

/// The singular value decomposition `U diag(s) Vᴴ`.
pub struct Svd<T: Scalar> {
    pub u: Mat<T>,
    /// Largest first.
    pub s: Vec<T::RealPart>,
    pub v: Mat<T>,
}

/// The vectors of a decomposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vectors {
    /// None: the matrices have no columns.
    None,
    /// As many as there are singular values.
    Thin,
    /// An orthonormal basis on both sides.
    Full,
}

/// The decomposition of a matrix; `None` where it has an element that is not finite, or the
/// iteration does not converge.
pub fn decomposed<T: Scalar>(a: MatRef<'_, T>, vectors: Vectors, par: Par) -> Option<Svd<T>> {
    let (rows, columns) = (a.nrows(), a.ncols());
    let least = rows.min(columns);
    let (compute, width) = match vectors {
        Vectors::None => (ComputeSvdVectors::No, [0, 0]),
        Vectors::Thin => (ComputeSvdVectors::Thin, [least; 2]),
        Vectors::Full => (ComputeSvdVectors::Full, [rows, columns]),
    };
    let (mut u, mut v) =
        (Mat::<T>::identity(rows, width[0]), Mat::<T>::identity(columns, width[1]));
    if least == 0 {
        return Some(Svd { u, s: Vec::new(), v });
    }
    if !is_finite(a) {
        return None;
    }
    let mut s = Diag::<T>::zeros(least);
    let scratch = svd_scratch::<T>(rows, columns, compute, compute, par, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let has_vectors = vectors != Vectors::None;
    svd(
        a,
        s.as_mut(),
        has_vectors.then(|| u.as_mut()),
        has_vectors.then(|| v.as_mut()),
        par,
        MemStack::new(&mut memory),
        Spec::default(),
    )
    .ok()?;
    let s = (0..least).map(|i| s[i].re()).collect();
    Some(Svd { u, s, v })
}
