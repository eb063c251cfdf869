//! Attributes of ops.

use crate::lowering::Lowering;
use hloom_graph::{DType, Shape};
use melior::ir::{
    Attribute,
    attribute::{BoolAttribute, DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute},
    r#type::RankedTensorType,
};
use smallvec::SmallVec;

/// A number that every type of its kind can be given.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    /// For integers, their bits; 0 and 1 for every type.
    Int(i64),
    /// For floats, rounded to their type; the real part of complex numbers.
    Float(f64),
}

impl<'a> Lowering<'a> {
    /// A 64-bit integer, as axes are given.
    pub fn i64(&self, value: usize) -> Attribute<'a> {
        IntegerAttribute::new(self.types.element(DType::I64), value as i64).into()
    }

    /// A 32-bit integer.
    pub fn i32(&self, value: u32) -> Attribute<'a> {
        IntegerAttribute::new(self.types.element(DType::I32), value.into()).into()
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Attribute<'a> {
        BoolAttribute::new(self.context, value).into()
    }

    /// A list of axes or sizes.
    pub fn i64s(&self, values: &[usize]) -> Attribute<'a> {
        let values: SmallVec<[i64; 8]> = values.iter().map(|&value| value as i64).collect();
        DenseI64ArrayAttribute::new(self.context, &values).into()
    }

    /// A list of numbers that can be negative.
    pub fn signed_i64s(&self, values: &[isize]) -> Attribute<'a> {
        let values: SmallVec<[i64; 8]> = values.iter().map(|&value| value as i64).collect();
        DenseI64ArrayAttribute::new(self.context, &values).into()
    }

    /// A table of pairs.
    pub fn pairs(&self, pairs: &[(usize, usize)]) -> Attribute<'a> {
        let values: SmallVec<[i64; 16]> = pairs.iter().flat_map(|&(a, b)| [a as i64, b as i64]).collect();
        let r#type = RankedTensorType::new(&[pairs.len() as u64, 2], self.types.element(DType::I64), None);
        DenseElementsAttribute::i64_values(r#type.into(), &values).into()
    }

    /// A table of rows of equal length.
    pub fn table(&self, rows: &[Vec<usize>]) -> Attribute<'a> {
        let values: Vec<i64> = rows.iter().flatten().map(|&value| value as i64).collect();
        let sizes = [rows.len() as u64, rows.first().map_or(0, Vec::len) as u64];
        let r#type = RankedTensorType::new(&sizes, self.types.element(DType::I64), None);
        DenseElementsAttribute::i64_values(r#type.into(), &values).into()
    }

    /// The attribute that says something by being there.
    pub fn unit(&self) -> Attribute<'a> {
        Attribute::unit(self.context)
    }

    /// An attribute in MLIR's syntax. Reading one is slow, so each is read once.
    pub fn parsed(&mut self, text: impl AsRef<str>) -> Attribute<'a> {
        let text = text.as_ref();
        if let Some(&attribute) = self.parsed.get(text) {
            return attribute;
        }
        let attribute = Attribute::parse(self.context, text).expect("the text is written in this crate");
        self.parsed.insert(text.into(), attribute);
        attribute
    }

    /// The elements of a constant, from host bytes: all of them, or one that is everywhere.
    pub fn elements(&self, shape: &Shape, bytes: &[u8]) -> Attribute<'a> {
        let r#type = self.types.tensor(shape);
        if shape.dtype() == DType::Bool {
            let values: Vec<i32> = bytes.iter().map(|&byte| (byte != 0).into()).collect();
            return match values[..] {
                [value] => DenseElementsAttribute::bool_splat(r#type, value != 0).into(),
                _ => DenseElementsAttribute::bool_values(r#type, &values).into(),
            };
        }
        if shape.dtype().bits() < 8 {
            // MLIR keeps the bits above a sub-byte element at 0; a negative number on the host has them set.
            let mask = u8::MAX >> (8 - shape.dtype().bits());
            let bytes: Vec<u8> = bytes.iter().map(|byte| byte & mask).collect();
            return DenseElementsAttribute::raw_buffer(r#type, &bytes).into();
        }
        DenseElementsAttribute::raw_buffer(r#type, bytes).into()
    }

    /// A number as a scalar constant's value.
    pub fn number(&self, dtype: DType, number: Number) -> Attribute<'a> {
        let element = self.types.element(dtype);
        let (int, float) = match number {
            Number::Int(value) => (value, value as f64),
            Number::Float(value) => (value as i64, value),
        };
        let complex = |real: &[u8]| {
            let mut bytes = [0; 16];
            bytes[..real.len()].copy_from_slice(real);
            DenseElementsAttribute::raw_buffer(self.types.scalar(dtype), &bytes[..dtype.size()]).into()
        };
        let value = match dtype {
            DType::C64 => return complex(&(float as f32).to_ne_bytes()),
            DType::C128 => return complex(&float.to_ne_bytes()),
            dtype if dtype.is_float() => FloatAttribute::new(self.context, element, float).into(),
            _ => IntegerAttribute::new(element, int).into(),
        };
        DenseElementsAttribute::splat(self.types.scalar(dtype), value).into()
    }
}
