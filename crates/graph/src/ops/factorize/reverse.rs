//! The derivatives of matrix factorizations, eigenvalues and singular values, which are custom
//! calls.
//!
//! The formulas are those of the literature, for conjugated cotangents; operands and results of a
//! rule are not conjugated. Factors are unique up to signs or phases: the gradient is right for
//! losses that are invariant to them. Equal eigenvalues or singular values make the gradients of
//! their vectors infinite or NaN.
//!
//! Sources: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
//! differentiation" (2008); Townsend, "Differentiating the singular value decomposition" (2016);
//! Walter, Lehmann and Lamour, "On evaluating higher-order derivatives of the QR decomposition of
//! tall matrices with full column rank" (2012).

use crate::{
    Tensor, TransposeA, TriangularSolve, concatenate,
    grad::Pull,
    ops::matrices::{adjoint, identity, permutation, transposed, triangle},
};

type Cotangents = Vec<Option<Tensor>>;

const UPPER: TriangularSolve = TriangularSolve { lower: false, ..TriangularSolve::lower() };

/// The conjugated cotangent of a result.
fn given(pull: &Pull<'_>, index: usize) -> Option<Tensor> {
    pull.given(index).map(Tensor::conj)
}

fn sum(parts: impl IntoIterator<Item = Option<Tensor>>) -> Option<Tensor> {
    parts.into_iter().flatten().reduce(|a, b| a + b)
}

/// The product `L U` is `A` with its rows permuted; one matrix stores both triangles.
pub(crate) fn pull_lu(pull: &Pull<'_>) -> Cotangents {
    let (packed, order, g) = (pull.y(0), pull.y(2), pull.g().conj());
    let (rows, columns) = (packed.size(-2), packed.size(-1));
    let least = rows.min(columns) as isize;
    let square = |x: Tensor| x.slice(-2, ..least).slice(-1, ..least);
    let factors = square(packed);
    // The cotangents of `L`, without its diagonal, and of `U`.
    let (of_lower, of_upper) = (triangle(square(g), true, -1), triangle(square(g), false, 0));
    let unit_lower = TriangularSolve { unit_diagonal: true, ..TriangularSolve::lower() };
    let lower = triangle(factors, true, -1) + identity(factors);
    let upper = triangle(factors, false, 0);
    let adjoint_of = |form| TriangularSolve { transpose: TransposeA::Adjoint, ..form };
    let by_lower = |x: Tensor| factors.triangular_solve(x, adjoint_of(unit_lower));
    let by_upper = |x: Tensor| {
        let form = TriangularSolve { left_side: false, ..adjoint_of(UPPER) };
        factors.triangular_solve(x, form)
    };
    let mut below = adjoint(lower).matmul(of_lower);
    let mut above = of_upper.matmul(adjoint(upper));
    let mut rest = None;
    if columns > rows {
        let (wide, of_wide) = (packed.slice(-1, least..), g.slice(-1, least..));
        below = below - of_wide.matmul(adjoint(wide));
        rest = Some((-1isize, by_lower(of_wide)));
    } else if rows > columns {
        let (tall, of_tall) = (packed.slice(-2, least..), g.slice(-2, least..));
        above = above - adjoint(tall).matmul(of_tall);
        rest = Some((-2, by_upper(of_tall)));
    }
    let middle = triangle(below, true, -1) + triangle(above, false, 0);
    let own = by_upper(by_lower(middle));
    let exchanged = match rest {
        Some((axis, rest)) => concatenate(&[own, rest], axis),
        None => own,
    };
    let restored = permutation(order, exchanged.dtype()).matmul(exchanged);
    pull.one(restored.conj())
}

/// The sum of a matrix and its adjoint, with the diagonal once.
fn mirrored(x: Tensor) -> Tensor {
    let both = x + adjoint(x);
    both - both * identity(both) * 0.5
}

pub(crate) fn pull_qr(pull: &Pull<'_>) -> Cotangents {
    let (q, r) = (pull.y(0), pull.y(1));
    let (columns, width) = (r.size(-1), q.size(-1));
    if width > columns {
        return pull.refuse("has no derivative with all columns of `Q`; use `qr`");
    }
    let (mut of_q, of_r) = (given(pull, 0), given(pull, 1));
    // `A = [X Y]`, with `X = Q U` and `Y = Q V`.
    let (mut u, mut of_u, mut of_y) = (r, of_r, None);
    if columns > width {
        let width = width as isize;
        let v = r.slice(-1, width..);
        u = r.slice(-1, ..width);
        of_u = of_r.map(|g| g.slice(-1, ..width));
        let of_v = of_r.map(|g| g.slice(-1, width..));
        of_y = of_v.map(|g| q.matmul(g));
        of_q = sum([of_q, of_v.map(|g| q.matmul(v.matmul(adjoint(g))))]);
    }
    let inside = sum([
        of_u.map(|g| triangle(g, false, 0).matmul(adjoint(u))),
        of_q.map(|g| -adjoint(q).matmul(g)),
    ]);
    let along_q = inside.map(|x| q.matmul(mirrored(triangle(x, false, 0))));
    let product = sum([along_q, of_q]).unwrap_or_else(|| q.full_like(0));
    let form = TriangularSolve { left_side: false, transpose: TransposeA::Adjoint, ..UPPER };
    let of_x = u.triangular_solve(product, form);
    let all = if columns > width {
        let of_y = of_y.unwrap_or_else(|| r.slice(-1, width as isize..).full_like(0));
        concatenate(&[of_x, of_y], -1)
    } else {
        of_x
    };
    pull.one(all.conj())
}

/// The reciprocals of `values[j] - values[i]` at row `i` and column `j`, and zeros where both are
/// the same.
fn gaps(values: Tensor) -> Tensor {
    let columns = values.insert_axis(-2, "_");
    let rows = values.insert_axis(-1, "_");
    let dims = [values.shape().sizes(), &[values.size(-1)]].concat();
    let gap = columns.broadcast_to(dims.clone()) - rows.broadcast_to(dims);
    let own = identity(gap);
    (gap + own).reciprocal() - own
}

/// Scales the columns of a matrix by real numbers.
fn columns_by(x: Tensor, values: Tensor) -> Tensor {
    let values = values.convert(x.dtype()).insert_axis(-2, "_");
    x * values.broadcast_to(x.shape().axes())
}

pub(crate) fn pull_eigh(pull: &Pull<'_>) -> Cotangents {
    // The forward pass may have computed only the values.
    let (values, vectors) = match pull.step.results.len() {
        1 => pull.x(0).eigh(),
        _ => (pull.y(0), pull.y(1)),
    };
    let of_values = given(pull, 0).map(|g| columns_by(vectors, g).matmul(adjoint(vectors)));
    let of_vectors = (pull.step.results.len() > 1).then(|| given(pull, 1)).flatten().map(|g| {
        let inside = adjoint(vectors).matmul(g) * gaps(values).convert(vectors.dtype());
        vectors.matmul(inside).matmul(adjoint(vectors))
    });
    let both = sum([of_values, of_vectors]).unwrap_or_else(|| vectors.full_like(0));
    // The forward pass reads only one triangle: the other is its adjoint.
    pull.one(((both + adjoint(both)) * 0.5).conj())
}

pub(crate) fn pull_svd(pull: &Pull<'_>) -> Cotangents {
    // The forward pass may have computed only the values.
    let (u, values, vh) = match pull.step.results.len() {
        1 => pull.x(0).svd(),
        _ => (pull.y(1), pull.y(0), pull.y(2)),
    };
    let (rows, columns, count) = (u.size(-2), vh.size(-1), values.size(-1));
    if u.size(-1) > count || vh.size(-2) > count {
        return pull.refuse("has no derivative with all vectors; use `svd`");
    }
    let has_vectors = pull.step.results.len() > 1;
    let of_u = has_vectors.then(|| given(pull, 1)).flatten();
    let of_vh = has_vectors.then(|| given(pull, 2)).flatten();
    let dtype = u.dtype();
    let between = gaps(values * values).convert(dtype);
    let skew = |x: Tensor| x - adjoint(x);
    let from_u = of_u.map(|g| {
        let rotated = skew(adjoint(u).matmul(g));
        let moved = columns_by(rotated * between, values);
        // A left singular vector and its right one share their phase.
        let phases = || columns_by(rotated * identity(rotated), values.reciprocal() * 0.5);
        if dtype.is_complex() { moved + phases() } else { moved }
    });
    let from_v = of_vh.map(|g| {
        let rotated = skew(vh.matmul(adjoint(g))) * between;
        transposed(columns_by(transposed(rotated), values))
    });
    let diagonal = given(pull, 0).map(|g| columns_by(identity(between), g));
    let mut own = sum([from_u, from_v, diagonal]).map(|x| u.matmul(x).matmul(vh));
    let reciprocal = values.reciprocal();
    if let Some(g) = of_u
        && rows > count
    {
        let outside = g - u.matmul(adjoint(u).matmul(g));
        own = sum([own, Some(columns_by(outside, reciprocal).matmul(vh))]);
    }
    if let Some(g) = of_vh
        && columns > count
    {
        let outside = g - g.matmul(adjoint(vh)).matmul(vh);
        own = sum([own, Some(columns_by(u, reciprocal).matmul(outside))]);
    }
    let all = own.unwrap_or_else(|| pull.x(0).full_like(0));
    pull.one(all.conj())
}
