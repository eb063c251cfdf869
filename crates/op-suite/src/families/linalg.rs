//! Factors, equations and spectra of matrices.

use crate::{EXACT, Row, rows, ulps};
use hloom::{
    Tensor,
    ops::{MatrixNorm, TransposeA, TriangularSolve},
};

fn adjoint(x: Tensor) -> Tensor {
    x.conj().swap_axes(-2, -1)
}

/// Scales the columns of matrices.
fn scaled(matrices: Tensor, by: Tensor) -> Tensor {
    matrices
        * by.convert(matrices.dtype()).insert_axis(-2, "_").broadcast_to(matrices.shape().axes())
}

fn form(left_side: bool, lower: bool, transpose: TransposeA) -> TriangularSolve {
    TriangularSolve { left_side, lower, transpose, unit_diagonal: false }
}

pub fn rows() -> Vec<Row> {
    use TransposeA::{Adjoint, No, Transpose};
    let near = ulps(100).of_largest();
    Vec::from(rows![
        "cholesky", near, [x] => x.cholesky();
        "cholesky_upper", near, [x] => x.cholesky_upper();
        "cholesky_solve", near, [x, y] => x.cholesky().cholesky_solve(y);
        "lu", near, [x] => x.lu();
        "pivots", EXACT, [x] => x.lu_factor().1;
        "qr", near, [x] => x.qr();
        "qr_full", near, [x] => {
            let (q, r) = x.qr_full();
            (q.matmul(r), adjoint(q).matmul(q))
        };
        "svd", near, [x] => {
            let (u, s, vh) = x.svd();
            (scaled(u, s).matmul(vh), adjoint(u).matmul(u), vh.matmul(adjoint(vh)))
        };
        "svd_full", near, [x] => {
            let (u, s, vh) = x.svd_full();
            let count = s.size(-1) as isize;
            let (left, right) = (u.slice(-1, ..count), vh.slice(-2, ..count));
            (scaled(left, s).matmul(right), adjoint(u).matmul(u), vh.matmul(adjoint(vh)))
        };
        "svdvals", near, [x] => x.svdvals();
        "solve", near, [x, y] => x.solve(y);
        "inv", near, [x] => x.inv();
        "det", near, [x] => x.det();
        "slogdet", near, [x] => x.slogdet();
        "trace", near, [x] => x.trace(-2, -1);
        "power 0", near, [x] => x.matrix_power(0);
        "power 1", near, [x] => x.matrix_power(1);
        "power 3", near, [x] => x.matrix_power(3);
        "power 5", near, [x] => x.matrix_power(5);
        "power -2", near, [x] => x.matrix_power(-2);
        "triangular left lower no", near, [a, b] => a.solve_triangular(b, true);
        "triangular left upper transpose", near, [a, b] =>
            a.triangular_solve(b, form(true, false, Transpose));
        "triangular left lower adjoint", near, [a, b] =>
            a.triangular_solve(b, form(true, true, Adjoint));
        "triangular right lower no", near, [a, b] =>
            a.triangular_solve(b, form(false, true, No));
        "triangular right upper transpose", near, [a, b] =>
            a.triangular_solve(b, form(false, false, Transpose));
        "triangular right upper adjoint", near, [a, b] =>
            a.triangular_solve(b, form(false, false, Adjoint));
        "triangular left lower no unit", near, [a, b] => a.triangular_solve(
            b,
            TriangularSolve { unit_diagonal: true, ..form(true, true, No) }
        );
        "triangular right upper no unit", near, [a, b] => a.triangular_solve(
            b,
            TriangularSolve { unit_diagonal: true, ..form(false, false, No) }
        );
        "pinv", near, [x] => x.pinv();
        "lstsq", near, [x, y] => x.lstsq(y);
        "rank", EXACT, [x] => x.matrix_rank();
        "norm fro", near, [x] => x.matrix_norm(MatrixNorm::Frobenius);
        "norm nuc", near, [x] => x.matrix_norm(MatrixNorm::Nuclear);
        "norm spectral", near, [x] => x.matrix_norm(MatrixNorm::Spectral);
        "norm one", near, [x] => x.matrix_norm(MatrixNorm::One);
        "norm infinity", near, [x] => x.matrix_norm(MatrixNorm::Infinity);
        "eigh", near, [x] => {
            let (w, v) = x.eigh();
            (w, scaled(v, w).matmul(adjoint(v)), adjoint(v).matmul(v))
        };
        "eigvalsh", near, [x] => x.eigvalsh();
        "eig", near, [x] => {
            let (w, v) = x.eig();
            let wide = x.convert(v.dtype());
            // `A v` is `v w`.
            let rest = wide.matmul(v) - scaled(v, w);
            (wide + rest, v.norm(-2), w.sum(-1), w.square().sum(-1))
        };
    ])
}
