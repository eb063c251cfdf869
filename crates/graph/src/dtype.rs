//! Element types.

use crate::BlockKind;
use std::fmt;

/// The type of a tensor's elements, in StableHLO's set.
///
/// The low-precision floats have the names of the [StableHLO
/// specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#types). Programs over
/// a mesh of several devices cannot have `i2` and `u2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the variants' names say the type")]
pub enum DType {
    Bool,
    I2,
    I4,
    I8,
    I16,
    I32,
    I64,
    U2,
    U4,
    U8,
    U16,
    U32,
    U64,
    F4E2M1FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    F32,
    F64,
    C64,
    C128,
    /// Quantised numbers in blocks along the last axis, as files store weights. Loading converts
    /// them to floats; ops do not compute with blocks.
    Block(BlockKind),
}

impl DType {
    /// Every element type that is not a block.
    pub const ALL: [DType; 28] = [
        DType::Bool,
        DType::I2,
        DType::I4,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U2,
        DType::U4,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F4E2M1FN,
        DType::F8E3M4,
        DType::F8E4M3,
        DType::F8E4M3FN,
        DType::F8E4M3FNUZ,
        DType::F8E4M3B11FNUZ,
        DType::F8E5M2,
        DType::F8E5M2FNUZ,
        DType::F8E8M0FNU,
        DType::BF16,
        DType::F16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// The name in printed shapes, such as `f32`, `bool` or `f8e4m3fn`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I2 => "i2",
            DType::I4 => "i4",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U2 => "u2",
            DType::U4 => "u4",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F4E2M1FN => "f4e2m1fn",
            DType::F8E3M4 => "f8e3m4",
            DType::F8E4M3 => "f8e4m3",
            DType::F8E4M3FN => "f8e4m3fn",
            DType::F8E4M3FNUZ => "f8e4m3fnuz",
            DType::F8E4M3B11FNUZ => "f8e4m3b11fnuz",
            DType::F8E5M2 => "f8e5m2",
            DType::F8E5M2FNUZ => "f8e5m2fnuz",
            DType::F8E8M0FNU => "f8e8m0fnu",
            DType::BF16 => "bf16",
            DType::F16 => "f16",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C64 => "c64",
            DType::C128 => "c128",
            DType::Block(kind) => kind.name(),
        }
    }

    /// The type called `name`, as printed by [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<DType> {
        let blocks = BlockKind::all().map(DType::Block);
        DType::ALL.into_iter().chain(blocks).find(|d| d.name() == name)
    }

    /// Bits of one element: 1 for `Bool`, 2 and 4 for the sub-byte types; for blocks, the bits of a
    /// block per element, rounded up.
    pub const fn bits(self) -> usize {
        match self {
            DType::Bool => 1,
            DType::I2 | DType::U2 => 2,
            DType::I4 | DType::U4 | DType::F4E2M1FN => 4,
            DType::I8
            | DType::U8
            | DType::F8E3M4
            | DType::F8E4M3
            | DType::F8E4M3FN
            | DType::F8E4M3FNUZ
            | DType::F8E4M3B11FNUZ
            | DType::F8E5M2
            | DType::F8E5M2FNUZ
            | DType::F8E8M0FNU => 8,
            DType::I16 | DType::U16 | DType::BF16 | DType::F16 => 16,
            DType::I32 | DType::U32 | DType::F32 => 32,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 64,
            DType::C128 => 128,
            DType::Block(kind) => (8 * kind.block_bytes()).div_ceil(kind.block_len()),
        }
    }

    /// Bytes of one element on the host, where `Bool` and the sub-byte types take a whole byte. The
    /// elements of blocks have no size of their own: see [`Shape::byte_size`](crate::Shape::byte_size).
    pub const fn size(self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Whether this is a real floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            DType::F4E2M1FN
                | DType::F8E3M4
                | DType::F8E4M3
                | DType::F8E4M3FN
                | DType::F8E4M3FNUZ
                | DType::F8E4M3B11FNUZ
                | DType::F8E5M2
                | DType::F8E5M2FNUZ
                | DType::F8E8M0FNU
                | DType::BF16
                | DType::F16
                | DType::F32
                | DType::F64
        )
    }

    /// The format of the blocks, if this is a type of blocks.
    pub const fn block(self) -> Option<BlockKind> {
        match self {
            DType::Block(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed_int(self) -> bool {
        matches!(self, DType::I2 | DType::I4 | DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// Whether this is an unsigned integer type.
    pub const fn is_unsigned_int(self) -> bool {
        matches!(self, DType::U2 | DType::U4 | DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Whether this is an integer type (`Bool` is not).
    pub const fn is_int(self) -> bool {
        self.is_signed_int() || self.is_unsigned_int()
    }

    /// Whether this is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Half a unit past the largest finite value of a float type: numbers from here on do not round
    /// to a value of the type. Infinite for `f64` and for types that are not real floats.
    pub(crate) fn overflow(self) -> f64 {
        let half_past = |exponent: i32, fraction_bits: i32, significand: f64| {
            significand * 2f64.powi(exponent) + 2f64.powi(exponent - fraction_bits - 1)
        };
        match self {
            DType::F4E2M1FN => half_past(2, 1, 1.5),
            DType::F8E3M4 => half_past(3, 4, 1.9375),
            DType::F8E4M3 | DType::F8E4M3FNUZ => half_past(7, 3, 1.875),
            DType::F8E4M3FN => half_past(8, 3, 1.75),
            DType::F8E4M3B11FNUZ => half_past(4, 3, 1.875),
            DType::F8E5M2 | DType::F8E5M2FNUZ => half_past(15, 2, 1.75),
            DType::F8E8M0FNU => half_past(127, 0, 1.0),
            DType::BF16 => half_past(127, 7, 2.0 - 2f64.powi(-7)),
            DType::F16 => half_past(15, 10, 2.0 - 2f64.powi(-10)),
            DType::F32 => half_past(127, 23, 2.0 - 2f64.powi(-23)),
            _ => f64::INFINITY,
        }
    }

    /// The type of the parts of a complex type; other types are returned unchanged.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
