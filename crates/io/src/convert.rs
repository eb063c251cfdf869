//! Conversion from the element types of a file to those of a tree.
//!
//! A block of elements is decoded to `f32` and encoded from there, both in loops that the compiler
//! vectorizes; the block stays in the first-level cache. `f64` sources are converted directly,
//! because rounding twice can differ from rounding once.

use crate::{
    gguf::block_decoder,
    quantize::{LARGEST, block_encoder},
};
use half::{bf16, f16, slice::HalfFloatSliceExt};
use hloom_graph::{BlockKind, DType};
use std::sync::LazyLock;

/// The conversion of a tensor's bytes when it is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// No conversion: the file's bytes are those of the host.
    Copy,
    /// Bytes other than 0 and 1 become 1.
    Bool,
    /// The two elements of a byte become one byte each.
    Unpack,
    /// `i64` become `i32`, if all elements fit: token ids are often stored as `i64`.
    NarrowInt,
    /// Floats of one type become floats of another.
    Float {
        /// The file's element type.
        from: DType,
        /// The buffer's element type.
        to: DType,
    },
    /// Blocks of quantised numbers become floats.
    Dequantize {
        /// The format of the file's blocks.
        from: BlockKind,
        /// The buffer's element type.
        to: DType,
    },
    /// Floats become blocks of quantised numbers.
    Quantize {
        /// The file's element type.
        from: DType,
        /// The format of the buffer's blocks.
        to: BlockKind,
    },
}

/// A value that the type of the buffer does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unfit {
    /// An integer that is too large.
    Integer(i64),
    /// A float that is too large for the scales of blocks, or not finite.
    Float(f32),
}

/// The smallest number of elements that fill whole bytes or blocks of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its elements.
    pub elements: usize,
    /// Its bytes in the file.
    pub in_file: usize,
    /// Its bytes in the buffer.
    pub in_buffer: usize,
}

impl Unit {
    /// The place in the file of the element at the start of a unit, in bytes.
    pub fn file_offset(self, element: usize) -> usize {
        element / self.elements * self.in_file
    }

    /// The place in the buffer of the element at the start of a unit, in bytes.
    pub fn buffer_offset(self, element: usize) -> usize {
        element / self.elements * self.in_buffer
    }
}

/// The number of elements that are converted at a time, a multiple of all blocks.
const BLOCK: usize = 1024;

impl Conversion {
    /// The conversion from `from` to `to`, or `None` if there is none: floats and blocks are
    /// converted to floats of 16 bits or more, floats to blocks, and `i64` to `i32`.
    pub fn between(from: DType, to: DType) -> Option<Conversion> {
        match (from, to) {
            (DType::Bool, DType::Bool) => Some(Conversion::Bool),
            (DType::F4E2M1FN, DType::F4E2M1FN) => Some(Conversion::Unpack),
            (from, to) if from == to => Some(Conversion::Copy),
            (DType::I64, DType::I32) => Some(Conversion::NarrowInt),
            (from, to)
                if from.is_float()
                    && matches!(to, DType::BF16 | DType::F16 | DType::F32 | DType::F64) =>
            {
                Some(Conversion::Float { from, to })
            }
            (DType::Block(from), DType::BF16 | DType::F16 | DType::F32 | DType::F64) => {
                block_decoder(from).map(|_| Conversion::Dequantize { from, to })
            }
            (from, DType::Block(to)) if from.is_float() && from != DType::F4E2M1FN => {
                block_encoder(to).map(|_| Conversion::Quantize { from, to })
            }
            _ => None,
        }
    }

    /// Whether the bytes need no conversion, so that they can be used without a copy.
    pub fn keeps(self, bytes: &[u8]) -> bool {
        match self {
            Conversion::Copy => true,
            // Folding, unlike `all`, is vectorized.
            Conversion::Bool => bytes.iter().fold(0, |seen, byte| seen | byte) <= 1,
            Conversion::Unpack
            | Conversion::NarrowInt
            | Conversion::Float { .. }
            | Conversion::Dequantize { .. }
            | Conversion::Quantize { .. } => false,
        }
    }

    /// The unit of elements in the file and in a buffer with elements of `to`.
    pub fn unit(self, to: DType) -> Unit {
        let plain = |in_file, in_buffer| Unit { elements: 1, in_file, in_buffer };
        let size = to.size();
        match self {
            Conversion::Copy | Conversion::Bool => match to.block() {
                Some(kind) => Unit {
                    elements: kind.block_len(),
                    in_file: kind.block_bytes(),
                    in_buffer: kind.block_bytes(),
                },
                None => plain(size, size),
            },
            Conversion::Unpack => Unit { elements: 2, in_file: 1, in_buffer: 2 },
            Conversion::NarrowInt => plain(8, 4),
            Conversion::Float { from: DType::F4E2M1FN, .. } => {
                Unit { elements: 2, in_file: 1, in_buffer: 2 * size }
            }
            Conversion::Float { from, .. } => plain(from.size(), size),
            Conversion::Dequantize { from, .. } => Unit {
                elements: from.block_len(),
                in_file: from.block_bytes(),
                in_buffer: from.block_len() * size,
            },
            Conversion::Quantize { from, to } => Unit {
                elements: to.block_len(),
                in_file: to.block_len() * from.size(),
                in_buffer: to.block_bytes(),
            },
        }
    }

    /// Fills `output` from the file's bytes of as many elements.
    ///
    /// # Errors
    /// An element that the type of the buffer does not have.
    pub fn run(self, input: &[u8], output: &mut [u8]) -> Result<(), Unfit> {
        match self {
            Conversion::Copy => output.copy_from_slice(input),
            Conversion::Bool => {
                for (out, byte) in output.iter_mut().zip(input) {
                    *out = u8::from(*byte != 0);
                }
            }
            Conversion::Unpack => unpack(input, output),
            Conversion::NarrowInt => {
                let (elements, _) = input.as_chunks::<8>();
                let (narrowed, _) = output.as_chunks_mut::<4>();
                for (out, element) in narrowed.iter_mut().zip(elements) {
                    let element = i64::from_le_bytes(*element);
                    *out =
                        i32::try_from(element).map_err(|_| Unfit::Integer(element))?.to_le_bytes();
                }
            }
            Conversion::Float { from: DType::F64, to } => narrow(to, input, output),
            Conversion::Float { from, to } => {
                self.by_floats(to, input, output, |input, floats| decode(from, input, floats));
            }
            Conversion::Quantize { from, to } => {
                let encode = block_encoder(to).expect("`between` checks that there is one");
                let inputs = input.chunks(BLOCK * from.size());
                let outputs = output.chunks_mut(self.unit(DType::Block(to)).buffer_offset(BLOCK));
                let mut floats = [0f32; BLOCK];
                for (input, output) in inputs.zip(outputs) {
                    let floats = &mut floats[..input.len() / from.size()];
                    decode(from, input, floats);
                    if let Some(&value) = floats.iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
                        return Err(Unfit::Float(value));
                    }
                    let blocks = output.chunks_exact_mut(to.block_bytes());
                    for (block, floats) in blocks.zip(floats.chunks_exact(to.block_len())) {
                        encode(floats, block);
                    }
                }
            }
            Conversion::Dequantize { from, to } => {
                let decode = block_decoder(from).expect("`between` checks that there is one");
                self.by_floats(to, input, output, |input, floats| {
                    let blocks = input.chunks_exact(from.block_bytes());
                    for (block, floats) in blocks.zip(floats.chunks_exact_mut(from.block_len())) {
                        decode(block, floats);
                    }
                });
            }
        }
        Ok(())
    }

    /// Decodes some elements at a time to `f32`, and encodes them as elements of `to`.
    fn by_floats(
        self,
        to: DType,
        input: &[u8],
        output: &mut [u8],
        decode: impl Fn(&[u8], &mut [f32]),
    ) {
        let unit = self.unit(to);
        let inputs = input.chunks(unit.file_offset(BLOCK));
        let mut floats = [0f32; BLOCK];
        for (input, output) in inputs.zip(output.chunks_mut(unit.buffer_offset(BLOCK))) {
            let floats = &mut floats[..output.len() / to.size()];
            decode(input, floats);
            encode(to, floats, output);
        }
    }
}

fn unpack(input: &[u8], output: &mut [u8]) {
    for (pair, byte) in output.chunks_exact_mut(2).zip(input) {
        pair.copy_from_slice(&[byte & 0xf, byte >> 4]);
    }
}

fn decode(from: DType, input: &[u8], output: &mut [f32]) {
    match from {
        DType::F32 => each(input, output, f32::from_le_bytes),
        DType::F64 => each(input, output, |bytes| f64::from_le_bytes(bytes) as f32),
        DType::BF16 => each(input, output, |bytes| bf16::from_le_bytes(bytes).to_f32()),
        DType::F16 => {
            let mut halves = [f16::ZERO; BLOCK];
            let halves = &mut halves[..output.len()];
            each(input, halves, f16::from_le_bytes);
            halves.convert_to_f32_slice(output);
        }
        DType::F4E2M1FN => {
            for (pair, byte) in output.chunks_exact_mut(2).zip(input) {
                let table = &TABLES.f4e2m1fn;
                pair.copy_from_slice(&[
                    table[usize::from(byte & 0xf)],
                    table[usize::from(byte >> 4)],
                ]);
            }
        }
        _ => {
            let table = TABLES.of(from);
            for (out, byte) in output.iter_mut().zip(input) {
                *out = table[usize::from(*byte)];
            }
        }
    }
}

fn each<const N: usize, T>(input: &[u8], output: &mut [T], read: impl Fn([u8; N]) -> T) {
    let (elements, _) = input.as_chunks::<N>();
    for (out, bytes) in output.iter_mut().zip(elements) {
        *out = read(*bytes);
    }
}

fn encode(to: DType, input: &[f32], output: &mut [u8]) {
    match to {
        DType::F32 => put(input, output, |x| x.to_le_bytes()),
        DType::F64 => put(input, output, |x| f64::from(x).to_le_bytes()),
        DType::BF16 => put(input, output, |x| bf16::from_f32(x).to_le_bytes()),
        DType::F16 => {
            let mut halves = [f16::ZERO; BLOCK];
            let halves = &mut halves[..input.len()];
            halves.convert_from_f32_slice(input);
            put(halves, output, f16::to_le_bytes);
        }
        _ => unreachable!("`between` makes no other floats"),
    }
}

fn narrow(to: DType, input: &[u8], output: &mut [u8]) {
    let (elements, _) = input.as_chunks::<8>();
    let read = |bytes: [u8; 8]| f64::from_le_bytes(bytes);
    match to {
        DType::F32 => put(elements, output, |x| (read(x) as f32).to_le_bytes()),
        DType::BF16 => {
            put(elements, output, |x| bf16::from_f32(round_to_odd(read(x))).to_le_bytes())
        }
        DType::F16 => put(elements, output, |x| f16::from_f32(round_to_odd(read(x))).to_le_bytes()),
        _ => unreachable!("`between` narrows to no other type"),
    }
}

/// `x` as an `f32` that rounds to fewer bits as `x` itself does: lost bits set the last bit (round
/// to odd). (`half` rounds twice where the processor converts by way of `f32`.)
fn round_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) == x || x.is_nan() {
        return nearest;
    }
    // Rounds towards zero: one bit pattern down from a value beyond `x`.
    let beyond = f64::from(nearest).abs() > x.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

fn put<const N: usize, T: Copy>(input: &[T], output: &mut [u8], write: impl Fn(T) -> [u8; N]) {
    let (elements, _) = output.as_chunks_mut::<N>();
    for (out, element) in elements.iter_mut().zip(input) {
        *out = write(*element);
    }
}

/// The values of the small float types.
struct Tables {
    f4e2m1fn: [f32; 16],
    f8e4m3fn: [f32; 256],
    f8e4m3fnuz: [f32; 256],
    f8e5m2: [f32; 256],
    f8e5m2fnuz: [f32; 256],
    f8e8m0fnu: [f32; 256],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let nan = |value: f32, is_nan: bool| if is_nan { f32::NAN } else { value };
    Tables {
        f4e2m1fn: table(|code| signed(code, 2, 1, 1)),
        f8e4m3fn: table(|code| nan(signed(code, 4, 3, 7), code & 0x7f == 0x7f)),
        // The code that would be negative zero is the only NaN of these two types.
        f8e4m3fnuz: table(|code| nan(signed(code, 4, 3, 8), code == 0x80)),
        f8e5m2fnuz: table(|code| nan(signed(code, 5, 2, 16), code == 0x80)),
        f8e5m2: table(|code| match (code >> 2 & 31, code & 3) {
            (31, 0) => f32::INFINITY.copysign(signed(code, 5, 2, 15)),
            (31, _) => f32::NAN,
            _ => signed(code, 5, 2, 15),
        }),
        f8e8m0fnu: table(|code| nan(power_of_two(i32::from(code) - 127), code == 0xff)),
    }
});

impl Tables {
    fn of(&self, dtype: DType) -> &[f32; 256] {
        match dtype {
            DType::F8E4M3FN => &self.f8e4m3fn,
            DType::F8E4M3FNUZ => &self.f8e4m3fnuz,
            DType::F8E5M2 => &self.f8e5m2,
            DType::F8E5M2FNUZ => &self.f8e5m2fnuz,
            DType::F8E8M0FNU => &self.f8e8m0fnu,
            other => unreachable!("files hold no {other}"),
        }
    }
}

fn table<const N: usize>(value: impl Fn(u8) -> f32) -> [f32; N] {
    // N is at most 256.
    std::array::from_fn(|code| value(code as u8))
}

/// The value of sign, exponent and mantissa bits, except for special values. All values are exact
/// in `f32`.
fn signed(code: u8, exponent_bits: u32, mantissa_bits: u32, bias: i32) -> f32 {
    let mantissa = f32::from(code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits) as f32;
    let exponent = i32::from(code >> mantissa_bits & ((1 << exponent_bits) - 1));
    let value = match exponent {
        0 => mantissa * power_of_two(1 - bias),
        _ => (1.0 + mantissa) * power_of_two(exponent - bias),
    };
    match code >> (exponent_bits + mantissa_bits) & 1 {
        1 => -value,
        _ => value,
    }
}

/// Two to the power of `exponent`, -127 (subnormal in `f32`) to 127.
fn power_of_two(exponent: i32) -> f32 {
    f64::from(exponent).exp2() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(from: DType, to: DType, input: &[u8], count: usize) -> Vec<u8> {
        let mut output = vec![0; count * to.size()];
        Conversion::between(from, to).unwrap().run(input, &mut output).unwrap();
        output
    }

    fn floats(bytes: &[u8]) -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    #[test]
    fn narrowing_rounds_once_to_nearest_even() {
        // Just above halfway between two halves; through f32 it would become halfway and round down
        // to even.
        let x = 1.0f64 + f64::powi(2.0, -11) + f64::powi(2.0, -40);
        let out = convert(DType::F64, DType::F16, &x.to_le_bytes(), 1);
        assert_eq!(f16::from_le_bytes(out.try_into().unwrap()).to_f64(), 1.0 + f64::powi(2.0, -10));
        let y = 1.0f64 + f64::powi(2.0, -8) + f64::powi(2.0, -40);
        let out = convert(DType::F64, DType::BF16, &y.to_le_bytes(), 1);
        assert_eq!(bf16::from_le_bytes(out.try_into().unwrap()).to_f64(), 1.0 + f64::powi(2.0, -7));
    }

    #[test]
    fn every_half_survives_a_way_there_and_back() {
        for dtype in [DType::F16, DType::BF16] {
            let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
            for wide in [DType::F32, DType::F64] {
                let back = convert(wide, dtype, &convert(dtype, wide, &all, 65536), 65536);
                for (code, (a, b)) in all.chunks(2).zip(back.chunks(2)).enumerate() {
                    let (a, b) = ([a[0], a[1]], [b[0], b[1]]);
                    let is_nan = match dtype {
                        DType::F16 => {
                            f16::from_le_bytes(a).is_nan() && f16::from_le_bytes(b).is_nan()
                        }
                        _ => bf16::from_le_bytes(a).is_nan() && bf16::from_le_bytes(b).is_nan(),
                    };
                    assert!(a == b || is_nan, "{dtype} {code:#06x} by way of {wide}");
                }
            }
        }
    }

    #[test]
    fn lengths_that_fill_no_block_are_converted_to_the_end() {
        for count in [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let input: Vec<u8> = (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect();
            let out = convert(DType::F32, DType::F64, &input, count);
            let out = out.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
            assert!(out.eq((0..count).map(|i| i as f64)), "{count}");
        }
    }

    #[test]
    fn four_bit_floats_come_low_half_first() {
        let out =
            floats(&convert(DType::F4E2M1FN, DType::F32, &[0x10, 0x32, 0x54, 0x76, 0xf8], 10));
        assert_eq!(out, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -6.0]);
        assert!(out[8].is_sign_negative());
        assert_eq!(convert(DType::F4E2M1FN, DType::F4E2M1FN, &[0x21, 0x43], 4), [1, 2, 3, 4]);
    }

    #[test]
    fn truth_values_become_zero_and_one() {
        assert!(Conversion::Bool.keeps(&[0, 1, 1]));
        assert!(!Conversion::Bool.keeps(&[0, 2]));
        assert_eq!(convert(DType::Bool, DType::Bool, &[0, 1, 2, 255], 4), [0, 1, 1, 1]);
    }

    #[test]
    fn only_floats_are_converted() {
        for (from, to) in [
            (DType::I32, DType::F32),
            (DType::F32, DType::I32),
            (DType::I32, DType::I64),
            (DType::F32, DType::F8E4M3FN),
            (DType::Bool, DType::U8),
            (DType::C64, DType::F32),
        ] {
            assert_eq!(Conversion::between(from, to), None, "{from} to {to}");
        }
    }
}
