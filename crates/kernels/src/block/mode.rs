//! The two ways in which `x` is multiplied.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{Format, Scales, UNIT, Units},
    lanes::{Lanes, ROWS},
};

/// A form of `x` and of the weight, and the sums of their products.
pub(super) trait Mode: Send + Sync + 'static {
    /// A unit of a row of `x`.
    type X: Copy + Send + Sync;
    /// A unit of eight rows of a weight.
    type W<L: Lanes>: Copy;
    /// The maximum number of rows of `x` that are multiplied with a unit as it is read.
    const FEW: usize;
    /// The maximum number of rows of `x` that are multiplied with kept units at once.
    const ROWS: usize;

    fn pack(values: &[f32; UNIT]) -> Self::X;

    /// # Safety
    /// As for [`Lanes`].
    unsafe fn weights<L: Lanes, F: Format>(units: Units<L>) -> Self::W<L>;

    /// Adds the products of units of eight rows of a weight, read from memory, with `R` adjacent
    /// units of rows of `x` to their sums.
    ///
    /// # Safety
    /// As for [`Format::header`].
    #[inline(always)]
    unsafe fn add_stored<L: Lanes, F: Format, const R: usize>(
        sums: &mut [L::F; R],
        (blocks, unit, scales): ([*const u8; ROWS], usize, Scales<L>),
        x: *const Self::X,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            let bytes = F::bytes::<L, false>(blocks, unit);
            let weights = Self::weights::<L, F>(Units { bytes, scales });
            Self::add::<L, F, R>(sums, &weights, x);
        }
    }

    /// Adds the products with `R` adjacent units of rows of `x` to their sums.
    ///
    /// # Safety
    /// As for [`Lanes`].
    unsafe fn add<L: Lanes, F: Format, const R: usize>(
        sums: &mut [L::F; R],
        weights: &Self::W<L>,
        x: *const Self::X,
    );
}

/// `x` in bytes with a scale for each unit: the sum of a unit is an exact integer, so that results
/// are the same with all instructions.
pub(super) struct Quantized;

/// A unit of bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Bytes {
    /// Between -127 and 127.
    values: [i8; UNIT],
    scale: f32,
    /// The sum of the values, and times the scale.
    sum: i32,
    scaled_sum: f32,
    /// The sum of the first half of the values in the low 16 bits, of the others in the high ones.
    sums: i32,
}

/// Units without larger numbers are 0: the inverse of their scale would overflow.
const LEAST: f32 = 1e-36;

impl Mode for Quantized {
    type X = Bytes;
    type W<L: Lanes> = Units<L>;
    const FEW: usize = 8;
    const ROWS: usize = 4;

    #[inline(always)]
    fn pack(values: &[f32; UNIT]) -> Bytes {
        // The bits of sizes are in the order of the numbers, and NaN comes last.
        let mut most = 0;
        for at in 0..UNIT {
            most = u32::max(most, values[at].to_bits() & 0x7fff_ffff);
        }
        let most = f32::from_bits(most);
        let is_finite = most < f32::INFINITY;
        let inverse = if is_finite && most >= LEAST { 127.0 / most } else { 0.0 };
        let mut bytes = [0; UNIT];
        let mut halves = [0_i32; 2];
        for at in 0..UNIT {
            // Adding it leaves the rounded integer in the lowest bits.
            const ROUND: f32 = 12_582_912.0;
            let value = (values[at] * inverse + ROUND).to_bits() as i8;
            bytes[at] = value;
            halves[at / 16] += i32::from(value);
        }
        let scale = match (is_finite, most >= LEAST) {
            (true, true) => most / 127.0,
            (true, false) => 0.0,
            (false, _) => f32::NAN,
        };
        let sum = halves[0] + halves[1];
        let sums = halves[0] & 0xffff | halves[1] << 16;
        Bytes { values: bytes, scale, sum, scaled_sum: scale * sum as f32, sums }
    }

    #[inline(always)]
    unsafe fn weights<L: Lanes, F: Format>(units: Units<L>) -> Units<L> {
        // SAFETY: by the contract of this trait.
        unsafe { Units { bytes: unsigned::<L, F>(units.bytes), ..units } }
    }

    #[inline(always)]
    unsafe fn add_stored<L: Lanes, F: Format, const R: usize>(
        sums: &mut [L::F; R],
        (blocks, unit, scales): ([*const u8; ROWS], usize, Scales<L>),
        x: *const Bytes,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let bytes = unsigned::<L, F>(F::bytes::<L, true>(blocks, unit));
            let dots = L::dots::<F, R, true>(&bytes, scales.factors, x.cast(), size_of::<Bytes>());
            add_scaled::<L, F, R>(sums, dots, &scales, x);
        }
    }

    #[inline(always)]
    unsafe fn add<L: Lanes, F: Format, const R: usize>(
        sums: &mut [L::F; R],
        Units { bytes, scales }: &Units<L>,
        x: *const Bytes,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let dots = L::dots::<F, R, false>(bytes, scales.factors, x.cast(), size_of::<Bytes>());
            add_scaled::<L, F, R>(sums, dots, scales, x);
        }
    }
}

/// Bytes as [`Lanes::dots`] takes them.
///
/// # Safety
/// See [`Lanes`].
#[inline(always)]
unsafe fn unsigned<L: Lanes, F: Format>(mut bytes: [[L::I; 4]; 2]) -> [[L::I; 4]; 2] {
    if F::IS_SIGNED && L::INVERTS_SIGNS {
        for half in 0..2 {
            for at in 0..4 {
                // SAFETY: by the contract of this function.
                bytes[half][at] = unsafe { L::invert_signs(bytes[half][at]) };
            }
        }
    }
    bytes
}

/// Adds scaled sums of products of bytes.
///
/// # Safety
/// See [`Lanes`].
#[inline(always)]
unsafe fn add_scaled<L: Lanes, F: Format, const R: usize>(
    sums: &mut [L::F; R],
    dots: [L::I; R],
    Scales { scales, minima, factors }: &Scales<L>,
    x: *const Bytes,
) {
    let offset = if F::IS_SIGNED { L::INVERTS_SIGNS.then_some(7) } else { F::OFFSET_BITS };
    // SAFETY: by the contract of this function.
    unsafe {
        for r in 0..R {
            let x = &*x.add(r);
            let mut dot = dots[r];
            if let Some(bits) = offset {
                let sum = if F::HAS_FACTORS {
                    L::factored(*factors, x.sums)
                } else {
                    L::splat_i32(x.sum)
                };
                dot = L::sub_shifted(dot, sum, bits);
            }
            let scale = L::mul(*scales, L::splat(x.scale));
            let mut product = L::mul(scale, L::to_f32(dot));
            if F::HAS_MINIMA {
                product = L::add(product, L::mul(*minima, L::splat(x.scaled_sum)));
            }
            sums[r] = L::add(sums[r], product);
        }
    }
}

/// `x` in `f32`.
pub(super) struct Float;

/// A unit of numbers.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Numbers {
    values: [f32; UNIT],
    sum: f32,
}

/// The numbers of units without their scale.
#[derive(Clone, Copy)]
pub(super) struct Widened<L: Lanes> {
    columns: [L::F; UNIT],
    scales: L::F,
    minima: L::F,
}

impl Mode for Float {
    type X = Numbers;
    type W<L: Lanes> = Widened<L>;
    const FEW: usize = 4;
    const ROWS: usize = 8;

    #[inline(always)]
    fn pack(values: &[f32; UNIT]) -> Numbers {
        let mut sum = 0.0;
        for at in 0..UNIT {
            sum += values[at];
        }
        Numbers { values: *values, sum }
    }

    #[inline(always)]
    unsafe fn weights<L: Lanes, F: Format>(units: Units<L>) -> Widened<L> {
        let Scales { scales, minima, factors } = units.scales;
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut columns = [scales; UNIT];
            for at in 0..UNIT / 4 {
                let bytes = units.bytes[at / 4][at % 4];
                columns[4 * at] = L::column::<F, 0>(bytes);
                columns[4 * at + 1] = L::column::<F, 1>(bytes);
                columns[4 * at + 2] = L::column::<F, 2>(bytes);
                columns[4 * at + 3] = L::column::<F, 3>(bytes);
            }
            if F::HAS_FACTORS {
                let factors = [L::factor_to_f32(factors[0]), L::factor_to_f32(factors[1])];
                for at in 0..UNIT {
                    columns[at] = L::mul(columns[at], factors[at / 16]);
                }
            }
            Widened { columns, scales, minima }
        }
    }

    #[inline(always)]
    unsafe fn add<L: Lanes, F: Format, const R: usize>(
        sums: &mut [L::F; R],
        weights: &Widened<L>,
        x: *const Numbers,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut dots = [L::splat(0.0); R];
            for at in 0..UNIT {
                for r in 0..R {
                    let x = L::splat((*x.add(r)).values[at]);
                    dots[r] = L::fma(x, weights.columns[at], dots[r]);
                }
            }
            for r in 0..R {
                sums[r] = L::fma(weights.scales, dots[r], sums[r]);
                if F::HAS_MINIMA {
                    sums[r] = L::fma(weights.minima, L::splat((*x.add(r)).sum), sums[r]);
                }
            }
        }
    }
}
