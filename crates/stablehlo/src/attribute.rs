//! Attributes of ops.

use crate::types::Type;
use hloom_graph::{DType, Shape};
use smallvec::SmallVec;
use std::borrow::Cow;

/// A number that converts to every type of its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// For integers, as their bits; 0 and 1 for every type.
    Int(i64),
    /// For floats, rounded to their type; for complex numbers, the real part.
    Float(f64),
}

/// An attribute of an op: the subset of MLIR's attributes that lowering uses.
#[derive(Clone, Debug)]
pub(crate) enum Attribute<'a> {
    /// The unit attribute, whose presence is its value.
    Unit,
    /// A boolean.
    Bool(bool),
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// A string of any characters.
    String(Cow<'a, str>),
    /// An `array<i64: ..>`.
    I64s(SmallVec<[i64; 8]>),
    /// A splat: a tensor filled with one number.
    Number(Type, Number),
    /// A tensor of elements in host layout: all of them, or one for a splat.
    Elements(Type, Cow<'a, [u8]>),
    /// A list.
    Array(Vec<Attribute<'a>>),
    /// Attributes by name.
    Dictionary(Vec<(Cow<'a, str>, Attribute<'a>)>),
    /// The type of a function.
    Function { inputs: Vec<Type>, results: Vec<Type> },
    /// Any other attribute, in MLIR's syntax.
    Text(Cow<'a, str>),
}

impl<'a> Attribute<'a> {
    /// A 64-bit integer, such as an axis.
    pub fn i64(value: usize) -> Attribute<'a> {
        Attribute::I64(value as i64)
    }

    /// A 32-bit integer.
    pub fn i32(value: u32) -> Attribute<'a> {
        Attribute::I32(value as i32)
    }

    /// A string.
    pub fn string(text: impl Into<Cow<'a, str>>) -> Attribute<'a> {
        Attribute::String(text.into())
    }

    /// An attribute in MLIR's syntax.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Attribute<'a> {
        Attribute::Text(text.into())
    }

    /// A list of axes or sizes.
    pub fn i64s(values: &[usize]) -> Attribute<'a> {
        Attribute::I64s(values.iter().map(|&value| value as i64).collect())
    }

    /// A list of signed numbers.
    pub fn signed_i64s(values: &[isize]) -> Attribute<'a> {
        Attribute::I64s(values.iter().map(|&value| value as i64).collect())
    }

    /// A two-column table.
    pub fn pairs(pairs: &[(usize, usize)]) -> Attribute<'a> {
        Attribute::rows([pairs.len(), 2], pairs.iter().flat_map(|&(a, b)| [a as i64, b as i64]))
    }

    /// A two-column table of signed numbers.
    pub fn signed_pairs(pairs: &[(isize, isize)]) -> Attribute<'a> {
        Attribute::rows([pairs.len(), 2], pairs.iter().flat_map(|&(a, b)| [a as i64, b as i64]))
    }

    /// A table of rows of equal length.
    pub fn table(rows: &[Vec<usize>]) -> Attribute<'a> {
        let sizes = [rows.len(), rows.first().map_or(0, Vec::len)];
        Attribute::rows(sizes, rows.iter().flatten().map(|&value| value as i64))
    }

    fn rows(sizes: [usize; 2], values: impl Iterator<Item = i64>) -> Attribute<'a> {
        let bytes: Vec<u8> = values.flat_map(i64::to_ne_bytes).collect();
        Attribute::Elements(Type::new(DType::I64, &sizes), bytes.into())
    }

    /// The elements of a constant, from host bytes: all of them, or one for a splat.
    pub fn elements(shape: &Shape, bytes: &'a [u8]) -> Attribute<'a> {
        Attribute::Elements(shape.into(), bytes.into())
    }

    /// The value of a scalar constant.
    pub fn number(dtype: DType, number: Number) -> Attribute<'a> {
        Attribute::Number(Type::scalar(dtype), number)
    }
}
