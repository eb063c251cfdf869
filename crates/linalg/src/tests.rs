//! Factors and spectra, by what they must satisfy.

use crate::{
    Scalar,
    cholesky::cholesky,
    eigen::self_adjoint,
    lu::lu,
    qr::{multiplied, orthogonal, qr},
    svd::{Vectors, decomposed},
    tridiagonal,
};
use faer::{
    Mat, MatRef, Par,
    traits::{ComplexField, RealField},
};
use num_complex::Complex;

/// A matrix of numbers between -1 and 1, the same on every run.
fn matrix<T: Scalar>(rows: usize, columns: usize) -> Mat<T> {
    let mut state = 1 + (rows * 131 + columns) as u64;
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    };
    Mat::from_fn(rows, columns, |_, _| {
        let (re, im) = (T::RealPart::from_f64_impl(number()), T::RealPart::from_f64_impl(number()));
        T::of(re, im)
    })
}

/// Checks that two matrices are equal but for rounding.
#[track_caller]
fn assert_near<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    let distance = (a - b).norm_max();
    let scale = T::RealPart::one_impl() + b.norm_max();
    let limit = T::RealPart::epsilon_impl() * T::RealPart::from_f64_impl(2000.0) * scale;
    assert!(distance <= limit, "{distance:?} apart, allowed are {limit:?}");
}

fn identity<T: Scalar>(size: usize) -> Mat<T> {
    Mat::identity(size, size)
}

/// Sizes below, at and above those of blocks.
const SIZES: [(usize, usize); 9] =
    [(1, 1), (2, 2), (5, 3), (3, 5), (31, 32), (32, 32), (33, 32), (70, 65), (65, 70)];

fn factors<T: Scalar>() {
    for (rows, columns) in SIZES {
        let a = matrix::<T>(rows, columns);
        let mut packed = a.clone();
        let taus = qr(packed.as_mut(), Par::Seq);
        let q = orthogonal(packed.as_ref(), &taus, rows, Par::Seq);
        assert_near((q.adjoint() * &q).as_ref(), identity(rows).as_ref());
        let r = Mat::from_fn(rows, columns, |row, column| {
            if row <= column { packed[(row, column)] } else { T::zero_impl() }
        });
        assert_near((&q * &r).as_ref(), a.as_ref());
        let mut product = r.clone();
        multiplied(packed.as_ref().get(.., ..taus.len()), &taus, product.as_mut(), false, Par::Seq);
        assert_near(product.as_ref(), a.as_ref());
        multiplied(packed.as_ref().get(.., ..taus.len()), &taus, product.as_mut(), true, Par::Seq);
        assert_near(product.as_ref(), r.as_ref());

        let factors = lu(a.as_ref(), Par::Seq);
        let least = rows.min(columns);
        let part =
            |lower: bool| move |row: usize, column: usize| (row == column, (row > column) == lower);
        let lower = Mat::from_fn(rows, least, |row, column| match part(true)(row, column) {
            (true, _) => T::one_impl(),
            (_, true) => factors.packed[(row, column)],
            _ => T::zero_impl(),
        });
        let upper = Mat::from_fn(least, columns, |row, column| {
            if row <= column { factors.packed[(row, column)] } else { T::zero_impl() }
        });
        let order = factors.permutation();
        let exchanged = Mat::from_fn(rows, columns, |row, column| a[(order[row], column)]);
        assert_near((&lower * &upper).as_ref(), exchanged.as_ref());

        for kind in [Vectors::Thin, Vectors::Full] {
            let found = decomposed(a.as_ref(), kind, Par::Seq).expect("it converges");
            let middle = Mat::from_fn(found.u.ncols(), found.v.ncols(), |row, column| {
                if row == column {
                    T::of(found.s[row], T::RealPart::zero_impl())
                } else {
                    T::zero_impl()
                }
            });
            assert_near((&found.u * middle * found.v.adjoint()).as_ref(), a.as_ref());
        }
    }
}

fn square<T: Scalar>() {
    for size in [1, 2, 3, 7, 32, 70] {
        let a = matrix::<T>(size, size);
        let positive = &a * a.adjoint() + identity::<T>(size);
        let factor = cholesky(positive.as_ref(), Par::Seq).expect("it is positive definite");
        assert_near((&factor * factor.adjoint()).as_ref(), positive.as_ref());

        let (values, vectors) =
            self_adjoint(positive.as_ref(), true, Par::Seq).expect("it converges");
        let vectors = vectors.expect("vectors were asked for");
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        let scaled = Mat::from_fn(size, size, |row, column| {
            vectors[(row, column)] * T::of(values[column], T::RealPart::zero_impl())
        });
        assert_near((scaled * vectors.adjoint()).as_ref(), positive.as_ref());

        let found = T::eigen(a.as_ref(), true, true, Par::Seq).expect("it converges");
        let wide = Mat::from_fn(size, size, |row, column| a[(row, column)].complex());
        let diagonal = Mat::from_fn(size, size, |row, column| {
            if row == column { found.values[row] } else { T::Complex::zero_impl() }
        });
        let right = found.right.expect("vectors were asked for");
        assert_near((&wide * &right).as_ref(), (&right * &diagonal).as_ref());
        let left = found.left.expect("vectors were asked for");
        assert_near((left.adjoint() * &wide).as_ref(), (&diagonal * left.adjoint()).as_ref());

        let mut solution = a.clone();
        lu(positive.as_ref(), Par::Seq).solve(solution.as_mut(), Par::Seq);
        assert_near((&positive * &solution).as_ref(), a.as_ref());

        let [mut lower, mut main, mut upper] =
            [0, 1, 2].map(|k| (0..size).map(|i| a[(i, (i + k) % size)]).collect::<Vec<_>>());
        let dense = Mat::from_fn(size, size, |row, column| match column as isize - row as isize {
            -1 => lower[row],
            0 => main[row],
            1 => upper[row],
            _ => T::zero_impl(),
        });
        let mut solution = a.clone();
        let failed = tridiagonal::solve(&mut lower, &mut main, &mut upper, solution.as_mut());
        assert_eq!(failed, None);
        // The matrix may be near to singular: the residual is small next to the solution.
        let scale = T::of(T::RealPart::one_impl() / solution.norm_max(), T::RealPart::zero_impl());
        let solution = Mat::from_fn(size, size, |i, j| solution[(i, j)] * scale);
        let expected = Mat::from_fn(size, size, |i, j| a[(i, j)] * scale);
        assert_near((dense * solution).as_ref(), expected.as_ref());
    }
}

#[test]
fn factors_multiply_to_the_matrix() {
    factors::<f32>();
    factors::<f64>();
    factors::<Complex<f32>>();
    factors::<Complex<f64>>();
}

#[test]
fn equations_and_spectra_hold() {
    square::<f32>();
    square::<f64>();
    square::<Complex<f32>>();
    square::<Complex<f64>>();
}

#[test]
fn what_has_no_result_is_reported() {
    let a = Mat::from_fn(3, 3, |row, column| if row == column { 1.0 - row as f64 } else { 0.0 });
    assert_eq!(cholesky(a.as_ref(), Par::Seq).err(), Some(2));
    let nan = Mat::from_fn(3, 3, |_, _| f64::NAN);
    assert_eq!(cholesky(nan.as_ref(), Par::Seq).err(), Some(1));
    assert!(self_adjoint(nan.as_ref(), true, Par::Seq).is_none());
    assert!(decomposed(nan.as_ref(), Vectors::Thin, Par::Seq).is_none());
    assert!(f64::eigen(nan.as_ref(), false, true, Par::Seq).is_none());
    let zeros = Mat::<f64>::zeros(4, 3);
    let factors = lu(zeros.as_ref(), Par::Seq);
    assert_eq!(factors.packed, zeros);
    assert_eq!(factors.pivots, [0, 1, 2]);
    assert!(lu(nan.as_ref(), Par::Seq).packed[(0, 0)].is_nan());
}
