//! The Cholesky decomposition.

use super::{
    TransposeA, TriangularSolve,
    matrices::{Matrices, transposed, triangle},
};
use crate::{
    Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    trace::{Rule, apply, function_scope},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// The Cholesky decomposition of positive definite matrices, the last two axes. The other triangle
/// of operand and result is unspecified.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cholesky {
    /// Whether the lower triangle is read, and the result is lower triangular; otherwise the upper.
    pub lower: bool,
}

impl Definition for Cholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        one(Matrices::square(context.operand()?)?.shape)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        out.write_str(if self.lower { " lower" } else { " upper" })
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_u8(self.lower.into());
    }
}

plain!(Cholesky);
as_it_is!(Cholesky);

impl Vjp for Cholesky {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        // The method clears the other triangle.
        let (g, y) = (triangle(pull.g(), self.lower, 0), triangle(pull.y(0), self.lower, 0));
        let (g, factor) = if self.lower { (g, y) } else { (transposed(g), transposed(y)) };
        let product = triangle(transposed(factor).matmul(g), true, 0);
        // Half of the diagonal.
        let half = (product + triangle(product, true, -1)) * 0.5;
        let form = TriangularSolve { transpose: TransposeA::Transpose, ..TriangularSolve::lower() };
        let left = factor.triangular_solve(half, form);
        let right = TriangularSolve { left_side: false, ..TriangularSolve::lower() };
        let both = factor.triangular_solve(left, right);
        pull.one((both + transposed(both)) * 0.5)
    }
}

#[hloom_derive::tensor_methods(cholesky)]
impl Tensor {
    /// The lower triangular `L` with positive diagonal and `L Lᴴ = A`, of positive definite
    /// matrices `A`: the last two axes, of which the lower triangle alone is read. The factor of a
    /// matrix that is not positive definite is all NaN. Supports `f32`, `f64`, `c64` and `c128`.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let covariance = trace.parameter("covariance", &Spec::f32([7, 3, 3]), false);
    /// assert_eq!(covariance.cholesky().shape().to_string(), "f32[7, 3, 3]");
    /// ```
    #[track_caller]
    pub fn cholesky(self) -> Tensor {
        let factor = apply("cholesky", &[self], |_| Ok(Cholesky { lower: true }));
        function_scope("cholesky", || factor.tril(-2, -1, 0))
    }

    /// As [`cholesky`](Self::cholesky), reading the upper triangle: the upper triangular `U` with
    /// `Uᴴ U = A`.
    #[track_caller]
    pub fn cholesky_upper(self) -> Tensor {
        let factor = apply("cholesky_upper", &[self], |_| Ok(Cholesky { lower: false }));
        function_scope("cholesky_upper", || factor.triu(-2, -1, 0))
    }

    /// The solution `X` of `A X = B`, where the matrices (the last two axes) are the lower
    /// triangular factor of `A` from [`cholesky`](Self::cholesky), and `right` is `B`.
    #[track_caller]
    #[doc(alias = "cho_solve")]
    pub fn cholesky_solve(self, right: Tensor) -> Tensor {
        function_scope("cholesky_solve", || {
            let half = self.solve_triangular(right, true);
            let adjoint = super::TriangularSolve {
                transpose: super::TransposeA::Adjoint,
                ..super::TriangularSolve::lower()
            };
            self.triangular_solve(half, adjoint)
        })
    }
}
