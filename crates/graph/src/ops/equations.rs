//! Systems of equations, determinants, inverses and norms of matrices.

use super::{
    custom_call::OwnTarget,
    factorize::called,
    matrices::{Matrices, identity, transposed},
};
use crate::{
    Axis, DType, Tensor, concatenate, custom_vjp,
    grad::Pull,
    trace::{emit, function_scope},
    vjp,
};
use std::panic::Location;

/// A norm of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixNorm {
    /// The root of the sum of the squared absolute values: `fro`.
    Frobenius,
    /// The sum of the singular values: `nuc`. On the CPU.
    Nuclear,
    /// The largest singular value: `2`. On the CPU.
    Spectral,
    /// The largest sum of absolute values of a column: `1`.
    One,
    /// The largest sum of absolute values of a row: `inf`.
    Infinity,
}

/// The distance from 1 to the next number of the real type.
pub(super) fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F64 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    }
}

#[hloom_derive::tensor_methods(equations)]
impl Tensor {
    /// The solution `X` of `A X = B`, where `A` is this tensor, square matrices over the last two
    /// axes, and `B` is `right`: matrices, or with one axis less than `A`, vectors. Infinities or
    /// NaNs where `A` is singular. On the CPU.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let a = trace.parameter("a", &Spec::f32([5, 3, 3]), false);
    /// let right = trace.parameter("right", &Spec::f32([5, 3]), false);
    /// assert_eq!(a.solve(right).shape().to_string(), "f32[5, 3]");
    /// ```
    #[track_caller]
    pub fn solve(self, right: Tensor) -> Tensor {
        let is_vector = self.rank() == right.rank() + 1;
        let matrix = if is_vector { right.insert_axis(-1, "_") } else { right };
        let [solution] = called("solve", OwnTarget::SOLVE, &[self, matrix], &[], |s| {
            let (a, b) = (Matrices::square(&s[0])?, Matrices::of(&s[1])?);
            a.check_beside(&b)?;
            if a.rows == b.rows {
                Ok([b.shape])
            } else {
                Err(format!(
                    "the right side {} has {} rows, the matrix {} has {}",
                    b.shape, b.rows, a.shape, a.rows
                )
                .into())
            }
        });
        if is_vector { solution.squeeze(-1) } else { solution }
    }

    /// The inverses of square matrices, the last two axes, with the same axes. Infinities or NaNs
    /// for a matrix that is singular. On the CPU.
    #[track_caller]
    pub fn inv(self) -> Tensor {
        self.inverse("inv")
    }

    #[track_caller]
    fn inverse(self, op: &'static str) -> Tensor {
        let [inverse] =
            called(op, OwnTarget::INV, &[self], &[], |s| Ok([Matrices::square(&s[0])?.shape]));
        inverse
    }

    /// The determinants of square matrices, the last two axes, which are removed. The derivative is
    /// exact also where a matrix is singular; the second derivative is not. On the CPU.
    #[track_caller]
    pub fn det(self) -> Tensor {
        let checked = emit("det", &[self], Location::caller(), |_, s, _| Matrices::square(&s[0]));
        if checked.is_none() {
            return Tensor::poisoned();
        }
        function_scope("det", || {
            custom_vjp(
                self,
                |a| (a.determinant(), a),
                |a, g| cofactors(a.unnamed()).reshape(a.shape().axes()) * of_matrices(g, a),
            )
        })
    }

    /// The determinants by LU factors; a singular matrix has a pivot of 0.
    #[track_caller]
    fn determinant(self) -> Tensor {
        let Some((diagonal, sign)) = self.pivots("det") else { return Tensor::poisoned() };
        diagonal.prod(-1) * sign
    }

    /// The signs of the determinants of square matrices, the last two axes, which are removed, and
    /// the logarithms of their absolute values. The sign of a complex number has the absolute value
    /// 1; a singular matrix has the sign 0. On the CPU.
    #[track_caller]
    pub fn slogdet(self) -> (Tensor, Tensor) {
        let Some((diagonal, sign)) = self.pivots("slogdet") else {
            return (Tensor::poisoned(), Tensor::poisoned());
        };
        function_scope("slogdet", || {
            (diagonal.sign().prod(-1) * sign, diagonal.abs().log().sum(-1))
        })
    }

    /// The diagonal of the upper factor, and the sign of the row exchanges.
    #[track_caller]
    fn pivots(self, op: &'static str) -> Option<(Tensor, Tensor)> {
        emit(op, &[self], Location::caller(), |_, s, _| Matrices::square(&s[0]))?;
        let [packed, pivots, _] = self.factored(op);
        Some(function_scope(op, || {
            let own = Tensor::iota(DType::I32, pivots.shape().axes(), -1);
            let odd = pivots.ne(own).convert(DType::I32).sum(-1) % 2;
            let sign = (odd * -2 + 1).convert(packed.dtype());
            (packed.diagonal(-2, -1), sign)
        }))
    }

    /// The number of singular values of matrices, the last two axes, above `max(m, n) ε` times the
    /// largest, as `i32`. On the CPU.
    #[track_caller]
    pub fn matrix_rank(self) -> Tensor {
        let matrices =
            emit("matrix_rank", &[self], Location::caller(), |_, s, _| Matrices::of(&s[0]));
        let Some(a) = matrices else { return Tensor::poisoned() };
        let values = self.singular_values("matrix_rank");
        function_scope("matrix_rank", || {
            let cutoff = a.rows.max(a.columns) as f64 * epsilon(a.shape.dtype());
            let counted = above(values, cutoff).convert(DType::I32);
            counted.sum(-1)
        })
    }

    /// The power of square matrices, the last two axes, with an integer exponent: 0 gives the
    /// identity, and a negative exponent powers of the inverse (on the CPU only).
    #[track_caller]
    pub fn matrix_power(self, exponent: i32) -> Tensor {
        let matrices =
            emit("matrix_power", &[self], Location::caller(), |_, s, _| Matrices::square(&s[0]));
        let Some(a) = matrices else { return Tensor::poisoned() };
        let base = if exponent < 0 { self.inverse("matrix_power") } else { self };
        function_scope("matrix_power", || {
            let mut left = exponent.unsigned_abs();
            let (mut square, mut product) = (base.unnamed(), None::<Tensor>);
            while left > 0 {
                if left % 2 == 1 {
                    product = Some(product.map_or(square, |product| product.matmul(square)));
                }
                left /= 2;
                if left > 0 {
                    square = square.matmul(square);
                }
            }
            let power = product.unwrap_or_else(|| identity(base.unnamed()));
            power.reshape(a.shape.axes())
        })
    }

    /// The sum of the diagonal of the matrices over two axes, which are removed.
    #[track_caller]
    pub fn trace(self, rows: impl Into<Axis>, columns: impl Into<Axis>) -> Tensor {
        let (rows, columns) = (rows.into(), columns.into());
        function_scope("trace", || self.diagonal(rows, columns).sum(-1))
    }

    /// A norm of matrices, the last two axes, which are removed.
    #[track_caller]
    pub fn matrix_norm(self, norm: MatrixNorm) -> Tensor {
        let matrices =
            emit("matrix_norm", &[self], Location::caller(), |_, s, _| Matrices::of(&s[0]));
        if matrices.is_none() {
            return Tensor::poisoned();
        }
        let of_values = |reduce: fn(Tensor) -> Tensor| {
            let values = self.singular_values("matrix_norm");
            function_scope("matrix_norm", || reduce(values))
        };
        let of_sums = |axis: isize| function_scope("matrix_norm", || self.abs().sum(axis).max(-1));
        match norm {
            MatrixNorm::Frobenius => function_scope("matrix_norm", || self.norm([-2, -1])),
            MatrixNorm::Nuclear => of_values(|values| values.sum(-1)),
            MatrixNorm::Spectral => of_values(|values| values.max(-1)),
            MatrixNorm::One => of_sums(-2),
            MatrixNorm::Infinity => of_sums(-1),
        }
    }
}

/// Broadcasts numbers, one for each matrix, to all elements of the matrices.
#[track_caller]
fn of_matrices(numbers: Tensor, matrices: Tensor) -> Tensor {
    numbers.insert_axis(-1, "_").insert_axis(-1, "_").broadcast_to(matrices.shape().axes())
}

/// The cofactors of matrices without axis names, the derivatives of their determinants: the
/// transposed adjugate, which exists for singular matrices too. For `U diag(s) Vᴴ` it is `conj(U)
/// diag(p) conj(Vᴴ)` times the determinants of `U` and `Vᴴ`, where `p` are the products of all
/// other singular values.
///
/// The derivative is that of the determinant times the inverse: equal singular values have no
/// derivative.
#[track_caller]
fn cofactors(a: Tensor) -> Tensor {
    if a.size(-1) == 0 {
        return a;
    }
    let forward = |a: Tensor| {
        let (u, values, vh) = a.svd();
        let last = values.size(-1) as isize - 1;
        let ones = values.slice(-1, ..1).ones_like();
        let before = concatenate(&[ones, values.slice(-1, ..last)], -1).cumprod(-1);
        let after = concatenate(&[values.slice(-1, 1..), ones], -1);
        let after = after.reverse(-1).cumprod(-1).reverse(-1);
        let others = (before * after).convert(a.dtype());
        let columns = others.insert_axis(-2, "_").broadcast_to(u.shape().axes());
        let product = (u.conj() * columns).matmul(vh.conj());
        (product * of_matrices(u.determinant() * vh.determinant(), a), a)
    };
    let regular = |a: Tensor| a.inverse("det").swap_axes(-2, -1) * of_matrices(a.determinant(), a);
    custom_vjp(a, forward, |a, g| vjp(a, regular).1.apply(g))
}

/// Whether each singular value is above a fraction of the largest.
#[track_caller]
pub(super) fn above(values: Tensor, cutoff: f64) -> Tensor {
    let largest = match values.size(-1) {
        0 => values,
        _ => values.slice(-1, ..1).broadcast_to(values.shape().axes()),
    };
    values.gt(largest * cutoff)
}

/// The derivative of solutions of equations.
pub(super) fn pull_solve(pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let (a, y) = (pull.x(0), pull.y(0));
    let of_right = transposed(a).solve(pull.g());
    pull.two(|| -of_right.matmul(transposed(y)), || of_right)
}

/// The derivative of inverses.
pub(super) fn pull_inv(pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let y = transposed(pull.y(0));
    pull.one(-y.matmul(pull.g()).matmul(y))
}
