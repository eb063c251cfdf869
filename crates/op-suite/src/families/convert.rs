//! Conversions between all pairs of element types, and bitcasts.

use crate::{EXACT, Row};
use hloom::prelude::*;

/// A row for each element type.
macro_rules! into_every_type {
    ($method:ident: $($name:literal $dtype:ident),*) => {
        [$(Row {
            name: concat!(stringify!($method), " ", $name),
            tolerance: EXACT,
            op: |x| x.iter().map(|x| x.$method(DType::$dtype)).collect(),
        }),*]
    };
}

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::from(into_every_type!(
        convert: "bool" Bool, "i2" I2, "i4" I4, "i8" I8, "i16" I16, "i32" I32, "i64" I64, "u2" U2,
        "u4" U4, "u8" U8, "u16" U16, "u32" U32, "u64" U64, "f4e2m1fn" F4E2M1FN, "f8e3m4" F8E3M4,
        "f8e4m3" F8E4M3, "f8e4m3fn" F8E4M3FN, "f8e4m3fnuz" F8E4M3FNUZ,
        "f8e4m3b11fnuz" F8E4M3B11FNUZ, "f8e5m2" F8E5M2, "f8e5m2fnuz" F8E5M2FNUZ,
        "f8e8m0fnu" F8E8M0FNU, "bf16" BF16, "f16" F16, "f32" F32, "f64" F64, "c64" C64, "c128" C128
    ));
    rows.extend(into_every_type!(
        bitcast: "i2" I2, "i8" I8, "u4" U4, "u8" U8, "i32" I32, "u32" U32, "i64" I64, "u16" U16,
        "f16" F16, "bf16" BF16, "f32" F32, "f64" F64, "f8e3m4" F8E3M4, "f8e4m3" F8E4M3,
        "f8e4m3fn" F8E4M3FN, "f8e4m3fnuz" F8E4M3FNUZ, "f8e4m3b11fnuz" F8E4M3B11FNUZ,
        "f8e5m2" F8E5M2, "f8e5m2fnuz" F8E5M2FNUZ, "f8e8m0fnu" F8E8M0FNU
    ));
    rows
}
