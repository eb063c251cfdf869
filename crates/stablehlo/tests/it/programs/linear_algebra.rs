//! Linear algebra and Fourier transforms.

use super::{Mistake, OpProgram, each};
use hloom_graph::{DType, Spec, TransposeA, TriangularSolve};

pub fn all() -> Vec<OpProgram> {
    let matrices =
        [Spec::f32([("batch", 2), ("row", 3), ("column", 3)]), Spec::new(DType::C64, [4, 4])];
    let mut all = each(
        &matrices,
        &[
            ("cholesky", |x| vec![x[0].cholesky(), x[1].cholesky_upper()]),
            ("triangular_solve", |x| {
                let form = TriangularSolve {
                    left_side: false,
                    lower: false,
                    unit_diagonal: true,
                    transpose: TransposeA::Adjoint,
                };
                vec![x[0].solve_triangular(x[0], true), x[1].triangular_solve(x[1], form)]
            }),
            ("svd", |x| {
                let (u, s, vh) = x[0].svd();
                vec![u, s, vh, x[1].svdvals()]
            }),
            ("det", |x| vec![x[0].det()]),
        ],
    );
    all.extend(each(
        &[Spec::f32([("batch", 2), ("time", 6)]), Spec::new(DType::C64, [2, 3, 4])],
        &[("fft", |x| {
            let half = x[0].rfft("time");
            vec![half, half.irfft("time", 6), x[0].fft("batch"), x[1].ifftn(..)]
        })],
    ));
    all
}

/// A wrong call of each op.
pub const MISTAKES: &[Mistake] = &[
    ("cholesky", |a| a.x.cholesky()),
    ("triangular_solve", |a| a.x.solve_triangular(a.x, true)),
    ("svd", |a| a.b.svd().1),
    ("det", |a| a.x.det()),
    ("fft", |a| a.i.fft("row")),
];
