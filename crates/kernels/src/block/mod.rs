//! Matmuls with block-quantised weights: `y = x · dequantize(w)ᵀ + bias`.
//!
//! The sum of an element of the result has one order, whatever the numbers of rows and threads:
//! block by block along the contracted axis.

mod decode;
mod format;
mod k_scales;
mod kind;
mod lanes;
mod matrix;
mod mode;
mod one_scale;
mod piece;
mod q6_k;

pub use decode::decode;
pub use kind::BlockKind;
pub use matrix::BlockMatrix;

use crate::{
    Element, Error, Isa, Matrix, MatrixMut, Pool,
    linear::{Finish, Results, Shared, SharedMut},
    scratch::Scratch,
    simd,
};
use format::{Format, UNIT, Visit};
use lanes::{Lanes, ROWS, Work};
use mode::{Float, Mode, Quantized};
use piece::{Piece, tiles};
use std::{marker::PhantomData, ops::Range};

/// How [`block_linear`] multiplies `x`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Activations {
    /// Each 32 values of a row of `x` are rounded to bytes between -127 and 127 with a scale in
    /// `f32`, as `Q8_0` and `Q8_1` of GGML, and products of bytes are summed as integers.
    ///
    /// Results are the same bits with every instruction set, except for which NaN they are. 32
    /// values with a NaN or infinity make the whole row of the result NaN; those below 1e-36 count
    /// as 0.
    Quantized,
    /// `x` is converted to `f32`, and multiplied with the exact values of the weight without their
    /// scale. The sum of each 32 products is scaled.
    Float,
}

impl Activations {
    /// The name of an attribute.
    pub fn name(self) -> &'static str {
        match self {
            Activations::Quantized => "quantized",
            Activations::Float => "float",
        }
    }

    /// The form of a name.
    pub fn from_name(name: &str) -> Option<Activations> {
        [Activations::Quantized, Activations::Float].into_iter().find(|form| form.name() == name)
    }
}

/// One product of a call of [`block_linear`]: its weight, bias and result.
#[derive(Debug)]
pub struct BlockLinear<'a, Y> {
    /// `[n, k]`.
    pub weight: BlockMatrix<'a>,
    /// `[n]`.
    pub bias: Option<&'a [Y]>,
    /// `[rows, n]`.
    pub y: MatrixMut<'a, Y>,
}

/// Rows of `x` that are packed at a time.
const PART: usize = 256;

/// Bytes of weights per piece of work with few rows: large compared with the cost of distributing
/// it.
const PIECE_BYTES: [usize; 2] = [64 << 10, 512 << 10];

/// The maximum number of rows of the weight per piece of work.
const PIECE_ROWS: usize = 64;

/// The maximum number of rows of `x` that are few.
const FEW: usize = 8;

/// For each product, `y[rows, n] = x[rows, k] · weight[n, k]ᵀ + bias[n]`, accumulated in `f32`.
///
/// Weights may be of different kinds. An element of the result depends on its own row of `x` and of
/// the weight only: its bits are the same whatever the number of rows, of products and of threads.
/// Scales that are NaN or infinite propagate.
///
/// # Errors
/// [`Error::Size`]: the operands' sizes do not fit. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor does not support `isa`.
///
/// ```
/// use hloom_kernels::*;
///
/// // A row with the scale 0.5, whose values are 1 and 31 times 2.
/// let mut weight = vec![0x00, 0x38, 2];
/// weight.extend([4; 31]);
/// let mut y = [0.0_f32];
/// let product = BlockLinear {
///     weight: BlockMatrix::new(BlockKind::Q8_0, &weight, 1, 32)?,
///     bias: None,
///     y: MatrixMut::new(&mut y, 1, 1)?,
/// };
/// let x = Matrix::new(&[1.0_f32; 32], 1, 32)?;
/// block_linear(Isa::Portable, &Serial, Activations::Float, x, &mut [product])?;
/// assert_eq!(y, [63.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn block_linear<X: Element, Y: Element>(
    isa: Isa,
    pool: &dyn Pool,
    activations: Activations,
    x: Matrix<'_, X>,
    products: &mut [BlockLinear<'_, Y>],
) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    for BlockLinear { weight, bias, y } in &*products {
        Error::check("columns of the weight", x.columns, weight.columns)?;
        Error::check("rows of the result", x.rows, y.rows)?;
        Error::check("columns of the result", weight.rows, y.columns)?;
        if let Some(bias) = bias {
            Error::check("elements of the bias", weight.rows, bias.len())?;
        }
    }
    // Without products, `x` may have any number of columns.
    if products.is_empty() {
        return Ok(());
    }
    (0..x.rows).step_by(PART).try_for_each(|first| {
        let call = Call { isa, pool, products, first };
        let x = x.range(first..x.rows.min(first + PART));
        match activations {
            Activations::Quantized => call.part::<X, Quantized>(x),
            Activations::Float => call.part::<X, Float>(x),
        }
    })
}

/// Some rows of `x`, and what is common to all pieces of work.
struct Call<'a, 'p, Y> {
    isa: Isa,
    pool: &'a dyn Pool,
    products: &'a [BlockLinear<'p, Y>],
    /// The first row.
    first: usize,
}

impl<Y: Element> Call<'_, '_, Y> {
    fn part<X: Element, M: Mode>(&self, x: Matrix<'_, X>) -> Result<(), Error> {
        let units = x.columns / UNIT;
        let mut packed = Scratch::take(x.rows * units * size_of::<M::X>());
        let packed = SharedMut(packed.as_mut_ptr::<M::X>());
        let all: Vec<_> = tiles::<M>(x.rows).collect();
        let pack = |tile: usize| {
            let rows = all[tile].clone();
            // SAFETY: each tile has its own memory.
            let to = unsafe { packed.get().add(rows.start * units) };
            lanes::run(self.isa, Pack::<X, M> { x: x.range(rows), to, mode: PhantomData });
        };
        if x.rows <= FEW {
            (0..all.len()).for_each(pack);
        } else {
            self.pool.for_each(all.len(), &pack)?;
        }
        let packed = Shared(packed.get().cast_const());
        self.for_each_piece(self.rows_per_piece(x.rows), &|product, rows| {
            let stride = rows.len().next_multiple_of(ROWS);
            let mut sums = Scratch::take(x.rows * stride * size_of::<f32>());
            let piece = AnyPiece::<M> {
                isa: self.isa,
                x: packed.get(),
                count: x.rows,
                weight: product.weight,
                rows: rows.clone(),
                sums: sums.as_mut_ptr(),
                stride,
            };
            format::visit(product.weight.kind, piece);
            let finish = Finish {
                results: Results::new(product.bias, &product.y),
                first: self.first,
                count: x.rows,
                columns: rows,
                sums: sums.as_mut_ptr(),
                stride,
            };
            simd::run(self.isa, finish);
        })
    }

    /// The rows of the weights in a piece of work: a quarter of a thread's share, so that a slow
    /// thread does not hold up the others, within bounds.
    fn rows_per_piece(&self, rows: usize) -> usize {
        let total: usize = self.products.iter().map(|product| product.weight.rows).sum();
        let bytes: usize = self.products.iter().map(|product| product.weight.bytes.len()).sum();
        let [least, most] = if rows <= FEW {
            let row_bytes = (bytes / total.max(1)).max(1);
            PIECE_BYTES.map(|bytes| (bytes / row_bytes).max(1))
        } else {
            [ROWS, PIECE_ROWS]
        };
        (total / (4 * self.pool.threads())).clamp(least, most).next_multiple_of(ROWS)
    }

    /// Calls `work` with each product and ranges of `count` rows of its weight, on all threads.
    fn for_each_piece(
        &self,
        count: usize,
        work: &(impl Fn(&BlockLinear<'_, Y>, Range<usize>) + Sync),
    ) -> Result<(), Error> {
        let pieces = |product: &BlockLinear<'_, Y>| product.weight.rows.div_ceil(count);
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

/// Packs the rows of a tile of `x`: units of all rows are adjacent.
struct Pack<'a, X, M: Mode> {
    x: Matrix<'a, X>,
    to: *mut M::X,
    mode: PhantomData<M>,
}

impl<X: Element, M: Mode> Work for Pack<'_, X, M> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Pack { x, to, .. } = self;
        for row in 0..x.rows {
            for unit in 0..x.columns / UNIT {
                let from = &x.data[row * x.stride + unit * UNIT..][..UNIT];
                let mut values = [0.0; UNIT];
                for at in 0..UNIT {
                    values[at] = from[at].to_f32();
                }
                // SAFETY: the caller passes memory for all rows.
                unsafe { to.add(unit * x.rows + row).write(M::pack(&values)) };
            }
        }
    }
}

/// A [`Piece`] of any kind of blocks.
struct AnyPiece<'a, M: Mode> {
    isa: Isa,
    x: *const M::X,
    count: usize,
    weight: BlockMatrix<'a>,
    rows: Range<usize>,
    sums: *mut f32,
    stride: usize,
}

impl<M: Mode> Visit for AnyPiece<'_, M> {
    type Output = ();

    fn visit<F: Format>(self) {
        let AnyPiece { isa, x, count, weight, rows, sums, stride } = self;
        let format = PhantomData::<F>;
        lanes::run(isa, Piece::<M, F> { x, count, weight, rows, sums, stride, format });
    }
}
