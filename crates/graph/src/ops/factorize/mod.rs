//! Factors, eigenvalues and singular values of matrices, by custom calls that the CPU has handlers
//! for.

mod reverse;

use super::{
    custom_call::OwnTarget,
    matrices::{Matrices, identity, permutation},
};
use crate::{
    Attribute, Attributes, BackendConfig, CustomCall, DType, Shape, Tensor,
    trace::{Rule, emit, function_scope},
};
pub(super) use reverse::{pull_eigh, pull_lu, pull_qr, pull_svd};
use std::panic::Location;

/// The element type with complex parts.
fn complex_of(dtype: DType) -> DType {
    match dtype {
        DType::F32 => DType::C64,
        DType::F64 => DType::C128,
        other => other,
    }
}

/// Calls a target with results of the shapes that `rule` infers.
#[track_caller]
pub(super) fn called<const N: usize>(
    op: &'static str,
    target: OwnTarget,
    operands: &[Tensor],
    attributes: &[(&str, bool)],
    rule: impl FnOnce(&[Shape]) -> Rule<[Shape; N]>,
) -> [Tensor; N] {
    let values = emit(op, operands, Location::caller(), |builder, shapes, values| {
        let mut call = CustomCall::new(target.name, rule(shapes)?);
        let named = attributes.iter().map(|&(name, value)| (name, Attribute::from(value)));
        call.config = BackendConfig::Typed(named.collect::<Attributes>());
        builder.add_many(call, values)
    });
    let mut values = values.into_iter().flatten();
    [(); N].map(|()| Tensor::or_poisoned(values.next()))
}

#[hloom_derive::tensor_methods(factorize)]
impl Tensor {
    /// The LU factors of matrices, the last two axes, with row exchanges. Returns both factors in
    /// one matrix (the unit lower triangular one below the diagonal, the upper triangular one from
    /// the diagonal on); the pivots, which are the row that each row was exchanged with, in order,
    /// counted from 0, as `i32`; and the permutation, which is the row of the matrix at each row of
    /// the factors, as `i32`.
    ///
    /// Supports `f32`, `f64`, `c64` and `c128`, as do all factorizations and solvers; CPU only.
    #[track_caller]
    pub fn lu_factor(self) -> (Tensor, Tensor, Tensor) {
        let [packed, pivots, order] = self.factored("lu_factor");
        (packed, pivots, order)
    }

    #[track_caller]
    pub(super) fn factored(self, op: &'static str) -> [Tensor; 3] {
        called(op, OwnTarget::LU, &[self], &[], |s| {
            let a = Matrices::of(&s[0])?;
            let least = a.rows.min(a.columns);
            let pivots = a.with(DType::I32, &[(None, least)])?;
            Ok([a.shape, pivots, a.with(DType::I32, &[(a.row_name(), a.rows)])?])
        })
    }

    /// The factors `P`, `L` and `U` with `P L U = A`: a permutation, a lower triangle with ones on
    /// the diagonal, and an upper triangle. On the CPU.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let a = trace.parameter("a", &Spec::f32([7, 4, 3]), false);
    /// let (p, l, u) = a.lu();
    /// assert_eq!(p.shape().to_string(), "f32[7, 4, 4]");
    /// assert_eq!(l.shape().to_string(), "f32[7, 4, 3]");
    /// assert_eq!(u.shape().to_string(), "f32[7, 3, 3]");
    /// ```
    #[track_caller]
    pub fn lu(self) -> (Tensor, Tensor, Tensor) {
        let shapes = emit("lu", &[self], Location::caller(), |_, s, _| {
            let a = Matrices::of(&s[0])?;
            let least = a.rows.min(a.columns);
            Ok([
                a.with(a.shape.dtype(), &[(a.row_name(), a.rows), (None, a.rows)])?,
                a.with(a.shape.dtype(), &[(None, a.rows), (None, least)])?,
                a.with(a.shape.dtype(), &[(None, least), (a.column_name(), a.columns)])?,
            ])
        });
        let Some([p, l, u]) = shapes else { return [Tensor::poisoned(); 3].into() };
        let [packed, _, order] = self.factored("lu");
        function_scope("lu", || {
            let least = l.sizes()[l.rank() - 1] as isize;
            let packed = packed.unnamed();
            let lower = packed.slice(-1, ..least).tril(-2, -1, -1);
            let lower = lower + identity(lower);
            let upper = packed.slice(-2, ..least).triu(-2, -1, 0);
            let permutation = permutation(order.unnamed(), p.dtype());
            (permutation.reshape(p.axes()), lower.reshape(l.axes()), upper.reshape(u.axes()))
        })
    }

    /// The same elements without names of axes.
    #[track_caller]
    pub(super) fn unnamed(self) -> Tensor {
        self.reshape(self.shape().unnamed().axes())
    }

    /// The QR factors of matrices `[.., m, n]`, the last two axes: `Q`, `[.., m, k]`, with
    /// orthonormal columns, and `R`, `[.., k, n]`, an upper triangle whose diagonal is real; `k` is
    /// the smaller of `m` and `n`. On the CPU.
    #[track_caller]
    pub fn qr(self) -> (Tensor, Tensor) {
        self.orthogonalized("qr", |rows, columns| rows.min(columns))
    }

    /// As [`qr`](Self::qr), with `k` equal to `m`: `Q` is square.
    #[track_caller]
    pub fn qr_full(self) -> (Tensor, Tensor) {
        self.orthogonalized("qr_full", |rows, _| rows)
    }

    #[track_caller]
    fn orthogonalized(
        self,
        op: &'static str,
        width: fn(usize, usize) -> usize,
    ) -> (Tensor, Tensor) {
        let [q, r] = called(op, OwnTarget::QR, &[self], &[], |s| {
            let a = Matrices::of(&s[0])?;
            let (dtype, width) = (a.shape.dtype(), width(a.rows, a.columns));
            Ok([
                a.with(dtype, &[(a.row_name(), a.rows), (None, width)])?,
                a.with(dtype, &[(None, width), (a.column_name(), a.columns)])?,
            ])
        });
        (q, r)
    }

    /// The eigenvalues, real and smallest first, of self-adjoint matrices, the last two axes, and
    /// orthonormal eigenvectors as columns. The lower triangle alone is read. The eigenvalues have
    /// the columns' name, so that `vectors * values` scales the columns. On the CPU.
    #[track_caller]
    pub fn eigh(self) -> (Tensor, Tensor) {
        let [values, vectors] = called("eigh", OwnTarget::EIGH, &[self], &[("lower", true)], |s| {
            let a = Matrices::square(&s[0])?;
            Ok([a.values(a.shape.dtype().real(), a.columns)?, a.shape])
        });
        (values, vectors)
    }

    /// The eigenvalues of self-adjoint matrices, as [`eigh`](Self::eigh).
    #[track_caller]
    pub fn eigvalsh(self) -> Tensor {
        let [values] = called("eigvalsh", OwnTarget::EIGH, &[self], &[("lower", true)], |s| {
            let a = Matrices::square(&s[0])?;
            Ok([a.values(a.shape.dtype().real(), a.columns)?])
        });
        values
    }

    /// The eigenvalues of matrices, the last two axes, in no order, and the eigenvectors of norm 1
    /// as columns; complex. On the CPU.
    #[track_caller]
    pub fn eig(self) -> (Tensor, Tensor) {
        let [values, vectors] = called("eig", OwnTarget::EIG, &[self], &[], |s| {
            let a = Matrices::square(&s[0])?;
            let dtype = complex_of(a.shape.dtype());
            Ok([a.values(dtype, a.columns)?, a.shape.with_dtype(dtype)])
        });
        (values, vectors)
    }

    /// The eigenvalues of matrices, as [`eig`](Self::eig).
    #[track_caller]
    pub fn eigvals(self) -> Tensor {
        let [values] = called("eigvals", OwnTarget::EIG, &[self], &[], |s| {
            let a = Matrices::square(&s[0])?;
            Ok([a.values(complex_of(a.shape.dtype()), a.columns)?])
        });
        values
    }

    /// The singular value decomposition of matrices `[.., m, n]`, the last two axes: `U`, `[.., m,
    /// k]`, and `Vᴴ`, `[.., k, n]`, with orthonormal columns and rows, and between them the
    /// singular values, `[.., k]`, real and largest first; `k` is the smaller of `m` and `n`. NaN
    /// for a matrix with NaN or infinity. On the CPU.
    ///
    /// ```
    /// # use hloom_graph::{DType, Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let spec = Spec::new(DType::C64, [("word", 9), ("topic", 4)]);
    /// let a = trace.parameter("a", &spec, false);
    /// let (u, s, vh) = a.svd();
    /// assert_eq!(u.shape().to_string(), "c64[word=9, 4]");
    /// assert_eq!(s.shape().to_string(), "f32[4]");
    /// assert_eq!(vh.shape().to_string(), "c64[4, topic=4]");
    /// ```
    #[track_caller]
    pub fn svd(self) -> (Tensor, Tensor, Tensor) {
        self.decomposed("svd", |rows, columns| [rows.min(columns); 2])
    }

    /// As [`svd`](Self::svd), with all vectors: `U` is `[.., m, m]` and `Vᴴ` is `[.., n, n]`.
    #[track_caller]
    pub fn svd_full(self) -> (Tensor, Tensor, Tensor) {
        self.decomposed("svd_full", |rows, columns| [rows, columns])
    }

    #[track_caller]
    fn decomposed(
        self,
        op: &'static str,
        widths: fn(usize, usize) -> [usize; 2],
    ) -> (Tensor, Tensor, Tensor) {
        let [values, u, vh] = called(op, OwnTarget::SVD, &[self], &[], |s| {
            let a = Matrices::of(&s[0])?;
            let (dtype, [left, right]) = (a.shape.dtype(), widths(a.rows, a.columns));
            Ok([
                a.with(dtype.real(), &[(None, a.rows.min(a.columns))])?,
                a.with(dtype, &[(a.row_name(), a.rows), (None, left)])?,
                a.with(dtype, &[(None, right), (a.column_name(), a.columns)])?,
            ])
        });
        (u, values, vh)
    }

    /// The singular values of matrices, as [`svd`](Self::svd).
    #[track_caller]
    pub fn svdvals(self) -> Tensor {
        self.singular_values("svdvals")
    }

    #[track_caller]
    pub(super) fn singular_values(self, op: &'static str) -> Tensor {
        let [values] = called(op, OwnTarget::SVD, &[self], &[], |s| {
            let a = Matrices::of(&s[0])?;
            Ok([a.with(a.shape.dtype().real(), &[(None, a.rows.min(a.columns))])?])
        });
        values
    }
}

impl Matrices {
    /// A shape with `count` elements for each matrix, along an axis with the columns' name.
    fn values(&self, dtype: DType, count: usize) -> Rule<Shape> {
        self.with(dtype, &[(self.column_name(), count)])
    }
}
