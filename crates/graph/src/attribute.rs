//! Attributes of custom calls and composites.

use crate::{DType, Element, Literal, Scalar, Shape};
use std::{collections::BTreeMap, fmt};

/// The value of an attribute.
///
/// Converts from numbers, strings, [`Attributes`], and arrays, slices and vectors of numbers. The
/// XLA FFI has no complex numbers and no `f16`, and no arrays of `bool` and `bf16`: a call with
/// those is an error of the trace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attribute {
    /// A number or truth value.
    Scalar(Scalar),
    /// Numbers or truth values, without a shape.
    Array(Literal),
    /// A string.
    String(String),
    /// A nested dictionary.
    Dictionary(Attributes),
}

/// Attributes by name, sorted by name.
///
/// ```
/// use hloom_graph::Attributes;
///
/// let attributes = Attributes::new()
///     .with("epsilon", 1e-5f32)
///     .with("window", [3i64, 3])
///     .with("mode", "nearest")
///     .with("nested", Attributes::new().with("deep", true));
/// assert_eq!(
///     attributes.to_string(),
///     r#"{epsilon = 1e-5, mode = "nearest", nested = {deep = true}, window = [3, 3]}"#
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attributes(BTreeMap<String, Attribute>);

impl Attribute {
    /// The kind of value inside that the XLA FFI cannot pass as an attribute, if there is one.
    pub(crate) fn foreign(&self) -> Option<String> {
        use DType::{BF16, Bool, F16};
        match self {
            Attribute::Scalar(scalar) => {
                let dtype = scalar.dtype();
                (dtype.is_complex() || dtype == F16).then(|| format!("a scalar of {dtype}"))
            }
            Attribute::Array(literal) => {
                let dtype = literal.shape().dtype();
                (dtype.is_complex() || matches!(dtype, F16 | BF16 | Bool))
                    .then(|| format!("an array of {dtype}"))
            }
            Attribute::String(_) => None,
            Attribute::Dictionary(attributes) => attributes.foreign().map(|(_, what)| what),
        }
    }
}

impl Attributes {
    /// No attributes.
    pub fn new() -> Attributes {
        Attributes::default()
    }

    /// Adds an attribute; replaces one of the same name.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Attributes {
        self.insert(name, value);
        self
    }

    /// Adds an attribute; replaces one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Attribute>) {
        self.0.insert(name.into(), value.into());
    }

    /// The first attribute that the XLA FFI cannot pass, and the kind of its value.
    pub(crate) fn foreign(&self) -> Option<(&str, String)> {
        self.iter().find_map(|(name, value)| Some((name, value.foreign()?)))
    }

    /// The attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.get(name)
    }

    /// The number called `name`, if it exists and is of type `T`.
    pub fn scalar<T: Element>(&self, name: &str) -> Option<T> {
        match self.get(name)? {
            Attribute::Scalar(scalar) if scalar.dtype() == T::DTYPE => {
                T::from_bytes(scalar.bytes()).first().copied()
            }
            _ => None,
        }
    }

    /// The array called `name`, if it exists and its elements are of type `T`.
    pub fn array<T: Element>(&self, name: &str) -> Option<Vec<T>> {
        match self.get(name)? {
            Attribute::Array(literal) if literal.shape().dtype() == T::DTYPE => {
                Some(T::from_bytes(literal.bytes()))
            }
            _ => None,
        }
    }

    /// The string called `name`, if it exists.
    pub fn string(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Attribute::String(text) => Some(text),
            _ => None,
        }
    }

    /// The dictionary called `name`, if it exists.
    pub fn dictionary(&self, name: &str) -> Option<&Attributes> {
        match self.get(name)? {
            Attribute::Dictionary(attributes) => Some(attributes),
            _ => None,
        }
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Element> From<T> for Attribute {
    fn from(value: T) -> Attribute {
        Attribute::Scalar(Scalar::new(value))
    }
}

impl<T: Element> From<&[T]> for Attribute {
    fn from(values: &[T]) -> Attribute {
        let shape =
            Shape::new(T::DTYPE, [values.len()]).expect("a slice is not larger than memory");
        Attribute::Array(Literal::new(values, shape).expect("the shape was made for the values"))
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Attribute {
    fn from(values: [T; N]) -> Attribute {
        values.as_slice().into()
    }
}

impl<T: Element> From<Vec<T>> for Attribute {
    fn from(values: Vec<T>) -> Attribute {
        values.as_slice().into()
    }
}

impl From<&str> for Attribute {
    fn from(value: &str) -> Attribute {
        Attribute::String(value.into())
    }
}

impl From<String> for Attribute {
    fn from(value: String) -> Attribute {
        Attribute::String(value)
    }
}

impl From<Attributes> for Attribute {
    fn from(value: Attributes) -> Attribute {
        Attribute::Dictionary(value)
    }
}

impl<N: Into<String>, V: Into<Attribute>> FromIterator<(N, V)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Attributes {
        // Inserting one by one: `collect` would compile a sort for each type of iterator.
        let mut all = Attributes::new();
        attributes.into_iter().for_each(|(name, value)| all.insert(name, value));
        all
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Scalar(scalar) => write!(f, "{scalar}"),
            Attribute::Array(literal) => write!(f, "{literal}"),
            Attribute::String(text) => write!(f, "{text:?}"),
            Attribute::Dictionary(attributes) => write!(f, "{attributes}"),
        }
    }
}

impl fmt::Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (position, (name, value)) in self.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{name} = {value}")?;
        }
        f.write_str("}")
    }
}
