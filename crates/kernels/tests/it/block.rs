//! Matmuls with block-quantised weights, compared with sums in `f64` of values that are decoded
//! here, and with plain sums of integers.

use crate::reference::{Random, check_sum};
use half::{bf16, f16};
use hloom_kernels::{
    Activations, BlockKind, BlockLinear, BlockMatrix, Element, Isa, Matrix, MatrixMut, Pool,
    Scoped, Serial, block_linear, decode,
};

const UNIT: usize = 32;

/// The bytes at which a block has scales and minima in `f16`.
fn halves(kind: BlockKind) -> &'static [usize] {
    match kind {
        BlockKind::Q4_1 | BlockKind::Q5_1 | BlockKind::Q4_K | BlockKind::Q5_K => &[0, 2],
        BlockKind::Q6_K => &[208],
        BlockKind::MXFP4 => &[],
        _ => &[0],
    }
}

/// Random blocks with scales around 0.01.
fn blocks(kind: BlockKind, rows: usize, columns: usize, random: &mut Random) -> Vec<u8> {
    let count = rows * columns / kind.block_values();
    let mut bytes = Vec::new();
    for _ in 0..count {
        let start = bytes.len();
        for _ in 0..kind.block_bytes() {
            bytes.push((random.next() * 128.0).floor() as i8 as u8);
        }
        for at in halves(kind) {
            let half = f16::from_f32(random.next() / 64.0);
            bytes[start + at..][..2].copy_from_slice(&half.to_le_bytes());
        }
        if kind == BlockKind::MXFP4 {
            bytes[start] = bytes[start] % 8 + 116;
        }
    }
    bytes
}

/// 32 values of a block: `scale * factor * value + minimum`.
struct Unit {
    scale: f32,
    minimum: f32,
    /// Those of the first 16 values and of the others.
    factors: [i32; 2],
    values: [i32; UNIT],
}

impl Unit {
    /// The values, computed in the order of their definition.
    fn numbers(&self) -> [f32; UNIT] {
        std::array::from_fn(|at| {
            self.scale * self.factors[at / 16] as f32 * self.values[at] as f32 + self.minimum
        })
    }

    fn factored(&self, at: usize) -> i32 {
        self.factors[at / 16] * self.values[at]
    }
}

/// The numbers of codes of four bits; for floats of them, twice their values.
const NON_LINEAR: [i32; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
const E2M1: [i32; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The units of a block.
fn units(kind: BlockKind, block: &[u8]) -> Vec<Unit> {
    let half = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
    let five = |start: usize, at: usize| {
        let low = block[start + 4 + at % 16] >> (at / 16 * 4) & 15;
        i32::from(low | (block[start + at / 8] >> (at % 8) & 1) << 4)
    };
    let value = |at: usize| match kind {
        BlockKind::IQ4_NL => NON_LINEAR[usize::from(block[2 + at % 16] >> (at / 16 * 4) & 15)],
        BlockKind::MXFP4 => E2M1[usize::from(block[1 + at % 16] >> (at / 16 * 4) & 15)],
        BlockKind::Q5_0 => five(2, at) - 16,
        BlockKind::Q5_1 => five(4, at),
        BlockKind::Q8_0 => i32::from(block[2 + at] as i8),
        BlockKind::Q4_0 => i32::from(block[2 + at % 16] >> (at / 16 * 4) & 15) - 8,
        BlockKind::Q4_1 => i32::from(block[4 + at % 16] >> (at / 16 * 4) & 15),
        BlockKind::Q4_K => i32::from(block[16 + at / 64 * 32 + at % 32] >> (at / 32 % 2 * 4) & 15),
        BlockKind::Q5_K => {
            let low = block[48 + at / 64 * 32 + at % 32] >> (at / 32 % 2 * 4) & 15;
            let high = block[16 + at % 32] >> (at / 32) & 1;
            i32::from(low | high << 4)
        }
        _ => {
            let low = block[at / 128 * 64 + at % 64] >> (at % 128 / 64 * 4) & 15;
            let high = block[128 + at / 128 * 32 + at % 32] >> (at % 128 / 32 * 2) & 3;
            i32::from(low | high << 4) - 32
        }
    };
    let six_bits = |unit: usize| {
        let bytes = &block[4..16];
        let [scale, minimum] = match unit {
            0..4 => [bytes[unit] % 64, bytes[unit + 4] % 64],
            _ => [
                bytes[unit + 4] % 16 + bytes[unit - 4] / 64 * 16,
                bytes[unit + 4] / 16 + bytes[unit] / 64 * 16,
            ],
        };
        [scale, minimum].map(f32::from)
    };
    let unit = |unit: usize| {
        let (scale, minimum, factors) = match kind {
            BlockKind::Q4_1 | BlockKind::Q5_1 => (half(0), half(2), [1; 2]),
            BlockKind::Q4_K | BlockKind::Q5_K => {
                let [scale, minimum] = six_bits(unit);
                (half(0) * scale, -(half(2) * minimum), [1; 2])
            }
            BlockKind::Q6_K => {
                let factors = [0, 1].map(|half| i32::from(block[192 + 2 * unit + half] as i8));
                (half(208), 0.0, factors)
            }
            BlockKind::MXFP4 => ((f64::from(block[0]) - 128.0).exp2() as f32, 0.0, [1; 2]),
            _ => (half(0), 0.0, [1; 2]),
        };
        let values = std::array::from_fn(|at| value(UNIT * unit + at));
        Unit { scale, minimum, factors, values }
    };
    (0..kind.block_values() / UNIT).map(unit).collect()
}

/// The units of rows.
fn all_units(kind: BlockKind, bytes: &[u8]) -> Vec<Unit> {
    bytes.chunks(kind.block_bytes()).flat_map(|block| units(kind, block)).collect()
}

fn has_minima(kind: BlockKind) -> bool {
    halves(kind).len() == 2
}

/// A product of a row of `x` and one of the weight, as `Activations::Quantized` defines it.
fn quantized(kind: BlockKind, x: &[f32], row: &[Unit]) -> f32 {
    let mut sum = 0.0_f32;
    for (x, unit) in x.chunks(UNIT).zip(row) {
        let most = x.iter().fold(0.0, |most, x| f32::max(most, x.abs()));
        let is_finite = x.iter().all(|x| x.is_finite());
        let x_scale = match (is_finite, most < 1e-36) {
            (false, _) => f32::NAN,
            (true, true) => 0.0,
            (true, false) => most / 127.0,
        };
        let inverse = if is_finite && most >= 1e-36 { 127.0 / most } else { 0.0 };
        let (mut dot, mut whole) = (0, 0);
        for (at, x) in x.iter().enumerate() {
            let x = (x * inverse).round_ties_even() as i32;
            dot += x * unit.factored(at);
            whole += x;
        }
        let mut product = unit.scale * x_scale * dot as f32;
        if has_minima(kind) {
            product += unit.minimum * (x_scale * whole as f32);
        }
        sum += product;
    }
    sum
}

fn run<X: Element, Y: Element>(
    (isa, pool): (Isa, &dyn Pool),
    activations: Activations,
    x: Matrix<'_, X>,
    weight: BlockMatrix<'_>,
    bias: Option<&[Y]>,
    [rows, n]: [usize; 2],
) -> Vec<Y> {
    let mut y = vec![Y::from_f32(77.0); rows * n];
    let product =
        BlockLinear { weight, bias, y: MatrixMut::new(&mut y, rows, n).expect("it fits") };
    block_linear(isa, pool, activations, x, &mut [product]).expect("the operands fit");
    y
}

fn check<X: Element, Y: Element>(kind: BlockKind, [rows, n, k]: [usize; 3], seed: u64) {
    let mut random = Random(seed);
    let x: Vec<X> = (0..rows * k).map(|_| X::from_f32(random.next())).collect();
    let bytes = blocks(kind, n, k, &mut random);
    let bias: Vec<Y> = (0..n).map(|_| Y::from_f32(random.next())).collect();
    let bias = seed.is_multiple_of(2).then_some(&bias[..]);
    let wide: Vec<f32> = x.iter().map(|x| x.to_f32()).collect();
    let weight = BlockMatrix::new(kind, &bytes, n, k).expect("it fits");
    let units = all_units(kind, &bytes);
    let values: Vec<f64> = units.iter().flat_map(|unit| unit.numbers().map(f64::from)).collect();
    let x = Matrix::new(&x, rows, k).expect("it fits");
    for isa in Isa::available() {
        for threads in [1, 2] {
            let by = (isa, &Scoped(threads) as &dyn Pool);
            let what = format!("{isa} {threads} {kind} {} {} {rows}x{n}x{k}", X::NAME, Y::NAME);
            let float = run(by, Activations::Float, x, weight, bias, [rows, n]);
            let bytewise = run(by, Activations::Quantized, x, weight, bias, [rows, n]);
            for (at, (float, bytewise)) in float.into_iter().zip(bytewise).enumerate() {
                let (row, column) = (at / n, at % n);
                let x = &wide[row * k..][..k];
                let w = &values[column * k..][..k];
                let products = || x.iter().zip(w).map(|(&x, w)| f64::from(x) * w);
                // A minimum is multiplied by itself, so that it does not cancel values.
                let size: f64 = products().map(f64::abs).sum();
                let weight_row = &units[column * k / UNIT..][..k / UNIT];
                let minima: f64 = weight_row.iter().map(|unit| f64::from(unit.minimum.abs())).sum();
                let added = bias.map_or(0.0, |bias| f64::from(bias[column].to_f32()));
                let slack = [1e-4 * (size + minima), -1e-4 * (size + minima)];
                if k < 1000 && !has_minima(kind) {
                    check_sum(&what, products().chain([added]), float);
                }
                let exact = products().sum::<f64>() + added;
                let ulp = crate::reference::ulp::<Y>(exact);
                let error = f64::from(float.to_f32()) - exact;
                assert!(error.abs() <= slack[0] + ulp, "{what}: {float:?} for {exact}");
                // Half a step of each activation.
                let rounded: f64 = x
                    .chunks(UNIT)
                    .zip(w.chunks(UNIT))
                    .map(|(x, w)| {
                        let most = x.iter().fold(0.0, |most, x| f32::max(most, x.abs()));
                        w.iter().map(|w| w.abs()).sum::<f64>() * f64::from(most) / 253.9
                    })
                    .sum();
                let error = f64::from(bytewise.to_f32()) - exact;
                assert!(
                    error.abs() <= rounded + slack[0] + ulp,
                    "{what}: {bytewise:?} for {exact}"
                );
                let sum = quantized(kind, x, weight_row);
                let sum = Y::from_f32(bias.map_or(sum, |bias| sum + bias[column].to_f32()));
                assert_eq!(bytewise, sum, "{what}: other bits at {row}, {column}");
            }
        }
    }
}

#[test]
fn sums_are_right_at_the_edges_of_units_and_tiles() {
    for (at, kind) in BlockKind::ALL.into_iter().enumerate() {
        for (seed, sizes) in [
            [0, 3, 32],
            [1, 0, 32],
            [2, 5, 0],
            [1, 1, 32],
            [1, 13, 64],
            [2, 8, 64],
            [3, 9, 96],
            [4, 16, 32],
            [7, 17, 64],
            [8, 7, 32],
            [9, 11, 64],
            [10, 3, 544],
            [33, 67, 64],
            [64, 5, 4096],
            [1, 19, 4096],
            [257, 9, 64],
        ]
        .into_iter()
        .enumerate()
        {
            let [rows, n, k]: [usize; 3] = sizes;
            let sizes = [rows, n, k.next_multiple_of(kind.block_values())];
            if cfg!(miri) && sizes.iter().product::<usize>() > 1000 {
                continue;
            }
            check::<f32, f32>(kind, sizes, (seed + at) as u64);
            check::<bf16, f32>(kind, sizes, seed as u64);
            check::<bf16, bf16>(kind, sizes, seed as u64);
            check::<f16, f16>(kind, sizes, (seed + at) as u64);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much for an interpreter")]
fn a_row_has_the_same_bits_in_any_company() {
    let (n, most_k) = (21, 608);
    let mut random = Random(11);
    let x: Vec<f32> = (0..512 * most_k).map(|_| random.next()).collect();
    for kind in BlockKind::ALL {
        let k = most_k / kind.block_values() * kind.block_values();
        let x = &x[..512 * k];
        let bytes = blocks(kind, n, k, &mut random);
        let weight = BlockMatrix::new(kind, &bytes, n, k).expect("it fits");
        for activations in [Activations::Quantized, Activations::Float] {
            for isa in Isa::available() {
                let product = |x: &[f32], rows, pool: &dyn Pool| {
                    let x = Matrix::new(x, rows, k).expect("it fits");
                    let y = run::<f32, f32>((isa, pool), activations, x, weight, None, [rows, n]);
                    y.into_iter().map(f32::to_bits).collect::<Vec<_>>()
                };
                let alone: Vec<u32> =
                    x.chunks(k).flat_map(|row| product(row, 1, &Serial)).collect();
                for rows in [2, 3, 5, 8, 9, 64, 257, 512] {
                    for threads in [1, 2] {
                        let found = product(&x[..rows * k], rows, &Scoped(threads));
                        let what = format!("{kind} {isa} {activations:?} {rows} rows");
                        assert!(found == alone[..rows * n], "{what}");
                    }
                }
                // One row at each place.
                for rows in [2, 8, 9, 64] {
                    for place in 0..rows {
                        let mut x = x[..rows * k].to_vec();
                        x.copy_within(..k, place * k);
                        let found = product(&x, rows, &Serial);
                        assert!(found[place * n..][..n] == alone[..n], "{kind} {isa} {place}");
                    }
                }
            }
        }
    }
}

#[test]
fn products_of_several_kinds_are_as_if_alone() {
    let k = 64;
    let mut random = Random(5);
    let kinds = [BlockKind::Q4_1, BlockKind::Q8_0, BlockKind::Q4_0, BlockKind::Q8_0];
    let sizes = [5, 0, 40, 1];
    let bytes: Vec<_> = (0..4).map(|i| blocks(kinds[i], sizes[i], k, &mut random)).collect();
    let weight = |i: usize| BlockMatrix::new(kinds[i], &bytes[i], sizes[i], k).expect("it fits");
    for rows in [1, 4, 9] {
        let x: Vec<f32> = (0..rows * k).map(|_| random.next()).collect();
        let x = Matrix::new(&x, rows, k).expect("it fits");
        for isa in Isa::available() {
            for activations in [Activations::Quantized, Activations::Float] {
                let mut together = sizes.map(|n| vec![0.0_f32; rows * n]);
                let products = together.iter_mut().enumerate().map(|(i, y)| BlockLinear {
                    weight: weight(i),
                    bias: None,
                    y: MatrixMut::new(y, rows, sizes[i]).expect("it fits"),
                });
                let mut products: Vec<_> = products.collect();
                block_linear(isa, &Scoped(2), activations, x, &mut products)
                    .expect("the operands fit");
                for (i, together) in together.iter().enumerate() {
                    let sizes = [rows, sizes[i]];
                    let alone: Vec<f32> =
                        run((isa, &Serial), activations, x, weight(i), None, sizes);
                    assert_eq!(&alone, together, "{isa}");
                }
            }
        }
    }
}

#[test]
fn hostile_scales_and_activations_follow_arithmetic() {
    let n = 9;
    for kind in BlockKind::ALL {
        let k = kind.block_values().max(64);
        let mut random = Random(1);
        let clean = blocks(kind, n, k, &mut random);
        let row_bytes = k / kind.block_values() * kind.block_bytes();
        for rows in [1, 5, 9] {
            let ones = vec![1.0_f32; rows * k];
            for isa in Isa::available() {
                for activations in [Activations::Quantized, Activations::Float] {
                    let product = |x: &[f32], bytes: &[u8]| {
                        let x = Matrix::new(x, rows, k).expect("it fits");
                        let weight = BlockMatrix::new(kind, bytes, n, k).expect("it fits");
                        run::<f32, f32>((isa, &Serial), activations, x, weight, None, [rows, n])
                    };
                    let expected = product(&ones, &clean);
                    // The scale of the last block of row 4, whose integers sum to more than 0.
                    let at = 4 * row_bytes + row_bytes - kind.block_bytes();
                    let hostile = [0x0000, 0x8000, 0x0001, 0x7c00, 0xfc00, 0x7e00_u16];
                    let scale_at = halves(kind).first().map(|half| at + half);
                    for (scale_at, scale) in
                        scale_at.into_iter().flat_map(|at| hostile.map(|scale| (at, scale)))
                    {
                        let mut bytes = clean.clone();
                        let minima: Vec<u8> = halves(kind)[1..]
                            .iter()
                            .flat_map(|half| [bytes[at + half], bytes[at + half + 1]])
                            .collect();
                        bytes[at..at + kind.block_bytes()].fill(0x7b);
                        if kind == BlockKind::Q6_K {
                            // The highest bits, so that each value is more than 0.
                            bytes[at + 128..at + 192].fill(0xff);
                        }
                        for (half, minimum) in halves(kind)[1..].iter().zip(minima.chunks(2)) {
                            bytes[at + half..][..2].copy_from_slice(minimum);
                        }
                        bytes[scale_at..][..2].copy_from_slice(&scale.to_le_bytes());
                        let found = product(&ones, &bytes);
                        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
                            let what = format!("{kind} {isa} {activations:?} {scale:x}: {found}");
                            match (place % n == 4, scale) {
                                (false, _) => assert_eq!(found, expected, "{what}"),
                                (true, 0x7c00) => assert_eq!(*found, f32::INFINITY, "{what}"),
                                (true, 0xfc00) => assert_eq!(*found, f32::NEG_INFINITY, "{what}"),
                                (true, 0x7e00) => assert!(found.is_nan(), "{what}"),
                                (true, _) => assert!(found.is_finite(), "{what}"),
                            }
                        }
                    }
                    let last = (rows - 1) * k;
                    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN] {
                        for place in [0, 31, 33, k - 1] {
                            let mut x = ones.clone();
                            x[last + place] = value;
                            let found = product(&x, &clean);
                            let (others, own) = found.split_at((rows - 1) * n);
                            assert_eq!(others, &expected[..others.len()], "{kind} {isa}");
                            let is_lost = |y: &f32| y.is_finite();
                            assert!(!own.iter().any(is_lost), "{kind} {isa} {value}: {own:?}");
                            if value.is_nan() {
                                assert!(own.iter().all(|y| y.is_nan()), "{kind} {isa}: {own:?}");
                            }
                        }
                    }
                    for tiny in [0.0, 1e-40, 1e-37, f32::MIN_POSITIVE] {
                        let found = product(&vec![tiny; rows * k], &clean);
                        assert!(found.iter().all(|y| y.abs() < 1e-31), "{kind} {isa} {found:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_exponent_is_a_scale() {
    let (n, k) = (256, 32);
    let mut bytes = Vec::new();
    for exponent in 0..=255 {
        bytes.push(exponent);
        bytes.extend([0x12; 16]);
    }
    let weight = BlockMatrix::new(BlockKind::MXFP4, &bytes, n, k).expect("it fits");
    for x in [1e-3_f32, 1.0, 1e3] {
        let x = [x; 32];
        let row = Matrix::new(&x, 1, k).expect("it fits");
        for isa in Isa::available() {
            for activations in [Activations::Quantized, Activations::Float] {
                let found: Vec<f32> = run((isa, &Serial), activations, row, weight, None, [1, n]);
                for (exponent, found) in found.into_iter().enumerate() {
                    // Sixteen times 1 and 0.5, of which the weight has the doubles.
                    let expected = 24.0 * f64::from(x[0]) * (exponent as f64 - 127.0).exp2();
                    let what = format!("{isa} {activations:?} {exponent} {found:e}");
                    let error = (f64::from(found) - expected).abs();
                    let is_large = expected > f64::from(f32::MAX);
                    // The product of two scales may be subnormal.
                    let slack = 1e-6 * expected + f64::from(f32::from_bits(8192));
                    assert!(is_large && found == f32::INFINITY || error <= slack, "{what}");
                }
            }
        }
    }
}

#[test]
fn rows_are_decoded() {
    for kind in BlockKind::ALL {
        for (rows, k) in [(0, 32_usize), (3, 0), (1, 32), (5, 96), (70, 1024)] {
            if cfg!(miri) && rows > 5 {
                continue;
            }
            let k = k.next_multiple_of(kind.block_values());
            let bytes = blocks(kind, rows, k, &mut Random(9));
            let matrix = BlockMatrix::new(kind, &bytes, rows, k).expect("it fits");
            let expected: Vec<f32> =
                all_units(kind, &bytes).iter().flat_map(Unit::numbers).collect();
            for isa in Isa::available() {
                decodes::<f32>(isa, matrix, [rows, k], &expected);
                decodes::<bf16>(isa, matrix, [rows, k], &expected);
                decodes::<f16>(isa, matrix, [rows, k], &expected);
            }
        }
    }
}

fn decodes<T: Element>(isa: Isa, matrix: BlockMatrix<'_>, sizes: [usize; 2], expected: &[f32]) {
    let [rows, k] = sizes;
    let mut out = vec![T::from_f32(77.0); rows * k];
    let mut view = MatrixMut::new(&mut out, rows, k).expect("it fits");
    decode(isa, &Scoped(2), matrix, &mut view).expect("the operands fit");
    let expected: Vec<T> = expected.iter().map(|&value| T::from_f32(value)).collect();
    assert_eq!(out, expected, "{isa}");
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let bytes = [0; 68];
    let error = |rows, columns| {
        BlockMatrix::new(BlockKind::Q8_0, &bytes, rows, columns)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(error(1, 33), Err("rows of 33 values are not whole blocks of 32".into()));
    assert_eq!(error(3, 32), Err("bytes of the blocks: expected 102, found 68".into()));
    assert!(error(usize::MAX, 64).is_err(), "sizes overflow");
    assert!(error(1, usize::MAX / UNIT * UNIT).is_err(), "sizes overflow");
    let weight = BlockMatrix::new(BlockKind::Q8_0, &bytes, 2, 32).expect("it fits");
    let x = [1.0_f32; 64];
    let mut y = [0.0_f32; 4];
    let mut run = |k: usize, bias: Option<&[f32]>, columns: usize| {
        let x = Matrix::new(&x, 1, k).expect("it fits");
        let y = MatrixMut::new(&mut y, 1, columns).expect("it fits");
        let mut products = [BlockLinear { weight, bias, y }];
        block_linear(Isa::Portable, &Serial, Activations::Float, x, &mut products)
            .map_err(|error| error.to_string())
    };
    let refused = |what: &str| Err(what.to_owned());
    assert_eq!(run(64, None, 2), refused("columns of the weight: expected 64, found 32"));
    assert_eq!(run(32, None, 3), refused("columns of the result: expected 2, found 3"));
    assert_eq!(run(32, Some(&[0.0]), 2), refused("elements of the bias: expected 2, found 1"));
    assert_eq!(run(32, None, 2), Ok(()));
    for kind in BlockKind::ALL {
        assert_eq!(BlockKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(BlockKind::from_name("q4_9"), None);
}
