//! Blocks of vectors of a grid, and of 4-bit numbers that select one of 16 levels.

use super::{double_word, half, nibble, word};
use hloom_graph::IqGrid;

/// The values that the 4-bit numbers of `IQ4_NL` and `IQ4_XS` select.
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The offset that is added to or subtracted from the elements of the grid of `IQ1`.
const DELTA: f32 = 0.125;

/// -1 where a bit is set, and 1 elsewhere.
fn sign(bits: u8, bit: usize) -> f32 {
    if bits >> bit & 1 == 1 { -1.0 } else { 1.0 }
}

/// An element of the vector of a grid with an index.
fn grid(grid: IqGrid, index: usize, element: usize) -> f32 {
    grid.get(index, element).into()
}

/// The eight signs that seven bits stand for: the eighth makes their number even.
fn even_signs(seven: u32) -> u8 {
    let seven = (seven & 0x7f) as u8;
    seven | ((seven.count_ones() & 1) as u8) << 7
}

pub fn iq2_xxs(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (group, values) in out.chunks_exact_mut(32).enumerate() {
        let indices = &block[2 + 8 * group..];
        let rest = double_word(block, 2 + 8 * group + 4);
        let d = d * (0.5 + (rest >> 28) as f32) * 0.25;
        for (i, value) in values.iter_mut().enumerate() {
            let (vector, element) = (i / 8, i % 8);
            let signs = even_signs(rest >> (7 * vector));
            let grid = grid(IqGrid::IQ2_XXS, indices[vector].into(), element);
            *value = d * grid * sign(signs, element);
        }
    }
}

pub fn iq2_xs(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (vector, values) in out.chunks_exact_mut(8).enumerate() {
        let code = word(block, 2 + 2 * vector);
        let d = d * (0.5 + f32::from(nibble(&block[66..], vector / 2))) * 0.25;
        let signs = even_signs(u32::from(code >> 9));
        for (i, value) in values.iter_mut().enumerate() {
            *value = d * grid(IqGrid::IQ2_XS, (code & 511).into(), i) * sign(signs, i);
        }
    }
}

pub fn iq2_s(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    let (low, signs, high, scales) = (&block[2..34], &block[34..66], &block[66..74], &block[74..]);
    for (vector, values) in out.chunks_exact_mut(8).enumerate() {
        let d = d * (0.5 + f32::from(nibble(scales, vector / 2))) * 0.25;
        let upper = high[vector / 4] >> (2 * (vector % 4)) & 3;
        let index = usize::from(low[vector]) | usize::from(upper) << 8;
        for (i, value) in values.iter_mut().enumerate() {
            *value = d * grid(IqGrid::IQ2_S, index, i) * sign(signs[vector], i);
        }
    }
}

pub fn iq3_xxs(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (i, value) in out.iter_mut().enumerate() {
        let rest = double_word(block, 66 + 4 * (i / 32));
        let d = d * (0.5 + (rest >> 28) as f32) * 0.5;
        let signs = even_signs(rest >> (7 * (i % 32 / 8)));
        let grid = grid(IqGrid::IQ3_XXS, block[2 + i / 4].into(), i % 4);
        *value = d * grid * sign(signs, i % 8);
    }
}

pub fn iq3_s(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    let (low, high) = (&block[2..66], &block[66..74]);
    let (signs, scales) = (&block[74..106], &block[106..]);
    for (i, value) in out.iter_mut().enumerate() {
        let vector = i / 4;
        let d = d * f32::from(1 + 2 * nibble(scales, i / 32));
        let upper = high[vector / 8] >> (vector % 8) & 1;
        let index = usize::from(low[vector]) | usize::from(upper) << 8;
        *value = d * grid(IqGrid::IQ3_S, index, i % 4) * sign(signs[i / 8], i % 8);
    }
}

pub fn iq1_s(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (vector, values) in out.chunks_exact_mut(8).enumerate() {
        let rest = word(block, 34 + 2 * (vector / 4));
        let d = d * f32::from(2 * (rest >> 12 & 7) + 1);
        let delta = if rest & 0x8000 == 0 { DELTA } else { -DELTA };
        let upper = rest >> (3 * (vector % 4)) & 7;
        let index = usize::from(block[2 + vector]) | usize::from(upper) << 8;
        for (i, value) in values.iter_mut().enumerate() {
            *value = d * (grid(IqGrid::IQ1, index, i) + delta);
        }
    }
}

pub fn iq1_m(block: &[u8], out: &mut [f32]) {
    let (low, high, scales) = (&block[..32], &block[32..48], &block[48..]);
    // The four highest bits of each scale word are a part of the block's scale.
    let parts = (0..4).map(|i| (word(scales, 2 * i) >> 12) << (4 * i));
    let d = half(&parts.fold(0, |all: u16, part| all | part).to_le_bytes(), 0);
    for (vector, values) in out.chunks_exact_mut(8).enumerate() {
        let group = vector / 2;
        let scale = word(scales, 2 * (group / 4)) >> (3 * (group % 4)) & 7;
        let d = d * f32::from(2 * scale + 1);
        let rest = nibble(high, vector);
        let delta = if rest & 8 == 0 { DELTA } else { -DELTA };
        let index = usize::from(low[vector]) | usize::from(rest & 7) << 8;
        for (i, value) in values.iter_mut().enumerate() {
            *value = d * (grid(IqGrid::IQ1, index, i) + delta);
        }
    }
}

/// Level `index` of 32 in 16 bytes: the low halves, then the high ones.
fn level(bytes: &[u8], index: usize) -> f32 {
    let code = bytes[index % 16] >> (4 * (index / 16)) & 0xf;
    LEVELS[usize::from(code)].into()
}

pub fn iq4_nl(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (i, value) in out.iter_mut().enumerate() {
        *value = d * level(&block[2..], i);
    }
}

pub fn iq4_xs(block: &[u8], out: &mut [f32]) {
    let (d, high) = (half(block, 0), word(block, 2));
    for (group, values) in out.chunks_exact_mut(32).enumerate() {
        let upper = (high >> (2 * group) & 3) as u8;
        let scale = nibble(&block[4..8], group) | upper << 4;
        let d = d * f32::from(scale as i8 - 32);
        for (i, value) in values.iter_mut().enumerate() {
            *value = d * level(&block[8 + 16 * group..], i);
        }
    }
}
