//! Decompositions, triangular systems and Fourier transforms.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::op::{Fft, TriangularSolve};

pub(crate) fn cholesky(l: &mut Lowering<'_>, n: &Applied<'_>, lower: bool) -> Value {
    let attributes = [("lower", Attribute::Bool(lower))];
    l.op("stablehlo.cholesky", &n.operands, n.result(), &attributes)
}

pub(crate) fn triangular_solve(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    form: TriangularSolve,
) -> Value {
    let transpose = format!("#stablehlo<transpose {}>", form.transpose.name());
    let attributes = [
        ("left_side", Attribute::Bool(form.left_side)),
        ("lower", Attribute::Bool(form.lower)),
        ("unit_diagonal", Attribute::Bool(form.unit_diagonal)),
        ("transpose_a", Attribute::text(transpose)),
    ];
    l.op("stablehlo.triangular_solve", &n.operands, n.result(), &attributes)
}

pub(crate) fn fft(l: &mut Lowering<'_>, n: &Applied<'_>, fft: &Fft) -> Value {
    let attributes = [
        ("fft_type", Attribute::text(format!("#stablehlo<fft_type {}>", fft.kind.name()))),
        ("fft_length", Attribute::i64s(&fft.lengths)),
    ];
    l.op("stablehlo.fft", &n.operands, n.result(), &attributes)
}
