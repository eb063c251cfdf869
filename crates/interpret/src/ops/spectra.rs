//! Eigenvalues and singular values.

use super::{
    factors::qr,
    matrix::{Matrix, inner, norm},
};
use crate::number::Complex;

/// The maximum number of steps for each eigenvalue, and of sweeps over all pairs of columns, before
/// an iteration counts as diverging.
const MAX_STEPS: usize = 200;

/// The relative error of a sum of this many products.
fn digits(terms: usize) -> f64 {
    f64::EPSILON * terms.max(2) as f64
}

/// Eigenvalues, and the vectors as columns.
pub(super) struct Eigen {
    pub values: Vec<Complex>,
    pub vectors: Matrix,
}

/// A unitary `U` and a triangular `T` with `U T U*` the matrix, by QR steps with shifts; `None` for
/// a matrix with elements that are not finite, or if they do not converge.
fn schur(a: Matrix) -> Option<(Matrix, Matrix)> {
    if !a.is_finite() {
        return None;
    }
    let size = a.rows;
    let (mut t, mut u) = (a, Matrix::identity(size, size));
    let mut end = size;
    let mut steps = 0;
    while end > 1 {
        let last = end - 1;
        let row: Vec<_> = (0..last).map(|column| t.at(last, column)).collect();
        if norm(&row) <= digits(size) * t.largest() {
            (0..last).for_each(|column| t.set(last, column, Complex::ZERO));
            (end, steps) = (last, 0);
            continue;
        }
        steps += 1;
        if steps > MAX_STEPS {
            return None;
        }
        // Some steps use a different shift, for matrices that a step leaves unchanged, such as
        // permutations.
        let is_moved = steps % 10 == 0;
        let moved = if is_moved { t.largest() * 0.7 } else { 0.0 };
        let shift = nearest_eigenvalue(&t, last) + Complex::new(moved, moved / 3.0);
        let active = Matrix::from_fn(end, end, |row, column| {
            if row == column { t.at(row, column) - shift } else { t.at(row, column) }
        });
        let [turn, _] = qr(active, end);
        let whole = Matrix::from_fn(size, size, |row, column| match (row < end, column < end) {
            (true, true) => turn.at(row, column),
            _ if row == column => Complex::ONE,
            _ => Complex::ZERO,
        });
        t = whole.adjoint().product(&t).product(&whole);
        u = u.product(&whole);
    }
    Some((u, t))
}

/// The eigenvalue of the 2 by 2 block that ends at a row, the one nearest to the last diagonal
/// element.
fn nearest_eigenvalue(t: &Matrix, last: usize) -> Complex {
    let [a, b] = [t.at(last - 1, last - 1), t.at(last - 1, last)];
    let [c, d] = [t.at(last, last - 1), t.at(last, last)];
    let half = (a - d).scale(0.5);
    let root = (half * half + b * c).sqrt();
    let both = [half + root, half - root];
    d + if both[0].abs() < both[1].abs() { both[0] } else { both[1] }
}

/// The eigenvalues of a self-adjoint matrix, smallest first, and orthonormal eigenvectors; only one
/// triangle of the matrix is read.
pub(super) fn self_adjoint(a: &Matrix, is_lower: bool) -> Option<Eigen> {
    let whole = Matrix::from_fn(a.rows, a.rows, |row, column| {
        let is_read = if is_lower { row >= column } else { row <= column };
        match (is_read, row == column) {
            (true, true) => Complex::new(a.at(row, row).re, 0.0),
            (true, false) => a.at(row, column),
            (false, _) => a.at(column, row).conjugate(),
        }
    });
    let (u, t) = schur(whole)?;
    let mut order: Vec<usize> = (0..a.rows).collect();
    order.sort_by(|&i, &k| t.at(i, i).re.total_cmp(&t.at(k, k).re));
    let values = order.iter().map(|&i| Complex::new(t.at(i, i).re, 0.0)).collect();
    let vectors = Matrix::from_fn(a.rows, a.rows, |row, column| u.at(row, order[column]));
    Some(Eigen { values, vectors })
}

/// The eigenvalues of a matrix, and vectors of norm 1 whose largest element is real.
pub(super) fn eigen(a: Matrix) -> Option<Eigen> {
    let size = a.rows;
    let (u, t) = schur(a)?;
    let smallest = (t.largest() * f64::EPSILON).max(f64::MIN_POSITIVE);
    let mut of_triangle = Matrix::identity(size, size);
    for column in 0..size {
        for row in (0..column).rev() {
            let known = (row + 1..=column).map(|k| t.at(row, k) * of_triangle.at(k, column));
            let sum = known.fold(Complex::ZERO, |sum, term| sum + term);
            let distance = t.at(column, column) - t.at(row, row);
            // Equal eigenvalues have one eigenvector, or eigenvectors that are not unique.
            let is_equal = distance.abs() < smallest;
            let distance = if is_equal { Complex::new(smallest, 0.0) } else { distance };
            of_triangle.set(row, column, sum / distance);
        }
    }
    let all = u.product(&of_triangle);
    let columns: Vec<_> = (0..size).map(|column| unit(all.column(column))).collect();
    let vectors = Matrix::from_fn(size, size, |row, column| columns[column][row]);
    Some(Eigen { values: (0..size).map(|i| t.at(i, i)).collect(), vectors })
}

/// A vector divided by its norm, with its phase chosen so that its largest element is real.
fn unit(vector: Vec<Complex>) -> Vec<Complex> {
    let larger = |a: Complex, &b: &Complex| if b.abs() > a.abs() { b } else { a };
    let largest = vector.iter().fold(Complex::ZERO, larger);
    // Scales first, so that squares do not overflow.
    let scaled: Vec<_> = vector.iter().map(|&z| z / largest).collect();
    let length = norm(&scaled);
    scaled.into_iter().map(|z| z.scale(1.0 / length)).collect()
}

/// Singular values, largest first, and the vectors of both sides as columns.
pub(super) struct Singular {
    pub values: Vec<f64>,
    pub left: Matrix,
    pub right: Matrix,
}

/// The singular value decomposition with `widths` vectors on each side, by one-sided Jacobi
/// rotations: pairs of columns are rotated until all are orthogonal. `None` for a matrix with
/// elements that are not finite.
pub(super) fn singular(a: &Matrix, widths: [usize; 2]) -> Option<Singular> {
    if a.rows < a.columns {
        let Singular { values, left, right } = singular(&a.adjoint(), [widths[1], widths[0]])?;
        return Some(Singular { values, left: right, right: left });
    }
    if !a.is_finite() {
        return None;
    }
    let largest = if a.largest() == 0.0 { 1.0 } else { a.largest() };
    let column = |at: usize| -> Vec<_> {
        a.column(at).into_iter().map(|z| Complex::new(z.re / largest, z.im / largest)).collect()
    };
    let mut columns: Vec<Vec<Complex>> = (0..a.columns).map(column).collect();
    let identity = Matrix::identity(a.columns, a.columns);
    let mut turns: Vec<_> = (0..a.columns).map(|at| identity.column(at)).collect();
    for _ in 0..MAX_STEPS {
        let mut is_orthogonal = true;
        for second in 1..a.columns {
            for first in 0..second {
                if let Some(turn) = Turn::of(&columns[first], &columns[second]) {
                    is_orthogonal = false;
                    turn.apply(&mut columns, first, second);
                    turn.apply(&mut turns, first, second);
                }
            }
        }
        if is_orthogonal {
            break;
        }
    }
    let mut order: Vec<usize> = (0..a.columns).collect();
    order.sort_by(|&i, &k| norm(&columns[k]).total_cmp(&norm(&columns[i])));
    let values = order.iter().map(|&at| norm(&columns[at]) * largest).collect();
    let left = order.iter().map(|&at| {
        let length = norm(&columns[at]);
        // Squares of smaller lengths are not normal numbers: such columns may not be orthogonal.
        (length > 1e-150).then(|| columns[at].iter().map(|z| z.scale(1.0 / length)).collect())
    });
    let left = basis(left.collect(), a.rows, widths[0]);
    let right =
        basis(order.iter().map(|&at| Some(turns[at].clone())).collect(), a.columns, widths[1]);
    Some(Singular { values, left, right })
}

/// A rotation that makes two columns orthogonal.
struct Turn {
    cos: f64,
    sin: f64,
    /// The second column is multiplied by it first.
    phase: Complex,
}

impl Turn {
    /// `None` for columns that are orthogonal.
    fn of(first: &[Complex], second: &[Complex]) -> Option<Turn> {
        let (a, b, both) = (norm(first), norm(second), inner(first, second));
        if both.abs() <= digits(first.len()) * a * b || both.abs() < f64::MIN_POSITIVE {
            return None;
        }
        let ratio = (b - a) * (b + a) / (2.0 * both.abs());
        let tan = 1f64.copysign(ratio) / (ratio.abs() + ratio.hypot(1.0));
        let cos = 1.0 / tan.hypot(1.0);
        Some(Turn { cos, sin: cos * tan, phase: both.sign().conjugate() })
    }

    fn apply(&self, columns: &mut [Vec<Complex>], first: usize, second: usize) {
        for row in 0..columns[first].len() {
            let (a, b) = (columns[first][row], columns[second][row] * self.phase);
            columns[first][row] = a.scale(self.cos) - b.scale(self.sin);
            columns[second][row] = a.scale(self.sin) + b.scale(self.cos);
        }
    }
}

/// `width` orthonormal columns: those that are given, and for missing ones vectors that are
/// orthogonal to all others.
fn basis(given: Vec<Option<Vec<Complex>>>, rows: usize, width: usize) -> Matrix {
    let mut columns: Vec<Option<Vec<Complex>>> = given.into_iter().take(width).collect();
    columns.resize(width, None);
    for at in 0..width {
        if columns[at].is_some() {
            continue;
        }
        let identity = Matrix::identity(rows, rows);
        let rests = (0..rows).map(|unit| {
            let mut rest = identity.column(unit);
            // Orthogonalizes twice, since the first difference may have few digits.
            for known in columns.iter().flatten().chain(columns.iter().flatten()) {
                let part = inner(known, &rest);
                rest.iter_mut().zip(known).for_each(|(z, &k)| *z = *z - k * part);
            }
            rest
        });
        let longest = rests.max_by(|a, b| norm(a).total_cmp(&norm(b))).unwrap_or_default();
        let length = norm(&longest);
        columns[at] = Some(longest.iter().map(|z| z.scale(1.0 / length)).collect());
    }
    let columns: Vec<_> = columns.into_iter().flatten().collect();
    Matrix::from_fn(rows, width, |row, column| columns[column][row])
}
