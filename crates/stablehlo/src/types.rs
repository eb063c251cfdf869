//! Types of values.

use hloom_graph::{DType, Shape};
use melior::{
    Context,
    ir::r#type::{IntegerType, RankedTensorType, Type},
};
use smallvec::SmallVec;

/// The element types, made once.
pub(crate) struct Types<'a>([Type<'a>; DType::ALL.len()]);

impl<'a> Types<'a> {
    pub fn new(context: &'a Context) -> Types<'a> {
        Types(DType::ALL.map(|dtype| element(context, dtype)))
    }

    /// The type of an element.
    pub fn element(&self, dtype: DType) -> Type<'a> {
        self.0[dtype as usize]
    }

    /// The type of a tensor.
    pub fn tensor(&self, shape: &Shape) -> Type<'a> {
        self.sized(shape.dtype(), shape.sizes())
    }

    /// The type of a tensor of these sizes.
    pub fn sized(&self, dtype: DType, sizes: &[usize]) -> Type<'a> {
        let sizes: SmallVec<[u64; 8]> = sizes.iter().map(|&size| size as u64).collect();
        RankedTensorType::new(&sizes, self.element(dtype), None).into()
    }

    /// The type of a scalar.
    pub fn scalar(&self, dtype: DType) -> Type<'a> {
        self.sized(dtype, &[])
    }
}

fn element(context: &Context, dtype: DType) -> Type<'_> {
    // StableHLO's signed integers are MLIR's integers without a sign.
    let signed = |bits| IntegerType::new(context, bits).into();
    let unsigned = |bits| IntegerType::unsigned(context, bits).into();
    let complex = |of: &str| Type::parse(context, &format!("complex<{of}>")).expect("a builtin type parses");
    match dtype {
        DType::Bool => signed(1),
        DType::I2 => signed(2),
        DType::I4 => signed(4),
        DType::I8 => signed(8),
        DType::I16 => signed(16),
        DType::I32 => signed(32),
        DType::I64 => signed(64),
        DType::U2 => unsigned(2),
        DType::U4 => unsigned(4),
        DType::U8 => unsigned(8),
        DType::U16 => unsigned(16),
        DType::U32 => unsigned(32),
        DType::U64 => unsigned(64),
        DType::F4E2M1FN => Type::float4_e2m1fn(context),
        DType::F8E3M4 => Type::float8_e3m4(context),
        DType::F8E4M3 => Type::float8_e4m3(context),
        DType::F8E4M3FN => Type::float8_e4m3fn(context),
        DType::F8E4M3FNUZ => Type::float8_e4m3fnuz(context),
        DType::F8E4M3B11FNUZ => Type::float8_e4m3b11fnuz(context),
        DType::F8E5M2 => Type::float8_e5m2(context),
        DType::F8E5M2FNUZ => Type::float8_e5m2fnuz(context),
        DType::F8E8M0FNU => Type::float8_e8m0fnu(context),
        DType::BF16 => Type::bfloat16(context),
        DType::F16 => Type::float16(context),
        DType::F32 => Type::float32(context),
        DType::F64 => Type::float64(context),
        DType::C64 => complex("f32"),
        DType::C128 => complex("f64"),
    }
}
