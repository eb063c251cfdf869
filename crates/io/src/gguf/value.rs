//! Values of the metadata.

use super::{
    cursor::{Cursor, Stop},
    gguf_error::ReadError,
};

/// The limit on arrays inside arrays, the outermost included.
pub const MAX_DEPTH: usize = 4;

/// The limit on the length of a key and of a tensor's name, in bytes of UTF-8.
pub const MAX_KEY: usize = 65_535;

/// The number of the type of arrays in files.
pub(super) const ARRAY: u32 = 9;

/// A value of the metadata.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of Rust's types")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    String(String),
    Array(Array),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// An array of the metadata, whose elements have one type.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of Rust's types")]
pub enum Array {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    String(Vec<String>),
    Array(Vec<Array>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

impl Value {
    /// The value of an integer of any type that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::U8(value) => Some(value.into()),
            Value::U16(value) => Some(value.into()),
            Value::U32(value) => Some(value.into()),
            Value::U64(value) => Some(value),
            Value::I8(value) => value.try_into().ok(),
            Value::I16(value) => value.try_into().ok(),
            Value::I32(value) => value.try_into().ok(),
            Value::I64(value) => value.try_into().ok(),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&Array> {
        if let Value::Array(array) = self { Some(array) } else { None }
    }

    /// The name of its type, such as `u32` or `string[]`.
    pub fn type_name(&self) -> String {
        match self {
            Value::Array(array) => format!("{}[]", array.element_name()),
            value => TYPE_NAMES[value.type_id() as usize].to_owned(),
        }
    }

    /// The number of its type in files.
    pub(super) fn type_id(&self) -> u32 {
        match self {
            Value::U8(_) => 0,
            Value::I8(_) => 1,
            Value::U16(_) => 2,
            Value::I16(_) => 3,
            Value::U32(_) => 4,
            Value::I32(_) => 5,
            Value::F32(_) => 6,
            Value::Bool(_) => 7,
            Value::String(_) => 8,
            Value::Array(_) => ARRAY,
            Value::U64(_) => 10,
            Value::I64(_) => 11,
            Value::F64(_) => 12,
        }
    }

    /// Reads a value of the type with the number `id`.
    pub(super) fn read(cursor: &mut Cursor<'_>, id: u32) -> Result<Value, Stop<ReadError>> {
        Ok(match id {
            0 => Value::U8(cursor.number(u8::from_le_bytes)?),
            1 => Value::I8(cursor.number(i8::from_le_bytes)?),
            2 => Value::U16(cursor.number(u16::from_le_bytes)?),
            3 => Value::I16(cursor.number(i16::from_le_bytes)?),
            4 => Value::U32(cursor.number(u32::from_le_bytes)?),
            5 => Value::I32(cursor.number(i32::from_le_bytes)?),
            6 => Value::F32(cursor.number(f32::from_le_bytes)?),
            7 => Value::Bool(cursor.boolean()?),
            8 => Value::String(cursor.text(usize::MAX)?),
            ARRAY => Value::Array(Array::read(cursor, 1)?),
            10 => Value::U64(cursor.number(u64::from_le_bytes)?),
            11 => Value::I64(cursor.number(i64::from_le_bytes)?),
            12 => Value::F64(cursor.number(f64::from_le_bytes)?),
            id => return Err(ReadError::ValueType { id }.into()),
        })
    }
}

/// Names of the types of values by their numbers.
const TYPE_NAMES: [&str; 13] =
    ["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"];

impl Array {
    /// The number of its elements.
    pub fn len(&self) -> usize {
        match self {
            Array::U8(all) => all.len(),
            Array::I8(all) => all.len(),
            Array::U16(all) => all.len(),
            Array::I16(all) => all.len(),
            Array::U32(all) => all.len(),
            Array::I32(all) => all.len(),
            Array::F32(all) => all.len(),
            Array::Bool(all) => all.len(),
            Array::String(all) => all.len(),
            Array::Array(all) => all.len(),
            Array::U64(all) => all.len(),
            Array::I64(all) => all.len(),
            Array::F64(all) => all.len(),
        }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`; `None` after the end.
    pub fn get(&self, index: usize) -> Option<Value> {
        Some(match self {
            Array::U8(all) => Value::U8(*all.get(index)?),
            Array::I8(all) => Value::I8(*all.get(index)?),
            Array::U16(all) => Value::U16(*all.get(index)?),
            Array::I16(all) => Value::I16(*all.get(index)?),
            Array::U32(all) => Value::U32(*all.get(index)?),
            Array::I32(all) => Value::I32(*all.get(index)?),
            Array::F32(all) => Value::F32(*all.get(index)?),
            Array::Bool(all) => Value::Bool(*all.get(index)?),
            Array::String(all) => Value::String(all.get(index)?.clone()),
            Array::Array(all) => Value::Array(all.get(index)?.clone()),
            Array::U64(all) => Value::U64(*all.get(index)?),
            Array::I64(all) => Value::I64(*all.get(index)?),
            Array::F64(all) => Value::F64(*all.get(index)?),
        })
    }

    /// The number of its elements' type in files.
    pub(super) fn element_id(&self) -> u32 {
        match self {
            Array::U8(_) => 0,
            Array::I8(_) => 1,
            Array::U16(_) => 2,
            Array::I16(_) => 3,
            Array::U32(_) => 4,
            Array::I32(_) => 5,
            Array::F32(_) => 6,
            Array::Bool(_) => 7,
            Array::String(_) => 8,
            Array::Array(_) => ARRAY,
            Array::U64(_) => 10,
            Array::I64(_) => 11,
            Array::F64(_) => 12,
        }
    }

    /// The name of its elements' type.
    pub fn element_name(&self) -> &'static str {
        TYPE_NAMES[self.element_id() as usize]
    }

    /// The number of arrays inside each other, itself included.
    pub(super) fn depth(&self) -> usize {
        match self {
            Array::Array(all) => 1 + all.iter().map(Array::depth).max().unwrap_or(0),
            _ => 1,
        }
    }

    fn read(cursor: &mut Cursor<'_>, depth: usize) -> Result<Array, Stop<ReadError>> {
        if depth > MAX_DEPTH {
            return Err(ReadError::Depth.into());
        }
        let id = cursor.number(u32::from_le_bytes)?;
        let count = cursor.number(u64::from_le_bytes)?;
        Ok(match id {
            0 => Array::U8(cursor.numbers(count, u8::from_le_bytes)?),
            1 => Array::I8(cursor.numbers(count, i8::from_le_bytes)?),
            2 => Array::U16(cursor.numbers(count, u16::from_le_bytes)?),
            3 => Array::I16(cursor.numbers(count, i16::from_le_bytes)?),
            4 => Array::U32(cursor.numbers(count, u32::from_le_bytes)?),
            5 => Array::I32(cursor.numbers(count, i32::from_le_bytes)?),
            6 => Array::F32(cursor.numbers(count, f32::from_le_bytes)?),
            7 => Array::Bool(cursor.each(count, 1, Cursor::boolean)?),
            // The length of a text, or the type and length of an array, come first.
            8 => Array::String(cursor.each(count, 8, |cursor| cursor.text(usize::MAX))?),
            ARRAY => Array::Array(cursor.each(count, 12, |cursor| Array::read(cursor, depth + 1))?),
            10 => Array::U64(cursor.numbers(count, u64::from_le_bytes)?),
            11 => Array::I64(cursor.numbers(count, i64::from_le_bytes)?),
            12 => Array::F64(cursor.numbers(count, f64::from_le_bytes)?),
            id => return Err(ReadError::ValueType { id }.into()),
        })
    }
}
