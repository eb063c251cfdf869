//! QR factors by Householder reflections, in LAPACK's conventions: a reflection is
//! `I - tau v vᴴ` with `v[0] = 1`, and the diagonal of `R` is real.

use crate::Scalar;
use faer::{
    Accum, Mat, MatMut, MatRef, Par, linalg::matmul::matmul, reborrow::ReborrowMut,
    traits::ComplexField,
};

/// The columns whose reflections are applied to the others at once.
const BLOCK: usize = 32;

/// Replaces a matrix by its upper factor and, below the diagonal, the vectors of the reflections,
/// whose factors are returned.
pub fn qr<T: Scalar>(mut a: MatMut<'_, T>, par: Par) -> Vec<T> {
    let (rows, columns) = (a.nrows(), a.ncols());
    let least = rows.min(columns);
    let mut taus = Vec::with_capacity(least);
    for start in (0..least).step_by(BLOCK) {
        let end = (start + BLOCK).min(least);
        let below = a.rb_mut().get_mut(start.., start..);
        let (mut panel, rest) = below.split_at_col_mut(end - start);
        taus.extend(panel_qr(panel.rb_mut()));
        if end < columns {
            let block = Block::of(panel.as_ref(), &taus[start..]);
            block.apply(rest, true, par);
        }
    }
    taus
}

/// The first columns of the product of reflections, as `qr` leaves them.
pub fn orthogonal<T: Scalar>(
    reflections: MatRef<'_, T>,
    taus: &[T],
    columns: usize,
    par: Par,
) -> Mat<T> {
    let mut q = Mat::<T>::identity(reflections.nrows(), columns);
    for (start, block) in blocks(reflections, taus).rev() {
        // The columns before are still those of the identity, with zeros in these rows.
        let start = start.min(columns);
        block.apply(q.as_mut().get_mut(start.., start..), false, par);
    }
    q
}

/// Multiplies a matrix by the product of reflections, or by its adjoint, from the left.
pub fn multiplied<T: Scalar>(
    reflections: MatRef<'_, T>,
    taus: &[T],
    mut to: MatMut<'_, T>,
    adjoint: bool,
    par: Par,
) {
    let all = blocks(reflections, taus);
    let apply = |(start, block): (usize, Block<T>)| {
        block.apply(to.as_mut().get_mut(start.., ..), adjoint, par);
    };
    if adjoint { all.for_each(apply) } else { all.rev().for_each(apply) }
}

/// The reflections in blocks, each with its first row.
fn blocks<'a, T: Scalar>(
    reflections: MatRef<'a, T>,
    taus: &'a [T],
) -> impl DoubleEndedIterator<Item = (usize, Block<T>)> + 'a {
    (0..taus.len().div_ceil(BLOCK)).map(move |index| {
        let start = index * BLOCK;
        let end = (start + BLOCK).min(taus.len());
        (start, Block::of(reflections.get(start.., start..end), &taus[start..end]))
    })
}

/// Factors the columns one by one.
fn panel_qr<T: Scalar>(mut a: MatMut<'_, T>) -> Vec<T> {
    let (rows, columns) = (a.nrows(), a.ncols());
    let mut taus = Vec::with_capacity(columns);
    for step in 0..columns {
        let (head, tau) = reflection(a.rb_mut(), step);
        taus.push(tau);
        a[(step, step)] = T::one_impl();
        for column in step + 1..columns {
            let mut dot = T::zero_impl();
            for row in step..rows {
                dot += T::conj_impl(&a[(row, step)]) * a[(row, column)];
            }
            let factor = T::conj_impl(&tau) * dot;
            for row in step..rows {
                let change = a[(row, step)] * factor;
                a[(row, column)] -= change;
            }
        }
        a[(step, step)] = head;
    }
    taus
}

/// The reflection that maps a column, from the diagonal on, to a real multiple of the first unit
/// vector: that multiple, and the reflection's factor. Its vector replaces the column below the
/// diagonal.
pub fn reflection<T: Scalar>(mut a: MatMut<'_, T>, step: usize) -> (T, T) {
    let (zero, one) = (T::RealPart::zero_impl(), T::RealPart::one_impl());
    let head = a[(step, step)];
    let tail = a.as_ref().get(step + 1.., step).norm_l2();
    if tail == zero && head.im() == zero {
        return (head, T::zero_impl());
    }
    let hypot = |x: T::RealPart, y: T::RealPart| T::Complex::abs_impl(&T::Complex::of(x, y));
    let norm = hypot(hypot(head.re(), head.im()), tail);
    let beta = if head.re() >= zero { -norm } else { norm };
    let tau = T::of((beta - head.re()) / beta, -head.im() / beta);
    let scale = T::of(one, zero) / (head - T::of(beta, zero));
    for row in step + 1..a.nrows() {
        a[(row, step)] *= scale;
    }
    (T::of(beta, zero), tau)
}

/// Reflections as one: `I - V S Vᴴ`.
struct Block<T> {
    vectors: Mat<T>,
    factor: Mat<T>,
}

impl<T: Scalar> Block<T> {
    /// The product of reflections whose vectors are below the diagonal.
    fn of(packed: MatRef<'_, T>, taus: &[T]) -> Block<T> {
        let (rows, columns) = (packed.nrows(), packed.ncols());
        let vectors = Mat::from_fn(rows, columns, |row, column| match row.cmp(&column) {
            std::cmp::Ordering::Greater => packed[(row, column)],
            std::cmp::Ordering::Equal => T::one_impl(),
            std::cmp::Ordering::Less => T::zero_impl(),
        });
        let mut dots = Mat::<T>::zeros(columns, columns);
        let one = T::one_impl();
        matmul(&mut dots, Accum::Replace, vectors.adjoint(), &vectors, one, Par::Seq);
        let mut factor = Mat::<T>::zeros(columns, columns);
        for (column, &tau) in taus.iter().enumerate() {
            factor[(column, column)] = tau;
            for row in 0..column {
                let mut sum = T::zero_impl();
                for k in row..column {
                    sum += factor[(row, k)] * dots[(k, column)];
                }
                factor[(row, column)] = -(tau * sum);
            }
        }
        Block { vectors, factor }
    }

    /// Multiplies a matrix by the reflections, or by their adjoint, from the left.
    fn apply(&self, to: MatMut<'_, T>, adjoint: bool, par: Par) {
        let (count, columns, one) = (self.factor.nrows(), to.ncols(), T::one_impl());
        let mut inner = Mat::<T>::zeros(count, columns);
        matmul(&mut inner, Accum::Replace, self.vectors.adjoint(), to.as_ref(), one, par);
        let mut scaled = Mat::<T>::zeros(count, columns);
        if adjoint {
            matmul(&mut scaled, Accum::Replace, self.factor.adjoint(), &inner, one, par)
        } else {
            matmul(&mut scaled, Accum::Replace, &self.factor, &inner, one, par)
        }
        matmul(to, Accum::Add, &self.vectors, &scaled, -one, par);
    }
}
