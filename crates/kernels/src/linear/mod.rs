//! Matmuls with stored weights: `y = x · wᵀ + bias`.

mod blocked;
mod outer;
mod part;
mod results;
mod stream;
mod strips;
#[cfg(target_arch = "x86_64")]
mod tiles;

pub(crate) use blocked::SharedMut;
pub(crate) use results::{Finish, Results};
pub(crate) use stream::{Shared, Stream};

use crate::{Element, Error, Isa, Matrix, MatrixMut, Pool, simd};
use std::ops::{Range, RangeInclusive};

/// The maximum number of rows of `x` to multiply while the weights are streamed.
pub(crate) const STREAMED_ROWS: usize = 8;

/// One product of a call of [`linear`]: its weight, bias and result.
#[derive(Debug)]
pub struct Linear<'a, W, Y> {
    /// `[n, k]`.
    pub weight: Matrix<'a, W>,
    /// `[n]`.
    pub bias: Option<&'a [Y]>,
    /// `[rows, n]`.
    pub y: MatrixMut<'a, Y>,
}

/// For each product, `y[rows, n] = x[rows, k] · weight[n, k]ᵀ + bias[n]`, accumulated in `f32`.
///
/// With up to eight rows each weight is read once, at memory speed; more rows are multiplied block
/// by block. Products of the same `x` are distributed together. NaN and infinities propagate.
/// Results do not depend on the number of threads.
///
/// # Errors
/// [`Error::Size`]: the operands' sizes do not fit. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor does not support `isa`.
///
/// ```
/// use hloom_kernels::{Isa, Linear, Matrix, MatrixMut, Serial, linear};
///
/// let x = Matrix::new(&[1.0_f32, 2.0], 1, 2)?;
/// let mut y = [0.0_f32; 3];
/// let product = Linear {
///     weight: Matrix::new(&[1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0], 3, 2)?,
///     bias: None,
///     y: MatrixMut::new(&mut y, 1, 3)?,
/// };
/// linear(Isa::Portable, &Serial, x, &mut [product])?;
/// assert_eq!(y, [1.0, 2.0, 3.0]);
/// # Ok::<(), hloom_kernels::Error>(())
/// ```
pub fn linear<X: Element, W: Element, Y: Element>(
    isa: Isa,
    pool: &dyn Pool,
    x: Matrix<'_, X>,
    products: &mut [Linear<'_, W, Y>],
) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    for Linear { weight, bias, y } in &*products {
        Error::check("columns of the weight", x.columns, weight.columns)?;
        Error::check("rows of the result", x.rows, y.rows)?;
        Error::check("columns of the result", weight.rows, y.columns)?;
        if let Some(bias) = bias {
            Error::check("elements of the bias", weight.rows, bias.len())?;
        }
    }
    let call = Call { isa, pool, products };
    if x.rows == 0 {
        return Ok(());
    }
    #[cfg(target_arch = "x86_64")]
    if const { crate::tile::are_bf16::<X, W>() } && isa == Isa::Amx && x.rows >= tiles::MIN_ROWS {
        return in_parts(x.rows, tiles::ROWS, |rows| tiles::product(&call, x, rows));
    }
    if x.rows <= STREAMED_ROWS {
        return stream::product(&call, x);
    }
    in_parts(x.rows, blocked::ROWS, |rows| match isa {
        Isa::Portable | Isa::Avx2 => outer::product(&call, x, rows),
        Isa::Avx512 | Isa::Avx512Bf16 | Isa::Amx | Isa::Neon => blocked::product(&call, x, rows),
    })
}

/// Calls `work` with ranges of up to `most` rows.
fn in_parts(
    rows: usize,
    most: usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), Error>,
) -> Result<(), Error> {
    (0..rows).step_by(most).try_for_each(|start| work(start..rows.min(start + most)))
}

/// The common data of all parts of a call.
struct Call<'a, 'p, W, Y> {
    isa: Isa,
    pool: &'a dyn Pool,
    products: &'a [Linear<'p, W, Y>],
}

impl<W: Element, Y: Element> Call<'_, '_, W, Y> {
    /// The rows of the weights in a piece of work: a quarter of a thread's share, so that a slow
    /// thread does not hold up the others, within bounds, and whole groups.
    fn rows_per_piece(&self, bounds: RangeInclusive<usize>, group: usize) -> usize {
        let total: usize = self.products.iter().map(|product| product.weight.rows).sum();
        let share = total / (4 * self.pool.threads());
        share.clamp(*bounds.start(), *bounds.end()).next_multiple_of(group)
    }

    /// Calls `work` with each product and ranges of `count` rows of its weight, on all threads.
    fn for_each_piece(
        &self,
        count: usize,
        work: &(impl Fn(&Linear<'_, W, Y>, Range<usize>) + Sync),
    ) -> Result<(), Error> {
        let pieces = |product: &Linear<'_, W, Y>| product.weight.rows.div_ceil(count);
        let total = self.products.iter().map(pieces).sum();
        self.pool.for_each(total, &|mut piece| {
            for product in self.products {
                if piece < pieces(product) {
                    let start = piece * count;
                    return work(product, start..product.weight.rows.min(start + count));
                }
                piece -= pieces(product);
            }
        })
    }
}

/// Elements per step of a tile.
pub(crate) fn step(isa: Isa) -> usize {
    2 * simd::lanes(isa)
}
