//! Values of the metadata by key, of the type that the format gives them.

use crate::{Error, Result, config_fields};
use hloom_io::gguf::{Array, Value};
use std::{collections::BTreeMap, fmt::Display, path::Path};

/// The metadata of a file.
#[derive(Clone, Copy)]
pub(super) struct Metadata<'a> {
    values: &'a BTreeMap<String, Value>,
    path: &'a Path,
}

impl<'a> Metadata<'a> {
    /// The metadata of the file at `path`, which errors name.
    pub fn new(values: &'a BTreeMap<String, Value>, path: &'a Path) -> Metadata<'a> {
        Metadata { values, path }
    }

    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.values.get(key)
    }

    /// A string.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.typed(key, "a string", Value::as_str)
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.typed(key, "a bool", |value| match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// An array of strings.
    pub fn texts(&self, key: &str) -> Result<Option<&'a [String]>> {
        self.typed(key, "an array of strings", |value| match value {
            Value::Array(Array::String(all)) => Some(all.as_slice()),
            _ => None,
        })
    }

    /// The id of one of `count` tokens.
    pub fn id(&self, key: &str, count: usize) -> Result<Option<u32>> {
        let Some(id) = self.typed(key, "an id of a token", Value::as_u64)? else {
            return Ok(None);
        };
        match u32::try_from(id) {
            Ok(id) if (id as usize) < count => Ok(Some(id)),
            _ => Err(self
                .error(format!("`{key}` is {id}; expected the id of one of the {count} tokens"))),
        }
    }

    /// A value that `read` finds to be `expected`; `None` if it is missing.
    pub fn typed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.error(format!("`{key}` is {}; expected {expected}", found(value)))),
        }
    }

    /// The error of a key that a tokenizer needs.
    pub fn missing(&self, key: &str, expected: impl Display) -> Error {
        self.error(format!("there is no `{key}`; expected {expected}"))
    }

    pub fn error(&self, message: String) -> Error {
        Error::Tokenizer { path: self.path.to_owned(), message }
    }
}

/// A text as messages show it.
pub(super) fn quoted(text: &str) -> String {
    config_fields::shown(&serde_json::Value::from(text))
}

/// The type of a value, with a short value itself.
fn found(value: &Value) -> String {
    let shown = match value {
        Value::Array(all) => return format!("{} of {}", value.type_name(), all.len()),
        Value::String(text) => return format!("the string {}", quoted(text)),
        Value::Bool(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::I8(value) => value.to_string(),
        Value::I16(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        value => value.as_u64().unwrap_or_default().to_string(),
    };
    format!("{} {shown}", value.type_name())
}
