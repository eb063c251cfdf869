//! Products with stored weights: `y = x · wᵀ + bias`.

mod blocked;
mod stream;

use crate::{Element, Error, Isa, Matrix, MatrixMut, Pool};

/// The most rows of `x` that are multiplied while the weights stream by.
pub(crate) const STREAMED_ROWS: usize = 8;

/// `y[rows, n] = x[rows, k] · weight[n, k]ᵀ + bias[n]`, in sums of `f32`.
///
/// Up to eight rows read each weight once, at the speed of memory; more are multiplied block by block.
/// NaN and infinities pass through. Results do not depend on the number of threads.
///
/// # Errors
/// [`Error::Size`]: the operands' sizes do not fit. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor has no such instructions as `isa`.
///
/// ```
/// use hloom_kernels::{Isa, Matrix, MatrixMut, Serial, linear};
///
/// let x = Matrix::new(&[1.0_f32, 2.0], 1, 2)?;
/// let weight = Matrix::new(&[1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0], 3, 2)?;
/// let mut y = [0.0_f32; 3];
/// linear(Isa::Portable, &Serial, x, weight, None, MatrixMut::new(&mut y, 1, 3)?)?;
/// assert_eq!(y, [1.0, 2.0, 3.0]);
/// # Ok::<(), hloom_kernels::Error>(())
/// ```
pub fn linear<X: Element, W: Element, Y: Element>(
    isa: Isa,
    pool: &dyn Pool,
    x: Matrix<'_, X>,
    weight: Matrix<'_, W>,
    bias: Option<&[Y]>,
    y: MatrixMut<'_, Y>,
) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    Error::check("columns of the weight", x.columns, weight.columns)?;
    Error::check("rows of the result", x.rows, y.rows)?;
    Error::check("columns of the result", weight.rows, y.columns)?;
    if let Some(bias) = bias {
        Error::check("elements of the bias", weight.rows, bias.len())?;
    }
    if x.rows == 0 || weight.rows == 0 {
        return Ok(());
    }
    let product = Product {
        isa,
        pool,
        weight,
        bias,
    };
    if x.rows <= STREAMED_ROWS {
        return stream::product(&product, x, &y);
    }
    for start in (0..x.rows).step_by(blocked::ROWS) {
        let rows = start..x.rows.min(start + blocked::ROWS);
        blocked::product(&product, x.range(rows.clone()), &y.range(rows))?;
    }
    Ok(())
}

/// What all parts of a product have in common.
struct Product<'a, W, Y> {
    isa: Isa,
    pool: &'a dyn Pool,
    weight: Matrix<'a, W>,
    bias: Option<&'a [Y]>,
}

impl<W, Y: Element> Product<'_, W, Y> {
    /// A sum as it is stored in a column.
    fn finish(&self, sum: f32, column: usize) -> Y {
        Y::from_f32(match self.bias {
            Some(bias) => sum + bias[column].to_f32(),
            None => sum,
        })
    }

    /// Whether both sides are multiplied as pairs of `bf16`.
    fn in_pairs<X: Element>(&self) -> bool
    where
        W: Element,
    {
        self.isa == Isa::Avx512Bf16 && X::NAME == "bf16" && W::NAME == "bf16"
    }
}

/// Elements that one step of a tile reads.
fn step(isa: Isa) -> usize {
    match isa {
        Isa::Portable | Isa::Avx2 => 16,
        Isa::Avx512 | Isa::Avx512Bf16 => 32,
        Isa::Neon => 8,
    }
}
