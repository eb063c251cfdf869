//! Eigenvalues and eigenvectors.

use crate::Scalar;
use faer::{
    Mat, MatRef, Par, Spec,
    diag::Diag,
    dyn_stack::{MemBuffer, MemStack},
    linalg::evd::{
        ComputeEigenvectors, evd_cplx, evd_real, evd_scratch, self_adjoint_evd,
        self_adjoint_evd_scratch,
    },
    traits::{ComplexField, RealField},
};
use num_complex::Complex;

/// Eigenvalues, and the eigenvectors asked for as columns of norm 1.
pub struct Eigen<C> {
    pub values: Vec<C>,
    pub left: Option<Mat<C>>,
    pub right: Option<Mat<C>>,
}

/// The eigenvalues of a self-adjoint matrix, and its eigenvectors if they were asked for.
pub type SelfAdjoint<T> = (Vec<<T as Scalar>::RealPart>, Option<Mat<T>>);

/// Whether every element is finite.
pub fn is_finite<T: ComplexField>(a: MatRef<'_, T>) -> bool {
    a.col_iter().all(|column| column.iter().all(T::is_finite_impl))
}

/// The real eigenvalues of a self-adjoint matrix of which the lower triangle is read, smallest
/// first, and orthonormal eigenvectors as columns if asked for; `None` where the triangle has an
/// element that is not finite, or the iteration does not converge.
pub fn self_adjoint<T: Scalar>(
    a: MatRef<'_, T>,
    vectors: bool,
    par: Par,
) -> Option<SelfAdjoint<T>> {
    let size = a.nrows();
    let lower = Mat::from_fn(size, size, |row, column| {
        if row >= column { a[(row, column)] } else { T::conj_impl(&a[(column, row)]) }
    });
    if !is_finite(lower.as_ref()) {
        return None;
    }
    let compute = compute(vectors);
    let scratch = self_adjoint_evd_scratch::<T>(size, compute, par, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let mut values = Diag::<T>::zeros(size);
    let mut columns = vectors.then(|| Mat::<T>::zeros(size, size));
    self_adjoint_evd(
        lower.as_ref(),
        values.as_mut(),
        columns.as_mut().map(|columns| columns.as_mut()),
        par,
        MemStack::new(&mut memory),
        Spec::default(),
    )
    .ok()?;
    Some(((0..size).map(|i| values[i].re()).collect(), columns))
}

fn compute(vectors: bool) -> ComputeEigenvectors {
    if vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

/// Eigenvalues and eigenvectors of a complex matrix.
pub fn complex_eigen<P: RealField + Copy>(
    a: MatRef<'_, Complex<P>>,
    left: bool,
    right: bool,
    par: Par,
) -> Option<Eigen<Complex<P>>>
where
    Complex<P>: Scalar,
{
    let size = a.nrows();
    if !is_finite(a) {
        return None;
    }
    let [mut l, mut r] = [left, right].map(|is| is.then(|| Mat::zeros(size, size)));
    let mut values = Diag::<Complex<P>>::zeros(size);
    if size > 0 {
        let (compute_left, compute_right) = (compute(left), compute(right));
        let scratch =
            evd_scratch::<Complex<P>>(size, compute_left, compute_right, par, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        evd_cplx(
            a,
            values.as_mut(),
            l.as_mut().map(|l| l.as_mut()),
            r.as_mut().map(|r| r.as_mut()),
            par,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
    }
    let values = (0..size).map(|i| values[i]).collect();
    Some(Eigen { values, left: l.map(normalized), right: r.map(normalized) })
}

/// Eigenvalues and eigenvectors of a real matrix: conjugate pairs are next to each other, with the
/// positive imaginary part first.
pub fn real_eigen<P: RealField + Copy, C: Scalar<RealPart = P>>(
    a: MatRef<'_, P>,
    left: bool,
    right: bool,
    par: Par,
) -> Option<Eigen<C>> {
    let size = a.nrows();
    if !is_finite(a) {
        return None;
    }
    let [mut re, mut im] = [0; 2].map(|_| Diag::<P>::zeros(size));
    let [mut l, mut r] = [left, right].map(|is| is.then(|| Mat::<P>::zeros(size, size)));
    if size > 0 {
        let (compute_left, compute_right) = (compute(left), compute(right));
        let scratch = evd_scratch::<P>(size, compute_left, compute_right, par, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        evd_real(
            a,
            re.as_mut(),
            im.as_mut(),
            l.as_mut().map(|l| l.as_mut()),
            r.as_mut().map(|r| r.as_mut()),
            par,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
    }
    let values: Vec<C> = (0..size).map(|i| C::of(re[i], im[i])).collect();
    let unpacked =
        |packed: Mat<P>| normalized(unpacked(&values, |row, column| packed[(row, column)]));
    let (left, right) = (l.map(unpacked), r.map(unpacked));
    Some(Eigen { values, left, right })
}

/// The vectors of conjugate pairs, of which two columns are the real and the imaginary part of the
/// first.
fn unpacked<C: Scalar>(values: &[C], packed: impl Fn(usize, usize) -> C::RealPart) -> Mat<C> {
    let size = values.len();
    let zero = C::RealPart::zero_impl();
    let mut vectors = Mat::zeros(size, size);
    let mut column = 0;
    while column < size {
        let is_pair = values[column].im() != zero && column + 1 < size;
        for row in 0..size {
            let re = packed(row, column);
            let im = if is_pair { packed(row, column + 1) } else { zero };
            vectors[(row, column)] = C::of(re, im);
            if is_pair {
                vectors[(row, column + 1)] = C::of(re, -im);
            }
        }
        column += if is_pair { 2 } else { 1 };
    }
    vectors
}

/// The columns divided by their norm, and turned so that their largest element is real.
fn normalized<C: Scalar>(mut vectors: Mat<C>) -> Mat<C> {
    for column in 0..vectors.ncols() {
        let norm = vectors.col(column).norm_l2();
        let mut largest = 0;
        for row in 0..vectors.nrows() {
            let size = |row: usize| C::abs2_impl(&vectors[(row, column)]);
            if size(row) > size(largest) {
                largest = row;
            }
        }
        let head = vectors[(largest, column)];
        let zero = C::RealPart::zero_impl();
        let turn = if head.im() == zero {
            C::of(C::RealPart::one_impl() / norm, zero)
        } else {
            let size = C::abs_impl(&head) * norm;
            C::of(head.re() / size, -head.im() / size)
        };
        for row in 0..vectors.nrows() {
            vectors[(row, column)] *= turn;
        }
        let head = vectors[(largest, column)];
        vectors[(largest, column)] = C::of(head.re(), zero);
    }
    vectors
}
