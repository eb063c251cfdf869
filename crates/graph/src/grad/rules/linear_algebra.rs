//! Factorizations, equations and Fourier transforms.

use crate::{
    FftKind, Tensor, TransposeA, TriangularSolve,
    grad::pull::Pull,
    op::{Cholesky, Fft},
    ops::adjoint,
    record,
};

type Cotangents = Vec<Option<Tensor>>;

pub(super) fn transposed(x: Tensor) -> Tensor {
    x.swap_axes(-2, -1)
}

/// The lower or the upper triangle.
pub(super) fn triangle(x: Tensor, lower: bool, diagonal: isize) -> Tensor {
    if lower { x.tril(-2, -1, diagonal) } else { x.triu(-2, -1, -diagonal) }
}

pub(super) fn triangular_solve(pull: &Pull<'_>, op: &TriangularSolve) -> Cotangents {
    let (g, a, y) = (pull.g(), pull.x(0), pull.y(0));
    // Cotangents are not conjugated: the map of them is the transpose.
    let (a, transpose) = match op.transpose {
        TransposeA::No => (a, TransposeA::Transpose),
        TransposeA::Transpose => (a, TransposeA::No),
        TransposeA::Adjoint => (a.conj(), TransposeA::No),
    };
    let of_right = record(TriangularSolve { transpose, ..*op }, &[a, g])[0];
    let of_matrix = || {
        let product = match op.left_side {
            true => of_right.matmul(transposed(y)),
            false => transposed(y).matmul(of_right),
        };
        // That of the matrix as it stands in the equation.
        let own = match op.transpose {
            TransposeA::No => -product,
            TransposeA::Transpose => -transposed(product),
            TransposeA::Adjoint => -adjoint(product),
        };
        triangle(own, op.lower, if op.unit_diagonal { -1 } else { 0 })
    };
    pull.two(of_matrix, || of_right)
}

pub(super) fn cholesky(pull: &Pull<'_>, op: Cholesky) -> Cotangents {
    // The method clears the other triangle.
    let (g, y) = (triangle(pull.g(), op.lower, 0), triangle(pull.y(0), op.lower, 0));
    let (g, factor) = if op.lower { (g, y) } else { (transposed(g), transposed(y)) };
    let product = triangle(transposed(factor).matmul(g), true, 0);
    // Half of the diagonal.
    let half = (product + triangle(product, true, -1)) * 0.5;
    let form = TriangularSolve { transpose: TransposeA::Transpose, ..TriangularSolve::lower() };
    let left = factor.triangular_solve(half, form);
    let right = TriangularSolve { left_side: false, ..TriangularSolve::lower() };
    let both = factor.triangular_solve(left, right);
    pull.one((both + transposed(both)) * 0.5)
}

pub(super) fn fft(pull: &Pull<'_>, op: &Fft) -> Cotangents {
    let g = pull.g();
    let points: usize = op.lengths.iter().product();
    let last = op.lengths.last().copied().unwrap_or(1);
    // The points that a real transform leaves out count twice.
    let twice = |count: usize| {
        let is_once = |i: usize| i == 0 || (last.is_multiple_of(2) && i + 1 == count);
        let counts: Vec<f64> = (0..count).map(|i| if is_once(i) { 1.0 } else { 2.0 }).collect();
        Tensor::constant(&counts, [count]).convert(g.dtype().real())
    };
    let count = last / 2 + 1;
    let transform = |kind: FftKind, x: Tensor| record(Fft { kind, ..op.clone() }, &[x])[0];
    pull.one(match op.kind {
        FftKind::Fft | FftKind::Ifft => transform(op.kind, g),
        FftKind::Rfft => {
            let weights = twice(count).convert(g.dtype());
            transform(FftKind::Irfft, g.conj() / weights) * points as f64
        }
        FftKind::Irfft => {
            let x = transform(FftKind::Rfft, g);
            (x * twice(count).convert(x.dtype())).conj() * (1.0 / points as f64)
        }
    })
}
