//! Stacks of matrices: the last two axes of a tensor, over any leading axes.

use crate::{DType, Dims, Name, Shape, Tensor, trace::Rule};

/// The shape of a stack of matrices with elements that linear algebra is computed in.
#[derive(Clone, Copy)]
pub(super) struct Matrices {
    /// The whole shape.
    pub shape: Shape,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Matrices {
    /// The matrices of a shape.
    pub(super) fn of(shape: &Shape) -> Rule<Matrices> {
        let dtype = shape.dtype();
        if !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            let wide = if dtype.is_complex() { DType::C64 } else { DType::F32 };
            return Err(format!(
                "takes f32, f64, c64 or c128, not {dtype}; use `.convert(DType::{wide:?})`"
            )
            .into());
        }
        match *shape.sizes() {
            [.., rows, columns] => Ok(Matrices { shape: *shape, rows, columns }),
            _ => Err(format!("takes matrices, the last two axes, not {shape}").into()),
        }
    }

    /// The matrices of a shape, which must have as many rows as columns.
    pub(super) fn square(shape: &Shape) -> Rule<Matrices> {
        let matrices = Matrices::of(shape)?;
        if matrices.rows == matrices.columns {
            Ok(matrices)
        } else {
            Err(format!(
                "takes square matrices, not those of {shape} with {} rows and {} columns",
                matrices.rows, matrices.columns
            )
            .into())
        }
    }

    /// The sizes of the leading axes.
    pub(super) fn batch(&self) -> &[usize] {
        &self.shape.sizes()[..self.shape.rank() - 2]
    }

    /// Checks that other matrices have the same leading axes and element type.
    pub(super) fn check_beside(&self, other: &Matrices) -> Rule<()> {
        let (left, right) = (self.shape, other.shape);
        if left.dtype() != right.dtype() {
            let (left, right) = (left.dtype(), right.dtype());
            return Err(
                format!("element types {left} and {right} differ; use `.convert(..)`").into()
            );
        }
        if self.batch() == other.batch() {
            Ok(())
        } else {
            Err(format!("the leading axes of {left} and {right} differ").into())
        }
    }

    /// The name of the rows' axis.
    pub(super) fn row_name(&self) -> Option<Name> {
        self.shape.names()[self.shape.rank() - 2]
    }

    /// The name of the columns' axis.
    pub(super) fn column_name(&self) -> Option<Name> {
        self.shape.names()[self.shape.rank() - 1]
    }

    /// A shape of the same leading axes, followed by these.
    pub(super) fn with(&self, dtype: DType, axes: &[(Option<Name>, usize)]) -> Rule<Shape> {
        let leading = self.shape.names().iter().copied().zip(self.shape.sizes().iter().copied());
        let all = leading.take(self.shape.rank() - 2).chain(axes.iter().copied());
        Ok(self.shape.with_dtype(dtype).with_dims(Dims::new(all)?))
    }
}

/// Ones on the diagonal and zeros elsewhere, in the shape and type of matrices, the last two axes.
#[track_caller]
pub(crate) fn identity(like: Tensor) -> Tensor {
    let along = |axis: isize| Tensor::iota(DType::I32, like.shape().axes(), axis);
    along(-2).eq(along(-1)).convert(like.dtype())
}

/// Transposes and conjugates matrices, the last two axes.
#[track_caller]
pub(crate) fn adjoint(x: Tensor) -> Tensor {
    x.conj().swap_axes(-2, -1)
}

/// The permutation matrices that move row `i` to row `order[i]`, for `order` of `[.., n]`.
#[track_caller]
pub(crate) fn permutation(order: Tensor, dtype: DType) -> Tensor {
    let mut dims = order.shape().sizes().to_vec();
    dims.push(order.size(-1));
    let wanted = order.insert_axis(-2, "_").broadcast_to(dims.clone());
    Tensor::iota(DType::I32, dims, -2).eq(wanted).convert(dtype)
}

/// The matrices with rows and columns swapped.
pub(super) fn transposed(x: Tensor) -> Tensor {
    x.swap_axes(-2, -1)
}

/// The lower or the upper triangle.
pub(super) fn triangle(x: Tensor, lower: bool, diagonal: isize) -> Tensor {
    if lower { x.tril(-2, -1, diagonal) } else { x.triu(-2, -1, -diagonal) }
}
