//! Bit-exact dense constants in MLIR's syntax.

use crate::{attribute::Number, types::Type};
use half::{bf16, f16};
use hloom_graph::DType;
use std::fmt::{self, Display, Write};

/// Up to this number of integers are written in decimal, for readability; more integers, and
/// floats, as bytes.
const MAX_DECIMAL: usize = 64;

/// A tensor filled with one number.
pub(crate) struct Splat<'a>(pub &'a Type, pub Number);

impl Display for Splat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Splat(r#type, number) = self;
        let dtype = r#type.dtype();
        let (int, float) = match *number {
            Number::Int(value) => (value, value as f64),
            Number::Float(value) => (value as i64, value),
        };
        f.write_str("dense<")?;
        match dtype {
            DType::Bool => write!(f, "{}", int != 0)?,
            // MLIR rounds a decimal to the type as any other number.
            _ if dtype.is_float() && float.is_finite() => decimal(f, float)?,
            _ if dtype.is_float() => bits(f, dtype, not_finite(dtype, float))?,
            DType::C64 => {
                let real = f32::to_bits(float as f32);
                write!(f, "(0x{real:08X},0.0)")?;
            }
            DType::C128 => write!(f, "(0x{:016X},0.0)", float.to_bits())?,
            _ => integer(f, dtype, int as u64)?,
        }
        write!(f, "> : {type}")
    }
}

/// A tensor of elements in host layout: all of them, or one for a splat.
pub(crate) struct Dense<'a>(pub &'a Type, pub &'a [u8]);

impl Display for Dense<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dense(r#type, bytes) = self;
        let dtype = r#type.dtype();
        let count = bytes.len() / dtype.size();
        f.write_str("dense<")?;
        match count {
            0 => {}
            1 => element(f, dtype, bytes)?,
            // MLIR versions differ in the packing of `bool`.
            _ if dtype == DType::Bool || dtype.is_int() && count <= MAX_DECIMAL => {
                list(f, dtype, r#type.sizes(), &mut bytes.chunks_exact(dtype.size()))?;
            }
            _ => hexadecimal(f, dtype, bytes)?,
        }
        write!(f, "> : {type}")
    }
}

/// Nested lists, one level per axis.
fn list<'a>(
    f: &mut fmt::Formatter<'_>,
    dtype: DType,
    sizes: &[usize],
    elements: &mut impl Iterator<Item = &'a [u8]>,
) -> fmt::Result {
    let Some((&size, inner)) = sizes.split_first() else {
        return elements.next().map_or(Ok(()), |bytes| element(f, dtype, bytes));
    };
    f.write_char('[')?;
    for i in 0..size {
        f.write_str(if i > 0 { ", " } else { "" })?;
        list(f, dtype, inner, elements)?;
    }
    f.write_char(']')
}

fn element(f: &mut fmt::Formatter<'_>, dtype: DType, bytes: &[u8]) -> fmt::Result {
    if dtype.is_complex() {
        let half = bytes.len() / 2;
        let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
        f.write_char('(')?;
        element(f, part, &bytes[..half])?;
        f.write_char(',')?;
        element(f, part, &bytes[half..])?;
        return f.write_char(')');
    }
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let raw = u64::from_le_bytes(wide);
    let float = match dtype {
        DType::Bool => return write!(f, "{}", raw != 0),
        dtype if !dtype.is_float() => return integer(f, dtype, raw),
        DType::BF16 => bf16::from_bits(raw as u16).to_f64(),
        DType::F16 => f16::from_bits(raw as u16).to_f64(),
        DType::F32 => f32::from_bits(raw as u32).into(),
        DType::F64 => f64::from_bits(raw),
        _ => return bits(f, dtype, raw),
    };
    if float.is_finite() { decimal(f, float) } else { bits(f, dtype, raw) }
}

/// The integer with these lowest bits.
fn integer(f: &mut fmt::Formatter<'_>, dtype: DType, raw: u64) -> fmt::Result {
    let unused = 64 - dtype.bits();
    if dtype.is_signed_int() {
        write!(f, "{}", ((raw << unused) as i64) >> unused)
    } else {
        write!(f, "{}", (raw << unused) >> unused)
    }
}

/// A float by its bits, with the number of digits that MLIR requires for the type.
fn bits(f: &mut fmt::Formatter<'_>, dtype: DType, raw: u64) -> fmt::Result {
    let unused = 64 - dtype.bits();
    let digits = dtype.bits().div_ceil(4);
    write!(f, "0x{:0digits$X}", (raw << unused) >> unused)
}

/// The shortest decimal that is exactly this number, with the point that MLIR requires.
fn decimal(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => write!(f, "{digits}.0e{exponent}"),
        _ => f.write_str(&text),
    }
}

/// The bits of an infinity or a NaN, for types that have them.
fn not_finite(dtype: DType, value: f64) -> u64 {
    let (infinity, quiet) = match dtype {
        DType::F8E3M4 => (0x70, 0x08),
        DType::F8E4M3 => (0x78, 0x04),
        DType::F8E5M2 => (0x7C, 0x02),
        DType::BF16 => (0x7F80, 0x40),
        DType::F16 => (0x7C00, 0x200),
        DType::F32 => (0x7F80_0000, 0x40_0000),
        DType::F64 => (f64::INFINITY.to_bits(), 1 << 51),
        _ => unreachable!("{dtype} has no infinity, and nothing asks for its NaN"),
    };
    let sign = u64::from(value.is_sign_negative()) << (dtype.bits() - 1);
    sign | infinity | if value.is_nan() { quiet } else { 0 }
}

/// The bytes in MLIR's memory layout.
fn hexadecimal(f: &mut fmt::Formatter<'_>, dtype: DType, bytes: &[u8]) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    // On the host a negative number below a byte has the upper bits set, in MLIR it does not.
    let mask = if dtype.bits() < 8 { u8::MAX >> (8 - dtype.bits()) } else { u8::MAX };
    f.write_str("\"0x")?;
    let mut digits = String::with_capacity(2 * 1024);
    for part in bytes.chunks(1024) {
        digits.clear();
        for byte in part.iter().map(|byte| byte & mask) {
            digits.push(DIGITS[usize::from(byte >> 4)].into());
            digits.push(DIGITS[usize::from(byte & 15)].into());
        }
        f.write_str(&digits)?;
    }
    f.write_char('"')
}
