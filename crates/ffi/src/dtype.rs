//! Element types.

use std::fmt;

/// The type of a buffer's elements.
///
/// A number that this crate does not know is kept as [`DType::Other`]: such a buffer can be passed
/// around, but not read or written from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// Boolean, one byte on the host.
    Pred,
    /// 1-bit signed integer.
    S1,
    /// 2-bit signed integer.
    S2,
    /// 4-bit signed integer.
    S4,
    /// 8-bit signed integer.
    S8,
    /// 16-bit signed integer.
    S16,
    /// 32-bit signed integer.
    S32,
    /// 64-bit signed integer.
    S64,
    /// 1-bit unsigned integer.
    U1,
    /// 2-bit unsigned integer.
    U2,
    /// 4-bit unsigned integer.
    U4,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Complex number of two `f32`.
    C64,
    /// Complex number of two `f64`.
    C128,
    /// 4-bit float, 2 exponent and 1 mantissa bits, finite.
    F4E2M1FN,
    /// 6-bit float, 2 exponent and 3 mantissa bits, finite.
    F6E2M3FN,
    /// 6-bit float, 3 exponent and 2 mantissa bits, finite.
    F6E3M2FN,
    /// 8-bit float, 3 exponent and 4 mantissa bits.
    F8E3M4,
    /// 8-bit float, 4 exponent and 3 mantissa bits.
    F8E4M3,
    /// 8-bit float, 4 exponent and 3 mantissa bits, no infinities.
    F8E4M3FN,
    /// 8-bit float, 4 exponent and 3 mantissa bits, bias 11, one NaN, no negative zero.
    F8E4M3B11FNUZ,
    /// 8-bit float, 4 exponent and 3 mantissa bits, one NaN, no negative zero.
    F8E4M3FNUZ,
    /// 8-bit float, 5 exponent and 2 mantissa bits.
    F8E5M2,
    /// 8-bit float, 5 exponent and 2 mantissa bits, one NaN, no negative zero.
    F8E5M2FNUZ,
    /// 8 exponent bits: a scale.
    F8E8M0FNU,
    /// A token, which only orders side effects and has no data.
    Token,
    /// A number of the C API that this crate does not know.
    Other(u32),
}

/// One row for each dtype: number in the C API, number in XLA's protos, bits, name.
const TABLE: [(DType, u32, i32, u32, &str); 33] = [
    (DType::Pred, 1, 1, 8, "pred"),
    (DType::S8, 2, 2, 8, "s8"),
    (DType::S16, 3, 3, 16, "s16"),
    (DType::S32, 4, 4, 32, "s32"),
    (DType::S64, 5, 5, 64, "s64"),
    (DType::U8, 6, 6, 8, "u8"),
    (DType::U16, 7, 7, 16, "u16"),
    (DType::U32, 8, 8, 32, "u32"),
    (DType::U64, 9, 9, 64, "u64"),
    (DType::F16, 10, 10, 16, "f16"),
    (DType::F32, 11, 11, 32, "f32"),
    (DType::F64, 12, 12, 64, "f64"),
    (DType::BF16, 13, 16, 16, "bf16"),
    (DType::C64, 14, 15, 64, "c64"),
    (DType::C128, 15, 18, 128, "c128"),
    (DType::F8E5M2, 16, 19, 8, "f8e5m2"),
    (DType::F8E4M3FN, 17, 20, 8, "f8e4m3fn"),
    (DType::F8E4M3B11FNUZ, 18, 23, 8, "f8e4m3b11fnuz"),
    (DType::F8E5M2FNUZ, 19, 24, 8, "f8e5m2fnuz"),
    (DType::F8E4M3FNUZ, 20, 25, 8, "f8e4m3fnuz"),
    (DType::S4, 21, 21, 4, "s4"),
    (DType::U4, 22, 22, 4, "u4"),
    (DType::Token, 23, 17, 0, "token"),
    (DType::S2, 24, 26, 2, "s2"),
    (DType::U2, 25, 27, 2, "u2"),
    (DType::F8E4M3, 26, 28, 8, "f8e4m3"),
    (DType::F8E3M4, 27, 29, 8, "f8e3m4"),
    (DType::F8E8M0FNU, 28, 33, 8, "f8e8m0fnu"),
    (DType::F4E2M1FN, 29, 32, 4, "f4e2m1fn"),
    (DType::S1, 30, 30, 1, "s1"),
    (DType::U1, 31, 31, 1, "u1"),
    (DType::F6E2M3FN, 32, 34, 6, "f6e2m3fn"),
    (DType::F6E3M2FN, 33, 35, 6, "f6e3m2fn"),
];

impl DType {
    /// Every dtype that this crate knows.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The dtype of a number of the C API (`PJRT_Buffer_Type`).
    pub fn from_raw(number: u32) -> Self {
        match TABLE.get((number as usize).wrapping_sub(1)) {
            Some(row) => row.0,
            None => Self::Other(number),
        }
    }

    /// The number of the C API (`PJRT_Buffer_Type`).
    pub fn to_raw(self) -> u32 {
        match self {
            Self::Other(number) => number,
            known => known.row().map_or(0, |row| row.1),
        }
    }

    /// The minor version of the C API that added the dtype: for a newer one, plugins read beyond
    /// the end of their table.
    pub fn since(self) -> u16 {
        match self.to_raw() {
            0..26 => 0,
            26 | 27 => 55,
            28 | 29 => 63,
            30 | 31 => 94,
            _ => 114,
        }
    }

    /// The dtype of a number of XLA's `PrimitiveType`, which differs from the C API's.
    pub fn from_primitive_type(number: i32) -> Option<Self> {
        TABLE.iter().find(|row| row.2 == number).map(|row| row.0)
    }

    /// Bits of one element on the device; `None` for an unknown dtype, 0 for a token.
    pub fn bits(self) -> Option<usize> {
        self.row().map(|row| row.3 as usize)
    }

    /// Bytes of one element on the host: types of fewer than 8 bits take one byte each.
    ///
    /// `None` for tokens and unknown dtypes, which have no host form.
    pub fn host_bytes(self) -> Option<usize> {
        match self.bits() {
            Some(bits) if bits > 0 => Some(bits.div_ceil(8)),
            _ => None,
        }
    }

    /// The name as in XLA's programs, such as `f32` or `s4`.
    pub fn name(self) -> &'static str {
        self.row().map_or("unknown", |row| row.4)
    }

    fn row(self) -> Option<&'static (Self, u32, i32, u32, &'static str)> {
        TABLE.iter().find(|row| row.0 == self)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(number) => write!(f, "type {number}"),
            known => f.write_str(known.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_make_the_round_trip_and_rows_are_in_order() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.1 as usize, index + 1);
            assert_eq!(DType::from_raw(row.1), row.0);
            assert_eq!(row.0.to_raw(), row.1);
            assert_eq!(DType::from_primitive_type(row.2), Some(row.0));
        }
        for unknown in [0, 34, 1000, u32::MAX] {
            assert_eq!(DType::from_raw(unknown), DType::Other(unknown));
            assert_eq!(DType::Other(unknown).to_raw(), unknown);
        }
    }

    #[test]
    fn newer_dtypes_say_which_version_brought_them() {
        let since =
            [DType::F32, DType::U2, DType::F8E3M4, DType::F4E2M1FN, DType::S1, DType::F6E3M2FN];
        assert_eq!(since.map(DType::since), [0, 0, 55, 63, 94, 114]);
    }

    #[test]
    fn bytes_on_the_host() {
        assert_eq!(DType::S4.host_bytes(), Some(1));
        assert_eq!(DType::S4.bits(), Some(4));
        assert_eq!(DType::C128.host_bytes(), Some(16));
        assert_eq!(DType::Token.host_bytes(), None);
        assert_eq!(DType::Other(77).host_bytes(), None);
        assert_eq!(DType::BF16.to_string(), "bf16");
        assert_eq!(DType::Other(77).to_string(), "type 77");
    }
}
