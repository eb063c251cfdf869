//! Systems of equations with triangular matrices.

use super::matrices::{Matrices, adjoint, transposed, triangle};
use crate::{
    Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    trace::{Rule, apply},
    vmap::spread_all,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// Solves `op(A) X = B`, or `X op(A) = B`, for triangular `A`, the first operand, and `B`, the
/// second: the last two axes of both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TriangularSolve {
    /// Whether `A` is on the left of `X`; otherwise on the right.
    pub left_side: bool,
    /// Whether the lower triangle of `A` is read; otherwise the upper.
    pub lower: bool,
    /// Whether the diagonal of `A` is taken as ones and not read.
    pub unit_diagonal: bool,
    /// The form of `A` in the equation.
    pub transpose: TransposeA,
}

/// The form of the matrix `A` in an equation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TransposeA {
    /// `A` itself.
    #[default]
    No,
    /// Transposed.
    Transpose,
    /// Transposed and complex conjugated.
    Adjoint,
}

impl TransposeA {
    /// The name in StableHLO.
    pub const fn name(self) -> &'static str {
        match self {
            TransposeA::No => "NO_TRANSPOSE",
            TransposeA::Transpose => "TRANSPOSE",
            TransposeA::Adjoint => "ADJOINT",
        }
    }
}

impl TriangularSolve {
    /// `A X = B` with a lower triangular `A`.
    pub const fn lower() -> TriangularSolve {
        TriangularSolve {
            left_side: true,
            lower: true,
            unit_diagonal: false,
            transpose: TransposeA::No,
        }
    }

    /// `A X = B` with an upper triangular `A`.
    pub const fn upper() -> TriangularSolve {
        TriangularSolve { lower: false, ..TriangularSolve::lower() }
    }
}

impl Definition for TriangularSolve {
    fn name(&self) -> &'static str {
        "triangular_solve"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [a, b] = context.operands()?;
        let (a, b) = (Matrices::square(a)?, Matrices::of(b)?);
        a.check_beside(&b)?;
        let (side, found) = if self.left_side { ("rows", b.rows) } else { ("columns", b.columns) };
        if found == a.rows {
            one(b.shape)
        } else {
            Err(format!(
                "the right side {} has {found} {side}, the matrix {} has {}",
                b.shape, a.shape, a.rows
            )
            .into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        out.write_str(if self.left_side { " left" } else { " right" })?;
        out.write_str(if self.lower { " lower" } else { " upper" })?;
        if self.unit_diagonal {
            out.write_str(" unit diagonal")?;
        }
        match self.transpose {
            TransposeA::No => Ok(()),
            form => write!(out, " {}", form.name()),
        }
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_u8(self.left_side.into());
        hasher.write_u8(self.lower.into());
        hasher.write_u8(self.unit_diagonal.into());
        hasher.write_u8(self.transpose as u8);
    }
}

plain!(TriangularSolve);
spread_all!(TriangularSolve);

impl Vjp for TriangularSolve {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, a, y) = (pull.g(), pull.x(0), pull.y(0));
        // Cotangents are not conjugated: they are mapped by the transpose.
        let (a, transpose) = match self.transpose {
            TransposeA::No => (a, TransposeA::Transpose),
            TransposeA::Transpose => (a, TransposeA::No),
            TransposeA::Adjoint => (a.conj(), TransposeA::No),
        };
        let of_right = record(TriangularSolve { transpose, ..*self }, &[a, g])[0];
        let of_matrix = || {
            let product = if self.left_side {
                of_right.matmul(transposed(y))
            } else {
                transposed(y).matmul(of_right)
            };
            // The cotangent of `op(A)`.
            let own = match self.transpose {
                TransposeA::No => -product,
                TransposeA::Transpose => -transposed(product),
                TransposeA::Adjoint => -adjoint(product),
            };
            triangle(own, self.lower, if self.unit_diagonal { -1 } else { 0 })
        };
        pull.two(of_matrix, || of_right)
    }
}

#[hloom_derive::tensor_methods(triangular_solve)]
impl Tensor {
    /// Solves `op(A) X = B` or `X op(A) = B` for `X`, where `A` is this tensor and `B` is `right`:
    /// matrices over the last two axes, with the same leading axes. The other triangle of `A` is
    /// not read. The result has the shape of `right`. A zero on the diagonal leads to infinities or
    /// NaNs. Supports `f32`, `f64`, `c64` and `c128`.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope, TransposeA, TriangularSolve};
    /// let trace = TraceScope::begin("example");
    /// let factor = trace.parameter("factor", &Spec::f32([3, 3]), false);
    /// let right = trace.parameter("right", &Spec::f32([3, 2]), false);
    /// let transposed =
    ///     TriangularSolve { transpose: TransposeA::Transpose, ..TriangularSolve::lower() };
    /// assert_eq!(factor.triangular_solve(right, transposed).shape().to_string(), "f32[3, 2]");
    /// ```
    #[track_caller]
    pub fn triangular_solve(self, right: Tensor, form: TriangularSolve) -> Tensor {
        apply("triangular_solve", &[self, right], |_| Ok(form))
    }

    /// Solves `A X = B` for `X`, where `A` is this tensor, of which one triangle is read, and `B`
    /// is `right`; see [`triangular_solve`](Self::triangular_solve).
    #[track_caller]
    pub fn solve_triangular(self, right: Tensor, lower: bool) -> Tensor {
        let form = if lower { TriangularSolve::lower() } else { TriangularSolve::upper() };
        apply("solve_triangular", &[self, right], |_| Ok(form))
    }
}
