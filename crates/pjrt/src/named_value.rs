//! Named values: the options of clients and topologies, and the attributes of plugins and devices.

use crate::sys;
use std::{collections::BTreeMap, fmt};

/// One of the five types of value that the C API passes by name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NamedValue {
    /// A string.
    String(String),
    /// A 64-bit integer.
    Int64(i64),
    /// A list of 64-bit integers.
    Int64List(Vec<i64>),
    /// A single-precision float.
    Float(f32),
    /// A boolean.
    Bool(bool),
}

/// Values by name, in the order of the names.
pub type NamedValues = BTreeMap<String, NamedValue>;

impl NamedValue {
    /// The name of the type in messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Int64(_) => "an integer",
            Self::Int64List(_) => "a list of integers",
            Self::Float(_) => "a float",
            Self::Bool(_) => "a boolean",
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int64(value) => Some(*value),
            _ => None,
        }
    }

    /// The list of integers, if it is one.
    pub fn as_i64_list(&self) -> Option<&[i64]> {
        match self {
            Self::Int64List(value) => Some(value),
            _ => None,
        }
    }

    /// The float, if it is one.
    pub fn as_f32(&self) -> Option<f32> {
        match self {
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl fmt::Display for NamedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(value) => f.write_str(value),
            Self::Int64(value) => write!(f, "{value}"),
            Self::Int64List(value) => write!(f, "{value:?}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => {$(
        impl From<$ty> for NamedValue {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    String => String, &str => String, i64 => Int64, i32 => Int64, u32 => Int64,
    Vec<i64> => Int64List, &[i64] => Int64List, f32 => Float, bool => Bool,
}

/// Named values in the form of the C API; borrows the names and values.
pub(crate) fn to_raw<'a, I>(values: I) -> Vec<sys::PJRT_NamedValue>
where
    I: IntoIterator<Item = (&'a String, &'a NamedValue)>,
{
    let raw = |(name, value): (&'a String, &'a NamedValue)| {
        // SAFETY: a structure of integers and pointers, for which zeros are valid.
        let mut raw: sys::PJRT_NamedValue = unsafe { std::mem::zeroed() };
        raw.struct_size = size_of::<sys::PJRT_NamedValue>();
        raw.name = name.as_ptr().cast();
        raw.name_size = name.len();
        raw.value_size = 1;
        let (type_, union) = match value {
            NamedValue::String(value) => {
                raw.value_size = value.len();
                let string_value = value.as_ptr().cast();
                (sys::PJRT_NamedValue_kString, Value { string_value })
            }
            NamedValue::Int64(value) => {
                (sys::PJRT_NamedValue_kInt64, Value { int64_value: *value })
            }
            NamedValue::Int64List(value) => {
                raw.value_size = value.len();
                let int64_array_value = value.as_ptr();
                (sys::PJRT_NamedValue_kInt64List, Value { int64_array_value })
            }
            NamedValue::Float(value) => {
                (sys::PJRT_NamedValue_kFloat, Value { float_value: *value })
            }
            NamedValue::Bool(value) => (sys::PJRT_NamedValue_kBool, Value { bool_value: *value }),
        };
        raw.type_ = type_;
        raw.__bindgen_anon_1 = union;
        raw
    };
    values.into_iter().map(raw).collect()
}

type Value = sys::PJRT_NamedValue__bindgen_ty_1;

/// Copies named values of the C API. Values of an unknown type are left out.
///
/// # Safety
/// `values` points to `len` valid values (it may be null when `len` is 0).
pub(crate) unsafe fn from_raw(values: *const sys::PJRT_NamedValue, len: usize) -> NamedValues {
    if values.is_null() {
        return NamedValues::new();
    }
    // SAFETY: by the contract of this function.
    let values = unsafe { std::slice::from_raw_parts(values, len) };
    let owned = values.iter().filter_map(|raw| {
        let union = &raw.__bindgen_anon_1;
        // SAFETY: the type determines which field of the union is set, and sizes belong to
        // pointers.
        let value = unsafe {
            match raw.type_ {
                sys::PJRT_NamedValue_kString => {
                    NamedValue::String(sys::string(union.string_value, raw.value_size))
                }
                sys::PJRT_NamedValue_kInt64 => NamedValue::Int64(union.int64_value),
                sys::PJRT_NamedValue_kInt64List => NamedValue::Int64List(
                    sys::slice(union.int64_array_value, raw.value_size).to_vec(),
                ),
                sys::PJRT_NamedValue_kFloat => NamedValue::Float(union.float_value),
                // Read as a byte: nothing promises that a foreign `bool` is 0 or 1.
                sys::PJRT_NamedValue_kBool => {
                    NamedValue::Bool(*std::ptr::from_ref(union).cast::<u8>() != 0)
                }
                _ => return None,
            }
        };
        // SAFETY: the name is `name_size` bytes long.
        Some((unsafe { sys::string(raw.name, raw.name_size) }, value))
    });
    owned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_makes_the_round_trip() {
        let values: NamedValues = [
            ("s", NamedValue::from("text")),
            ("empty", NamedValue::from("")),
            ("i", NamedValue::from(-7i64)),
            ("l", NamedValue::from(vec![1i64, 2, 3])),
            ("none", NamedValue::from(Vec::<i64>::new())),
            ("f", NamedValue::from(0.75f32)),
            ("b", NamedValue::from(true)),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .into();
        let raw = to_raw(&values);
        // SAFETY: `raw` borrows from `values`, which is alive.
        assert_eq!(unsafe { from_raw(raw.as_ptr(), raw.len()) }, values);
        // Scalars have size 1, lists and strings their length.
        let sizes: Vec<usize> = raw.iter().map(|r| r.value_size).collect();
        assert_eq!(sizes, [1, 0, 1, 1, 3, 0, 4]);
    }

    #[test]
    fn unknown_types_are_left_out_and_null_is_empty() {
        let values: NamedValues = [("a".to_owned(), NamedValue::from(1i64))].into();
        let mut raw = to_raw(&values);
        raw[0].type_ = 99;
        // SAFETY: as above; null with length 0 is allowed.
        unsafe {
            assert!(from_raw(raw.as_ptr(), 1).is_empty());
            assert!(from_raw(std::ptr::null(), 0).is_empty());
        }
    }

    #[test]
    fn accessors_tell_types_apart() {
        assert_eq!(NamedValue::from(3i64).as_i64(), Some(3));
        assert_eq!(NamedValue::from(3i64).as_str(), None);
        assert_eq!(NamedValue::from("x").as_str(), Some("x"));
        assert_eq!(NamedValue::from(true).as_bool(), Some(true));
        assert_eq!(NamedValue::from(1.5f32).as_f32(), Some(1.5));
        assert_eq!(NamedValue::from(vec![4i64]).as_i64_list(), Some(&[4i64][..]));
    }
}
