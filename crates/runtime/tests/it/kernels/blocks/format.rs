//! Blocks of random bytes, and their values by the definition of the formats.

use crate::CPU;
use half::f16;
use hloom_graph::{BlockKind, DType, Spec};
use hloom_runtime::{Buffer, Placement};

/// The kinds of the tests of products.
pub const KINDS: [BlockKind; 3] = [BlockKind::Q4_0, BlockKind::Q4_1, BlockKind::Q8_0];

/// A weight of blocks.
pub struct Weight {
    kind: BlockKind,
    sizes: Vec<usize>,
    bytes: Vec<u8>,
}

impl Weight {
    /// Random numbers with scales between 0.5 and 1.5 times 1/64.
    pub fn new(kind: BlockKind, sizes: &[usize]) -> Weight {
        let scale = |random: &mut fastrand::Rng| f16::from_f32((0.5 + random.f32()) / 64.0);
        Weight::with_scales(kind, sizes, scale)
    }

    /// Scales of all bits: subnormal, infinite, NaN.
    pub fn hostile(kind: BlockKind, sizes: &[usize]) -> Weight {
        Weight::with_scales(kind, sizes, |random| match random.u8(..4) {
            0 => f16::from_bits(random.u16(..)),
            1 => f16::from_bits(random.u16(..0x400)),
            2 => [f16::INFINITY, f16::NAN, f16::MAX, f16::ZERO][random.usize(..4)],
            _ => -f16::from_f32(random.f32()),
        })
    }

    fn with_scales(
        kind: BlockKind,
        sizes: &[usize],
        scale: impl Fn(&mut fastrand::Rng) -> f16,
    ) -> Weight {
        let mut random = fastrand::Rng::with_seed(sizes.iter().sum::<usize>() as u64);
        let (&k, before) = sizes.split_last().unwrap();
        let count = before.iter().product::<usize>() * k / kind.block_len();
        let scales = if kind == BlockKind::Q4_1 { 2 } else { 1 };
        let mut bytes = Vec::new();
        for _ in 0..count {
            for _ in 0..scales {
                bytes.extend(scale(&mut random).to_le_bytes());
            }
            bytes.extend((2 * scales..kind.block_bytes()).map(|_| random.u8(..)));
        }
        Weight { kind, sizes: sizes.to_vec(), bytes }
    }

    pub fn spec<const N: usize>(&self, names: [&'static str; N]) -> Spec {
        let axes: Vec<_> = names.into_iter().zip(self.sizes.iter().copied()).collect();
        Spec::new(DType::Block(self.kind), <[_; N]>::try_from(axes).unwrap())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn buffer(&self) -> Buffer {
        self.buffer_on(&*CPU)
    }

    pub fn buffer_on<'a>(&self, to: impl Into<Placement<'a>>) -> Buffer {
        let shape = Spec::new(DType::Block(self.kind), self.sizes.clone()).shape();
        Buffer::from_bytes(to, shape, &self.bytes).unwrap()
    }

    /// The values, each the `f32` that is nearest to the exact one.
    pub fn values(&self) -> Vec<f32> {
        let blocks = self.bytes.chunks_exact(self.kind.block_bytes());
        blocks.flat_map(|block| values(self.kind, block)).collect()
    }

    /// The values of a weight of rank 2, with the last axis first.
    pub fn transposed_values(&self) -> Vec<f32> {
        let (values, k) = (self.values(), self.sizes[1]);
        (0..k).flat_map(|column| values.iter().skip(column).step_by(k).copied()).collect()
    }
}

fn values(kind: BlockKind, block: &[u8]) -> Vec<f32> {
    let half = |at: usize| f64::from(f16::from_le_bytes([block[at], block[at + 1]]));
    let halves = |bytes: &[u8]| -> Vec<f64> {
        let (low, high) = (bytes.iter().map(|b| b & 15), bytes.iter().map(|b| b >> 4));
        low.chain(high).map(f64::from).collect()
    };
    let numbers: Vec<f64> = match kind {
        BlockKind::Q4_0 => halves(&block[2..]).iter().map(|q| (q - 8.0) * half(0)).collect(),
        BlockKind::Q4_1 => halves(&block[4..]).iter().map(|q| q * half(0) + half(2)).collect(),
        _ => block[2..].iter().map(|&q| f64::from(q as i8) * half(0)).collect(),
    };
    numbers.into_iter().map(|number| number as f32).collect()
}

/// Numbers between -1 and 1.
pub fn activations(count: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(count as u64);
    (0..count).map(|_| 2.0 * random.f32() - 1.0).collect()
}

/// The products of rows of `k` numbers with rows of a weight.
pub fn product(x: &[f32], weight: &[f32], k: usize) -> Vec<f64> {
    let product = |x: &[f32], w: &[f32]| {
        x.iter().zip(w).map(|(&x, &w)| f64::from(x) * f64::from(w)).sum::<f64>()
    };
    x.chunks_exact(k).flat_map(|x| weight.chunks_exact(k).map(move |w| product(x, w))).collect()
}

/// The size of the difference relative to that of the expected numbers; NaN if one has a NaN.
pub fn distance(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = |numbers: &mut dyn Iterator<Item = f64>| {
        numbers.map(|number| number * number).sum::<f64>().sqrt()
    };
    let pairs = found.iter().zip(expected);
    let difference = size(&mut pairs.map(|(&found, &expected)| f64::from(found) - expected));
    difference / size(&mut expected.iter().copied())
}

/// Checks that the relative distance is at most `most`.
#[track_caller]
pub fn near(found: &[f32], expected: &[f64], most: f64, what: &str) {
    let distance = distance(found, expected);
    assert!(distance <= most, "{what}: {distance:e} is more than {most:e}");
}
