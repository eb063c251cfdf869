//! Pseudoinverses, and equations solved by them.

use super::{
    equations::{above, epsilon},
    matrices::{Matrices, adjoint, identity},
};
use crate::{
    Tensor, custom_vjp,
    trace::{emit, function_scope},
};
use std::panic::Location;

/// A pseudoinverse by its factors `Vᴴ`, `weights` and `U`: `V diag(weights) Uᴴ`.
type Inverse = (Tensor, Tensor, Tensor);

#[hloom_derive::tensor_methods(pseudoinverse)]
impl Tensor {
    /// The pseudoinverses (Moore-Penrose) of matrices `[.., m, n]`, the last two axes: `[.., n,
    /// m]`. Singular values below `10 max(m, n) ε` times the largest count as 0, where `ε` is the
    /// distance from 1 to the next number. On the CPU.
    #[track_caller]
    pub fn pinv(self) -> Tensor {
        let plan = emit("pinv", &[self], Location::caller(), |_, s, _| {
            let a = Matrices::of(&s[0])?;
            let axes = [(a.column_name(), a.columns), (a.row_name(), a.rows)];
            Ok((a, a.with(a.shape.dtype(), &axes)?))
        });
        let Some((a, shape)) = plan else { return Tensor::poisoned() };
        function_scope("pinv", || {
            let cutoff = 10.0 * a.rows.max(a.columns) as f64 * epsilon(a.shape.dtype());
            let inverse = custom_vjp(
                self.unnamed(),
                |a| {
                    let inverse = whole(inverse_of(a, cutoff));
                    (inverse, (a, inverse))
                },
                |(a, inverse), g| {
                    let product = a.matmul(inverse);
                    let rest = identity(product) - product;
                    cotangent(a, inverse, inverse, rest, g)
                },
            );
            inverse.reshape(shape.axes())
        })
    }

    /// The `X` of smallest norm for which `A X - B` has the smallest norm, where `A` is this
    /// tensor, matrices over the last two axes, and `B` is `right`, matrices with as many rows and
    /// the same leading axes. Singular values below `max(m, n) ε` times the largest count as 0,
    /// where `ε` is the distance from 1 to the next number. On the CPU.
    #[track_caller]
    pub fn lstsq(self, right: Tensor) -> Tensor {
        let both = emit("lstsq", &[self, right], Location::caller(), |_, s, _| {
            let (a, b) = (Matrices::of(&s[0])?, Matrices::of(&s[1])?);
            a.check_beside(&b)?;
            if a.rows == b.rows {
                let axes = [(a.column_name(), a.columns), (b.column_name(), b.columns)];
                Ok((a, a.with(a.shape.dtype(), &axes)?))
            } else {
                Err(format!(
                    "the right side {} has {} rows, the matrix {} has {}",
                    b.shape, b.rows, a.shape, a.rows
                )
                .into())
            }
        });
        let Some((a, shape)) = both else { return Tensor::poisoned() };
        function_scope("lstsq", || {
            let cutoff = a.rows.max(a.columns) as f64 * epsilon(a.shape.dtype());
            let solution = custom_vjp(
                (self.unnamed(), right.unnamed()),
                |(a, right)| {
                    let (vh, weights, u) = inverse_of(a, cutoff);
                    let x = weighted(vh, weights, adjoint(u).matmul(right));
                    (x, ((a, right), (vh, weights, u), x))
                },
                |((a, right), inverse, x), g| {
                    let inverse = whole(inverse);
                    let of_a = cotangent(a, inverse, x, right - a.matmul(x), g);
                    (of_a, inverse.swap_axes(-2, -1).matmul(g))
                },
            );
            solution.reshape(shape.axes())
        })
    }
}

/// The pseudoinverse for which singular values below `cutoff` times the largest count as 0.
#[track_caller]
fn inverse_of(a: Tensor, cutoff: f64) -> Inverse {
    let (u, values, vh) = a.svd();
    (vh, reciprocals(values, cutoff), u)
}

#[track_caller]
fn whole((vh, weights, u): Inverse) -> Tensor {
    weighted(vh, weights, adjoint(u))
}

/// The cotangent of `A` for that of `X`, the solution of `A X = B` by the pseudoinverse of `A`;
/// `rest` is the residual `B - A X` ([Golub and Pereyra 1973](https://doi.org/10.1137/0710036),
/// theorem 4.3). The rank of `A` is assumed to be constant.
#[track_caller]
fn cotangent(a: Tensor, inverse: Tensor, x: Tensor, rest: Tensor, g: Tensor) -> Tensor {
    // The theorem is stated for conjugated cotangents.
    let (g, given) = (g.swap_axes(-2, -1), g.conj());
    let back = adjoint(inverse);
    let own = back.matmul(given).matmul(adjoint(x));
    let outside = rest.matmul(g).matmul(inverse).matmul(back);
    let kernel = back.matmul(x).matmul(g - g.matmul(inverse).matmul(a));
    (outside + kernel - own).conj()
}

/// The reciprocals of the singular values above a share of the largest, and zeros for the others;
/// NaN stays.
#[track_caller]
fn reciprocals(values: Tensor, cutoff: f64) -> Tensor {
    let kept = above(values, cutoff) | values.is_nan();
    kept.select(values.reciprocal(), values.zeros_like())
}

/// `V diag(weights) right`, for `Vᴴ`.
#[track_caller]
fn weighted(vh: Tensor, weights: Tensor, right: Tensor) -> Tensor {
    let axes = right.shape().axes();
    let weights = weights.convert(right.dtype()).insert_axis(-1, "_").broadcast_to(axes);
    adjoint(vh).matmul(right * weights)
}
