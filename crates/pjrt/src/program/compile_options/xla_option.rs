//! Values of XLA's own options.

use crate::program::proto::OptionValue;
use std::fmt;

/// The value of an XLA option.
///
/// A string is parsed into whatever type the option has, booleans as `True` and `False`, lists
/// separated by commas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum XlaOption {
    /// Text, or any type as text.
    String(String),
    /// A boolean.
    Bool(bool),
    /// An integer, or the number of an enumeration's value.
    Int(i64),
    /// A float.
    Float(f64),
}

impl XlaOption {
    /// A value as text, whose type XLA knows; `true` and `false` are spelled as XLA spells them.
    pub fn parse(text: &str) -> XlaOption {
        XlaOption::String(match text {
            "true" => "True".into(),
            "false" => "False".into(),
            text => text.into(),
        })
    }
}

impl fmt::Display for XlaOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(value) => f.write_str(value),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
        }
    }
}

impl From<XlaOption> for OptionValue {
    fn from(value: XlaOption) -> Self {
        match value {
            XlaOption::String(value) => Self::String(value),
            XlaOption::Bool(value) => Self::Bool(value),
            XlaOption::Int(value) => Self::Int(value),
            // Float options given as doubles refuse zero and negative values; as text they do not.
            XlaOption::Float(value) if value <= 0.0 => Self::String(value.to_string()),
            XlaOption::Float(value) => Self::Double(value),
        }
    }
}

impl From<OptionValue> for XlaOption {
    fn from(value: OptionValue) -> Self {
        match value {
            OptionValue::String(value) => Self::String(value),
            OptionValue::Bool(value) => Self::Bool(value),
            OptionValue::Int(value) => Self::Int(value),
            OptionValue::Double(value) => Self::Float(value),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => {$(
        impl From<$ty> for XlaOption {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    &str => String, String => String, bool => Bool, i64 => Int, i32 => Int, f64 => Float,
    f32 => Float
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_that_the_plugin_refuses_go_as_text() {
        let value: OptionValue = XlaOption::Float(-0.5).into();
        assert_eq!(value, OptionValue::String("-0.5".into()));
    }
}
