//! Triangles and diagonals of matrices.

use super::BroadcastInDim;
use crate::{
    Axis, DType, Dims, Name, PerAxis, Shape, Tensor,
    trace::{OpError, Rule, emit, function_scope},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(triangle)]
impl Tensor {
    /// The matrices over two axes, with zeros above the diagonal. The diagonal is moved by
    /// `diagonal` columns to the right, or to the left if it is negative.
    #[track_caller]
    pub fn tril(self, rows: impl Into<Axis>, columns: impl Into<Axis>, diagonal: isize) -> Tensor {
        let axes = (rows.into(), columns.into());
        self.masked("tril", axes, diagonal, |row, column| row.ge(column))
    }

    /// The matrices over two axes, with zeros below the diagonal, which is moved by `diagonal`
    /// columns to the right, or to the left if it is negative.
    #[track_caller]
    pub fn triu(self, rows: impl Into<Axis>, columns: impl Into<Axis>, diagonal: isize) -> Tensor {
        let axes = (rows.into(), columns.into());
        self.masked("triu", axes, diagonal, |row, column| row.le(column))
    }

    /// The elements for which `kept` is true of the row, shifted by `diagonal`, and the column.
    #[track_caller]
    fn masked(
        self,
        op: &'static str,
        (rows, columns): (Axis, Axis),
        diagonal: isize,
        kept: fn(Tensor, Tensor) -> Tensor,
    ) -> Tensor {
        let places = emit(op, &[self], Location::caller(), |_, s, _| {
            let (row, column) = matrix(&s[0], rows, columns)?;
            // No element is further from the diagonal than the longer of the two axes.
            let most = s[0].sizes()[row].max(s[0].sizes()[column]) as isize;
            Ok((row, column, diagonal.clamp(-most, most)))
        });
        let Some((row, column, diagonal)) = places else { return Tensor::poisoned() };
        function_scope(op, || {
            let along = |axis: usize| Tensor::iota(DType::I64, self.shape().axes(), axis);
            kept(along(row) + diagonal as i64, along(column)).select(self, self.zeros_like())
        })
    }

    /// Matrices of zeros with the elements along an axis on their diagonal. The axis becomes two of
    /// its size, with these names (`_` for none).
    #[track_caller]
    pub fn diag(self, axis: impl Into<Axis>, [row, column]: [&str; 2]) -> Tensor {
        let axis = axis.into();
        let wide = emit("diag", &[self], Location::caller(), |builder, s, v| {
            let at = s[0].position(axis)?;
            let name = |name: &str| (name != "_").then(|| Name::new(name));
            let mut all: Vec<_> =
                s[0].names().iter().copied().zip(s[0].sizes().iter().copied()).collect();
            let size = all[at].1;
            all.splice(at..=at, [(name(row), size), (name(column), size)]);
            let axes = PerAxis::collect((0..s[0].rank()).map(|i| i + usize::from(i > at)));
            Ok((at, builder.add(BroadcastInDim { axes, dims: Dims::new(all)? }, v)?))
        });
        let Some((at, wide)) = wide else { return Tensor::poisoned() };
        function_scope("diag", || {
            let wide = Tensor::or_poisoned(Some(wide));
            let along = |axis: usize| Tensor::iota(DType::I64, wide.shape().axes(), axis);
            along(at).eq(along(at + 1)).select(wide, wide.zeros_like())
        })
    }

    /// The diagonals of the matrices over two axes, as a last axis of the shorter one's size with
    /// the name of the rows.
    #[track_caller]
    pub fn diagonal(self, rows: impl Into<Axis>, columns: impl Into<Axis>) -> Tensor {
        let (rows, columns) = (rows.into(), columns.into());
        let place = emit("diagonal", &[self], Location::caller(), |_, s, _| {
            let (row, column) = matrix(&s[0], rows, columns)?;
            Ok((s[0], row, column))
        });
        let Some((shape, row, column)) = place else { return Tensor::poisoned() };
        function_scope("diagonal", || {
            let (height, width) = (shape.sizes()[row], shape.sizes()[column]);
            let count = height.min(width) as isize;
            let others = (0..shape.rank()).filter(|&axis| axis != row && axis != column);
            let order: Vec<usize> = others.chain([row, column]).collect();
            let name = shape.names()[row].map_or("_", |name| name.as_str());
            // In the flattened matrix, the diagonal elements are one more than a row apart.
            let square = self.transpose(order).slice(-2, ..count);
            square.merge([-2, -1], name).slice_step(-1, .., width + 1)
        })
    }
}

/// The positions of the two axes of a matrix.
fn matrix(shape: &Shape, rows: Axis, columns: Axis) -> Rule<(usize, usize)> {
    let (row, column) = (shape.position(rows)?, shape.position(columns)?);
    if row == column {
        Err(OpError(format!("axis {rows} is given twice")))
    } else {
        Ok((row, column))
    }
}
