//! The metadata of a GGUF file as fields of a `config.json`.

use crate::{
    Error, Result,
    config_fields::{self, ConfigFields},
};
use hloom_io::gguf::Value;
use serde_json::{Map, Value as Json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The metadata below a prefix, such as an architecture, translated into the fields of a JSON file
/// one key at a time. Keys that are not read become fields under their own names, which no reader
/// of fields knows.
pub(crate) struct Metadata<'a> {
    path: &'a Path,
    prefix: &'a str,
    values: &'a BTreeMap<String, Value>,
    /// The fields so far.
    pub fields: Map<String, Json>,
    read: BTreeSet<String>,
}

impl<'a> Metadata<'a> {
    /// The metadata of a file below a prefix; errors name `path`.
    pub fn new(values: &'a BTreeMap<String, Value>, prefix: &'a str, path: &'a Path) -> Self {
        Metadata { path, prefix, values, fields: Map::new(), read: BTreeSet::new() }
    }

    /// The metadata of the architecture of a model's file.
    ///
    /// # Errors
    /// It has no architecture, or is not the metadata of a model.
    pub fn of_model(values: &'a BTreeMap<String, Value>, path: &'a Path) -> Result<Self> {
        let general = Metadata::new(values, "general", path);
        for (name, expected) in [("type", "expected \"model\""), ("architecture", "expected text")]
        {
            let fits = match general.peek(name) {
                None => name == "type",
                Some(Value::String(text)) => name != "type" || text == "model",
                Some(_) => false,
            };
            if !fits {
                return Err(general.unfit(name, expected));
            }
        }
        let architecture = general.peek("architecture").and_then(Value::as_str).unwrap_or("");
        Ok(Metadata::new(values, architecture, path))
    }

    /// The prefix, without the dot that follows it in keys.
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// The whole key of a name below the prefix.
    pub fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.prefix)
    }

    /// An error in this file.
    pub fn error(&self, message: String) -> Error {
        Error::Config { path: self.path.to_owned(), message }
    }

    /// An error in the value of a name.
    pub fn unfit(&self, name: &str, expected: &str) -> Error {
        let key = self.key(name);
        match self.values.get(&key).map(json) {
            Some(found) => {
                self.error(format!("`{key}` is {}; {expected}", config_fields::shown(&found)))
            }
            None => self.error(format!("`{key}` is missing; {expected}")),
        }
    }

    /// The value of a name, if the file has it.
    pub fn get(&mut self, name: &str) -> Option<&'a Value> {
        let key = self.key(name);
        let value = self.values.get(&key);
        self.read.insert(key);
        value
    }

    /// As [`get`](Self::get), for a key that is read elsewhere.
    pub fn peek(&self, name: &str) -> Option<&'a Value> {
        self.values.get(&self.key(name))
    }

    /// The number of a name, if the file has it.
    ///
    /// # Errors
    /// The value is not a number.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>> {
        let value = self.get(name).map(json);
        match value.as_ref().map(Json::as_f64) {
            Some(None) => Err(self.unfit(name, "expected a number")),
            number => Ok(number.flatten()),
        }
    }

    /// Copies a value to a field, if the file has it; returns whether it has.
    pub fn copy(&mut self, name: &str, field: &str) -> bool {
        let value = self.get(name).map(json);
        let found = value.is_some();
        self.fields.extend(value.map(|value| (field.to_owned(), value)));
        found
    }

    /// As [`copy`](Self::copy), for a value or an array with a value for each layer.
    ///
    /// # Errors
    /// The layers' values differ.
    pub fn copy_of_layers(&mut self, name: &str, field: &str) -> Result<bool> {
        let Some(Value::Array(each)) = self.get(name) else { return Ok(self.copy(name, field)) };
        let Some(first) = each.get(0) else { return Err(self.unfit(name, "it is empty")) };
        if (1..each.len()).any(|layer| each.get(layer).as_ref() != Some(&first)) {
            return Err(self.unfit(name, "only one value for all layers is supported"));
        }
        self.fields.insert(field.to_owned(), json(&first));
        Ok(true)
    }

    /// Accepts any value of a name that does not affect the results.
    pub fn ignore(&mut self, names: &[&str]) {
        for name in names {
            self.get(name);
        }
    }

    /// Accepts a value without effect on the results: a number, truth value or text of `values`.
    pub fn neutral(&mut self, name: &str, values: &[Json]) {
        let key = self.key(name);
        let Some(found) = self.values.get(&key).map(json) else { return };
        let same = |value: &Json| {
            *value == found || (value.is_number() && value.as_f64() == found.as_f64())
        };
        if values.iter().any(same) {
            self.read.insert(key);
        }
    }

    /// The fields, with those of keys that were not read. `keys` are names of fields and the names
    /// of the metadata for them.
    pub fn finish(mut self, keys: &[(&str, &str)]) -> ConfigFields {
        let keys = keys.iter().map(|(field, name)| ((*field).to_owned(), self.key(name))).collect();
        let prefix = self.key("");
        for (key, value) in self.values.range(prefix.clone()..) {
            if !key.starts_with(&prefix) {
                break;
            }
            if !self.read.contains(key) {
                self.fields.insert(key.clone(), json(value));
            }
        }
        ConfigFields::translated(self.path, self.fields, keys)
    }
}

/// A value in JSON; numbers that JSON does not have, and arrays, in words.
fn json(value: &Value) -> Json {
    let number = |number: f64| {
        if number.is_finite() { Json::from(number) } else { Json::from(number.to_string()) }
    };
    match value {
        Value::Bool(value) => Json::from(*value),
        Value::String(text) => Json::from(text.as_str()),
        // The number with the fewest digits that rounds to it: the one in the configuration that
        // the file was made from.
        Value::F32(value) => number(value.to_string().parse().unwrap_or(f64::NAN)),
        Value::F64(value) => number(*value),
        Value::Array(array) if array.is_empty() => Json::Array(Vec::new()),
        Value::Array(array) => Json::from(format!("{} of {}", value.type_name(), array.len())),
        Value::I8(value) => Json::from(*value),
        Value::I16(value) => Json::from(*value),
        Value::I32(value) => Json::from(*value),
        Value::I64(value) => Json::from(*value),
        Value::U8(value) => Json::from(*value),
        Value::U16(value) => Json::from(*value),
        Value::U32(value) => Json::from(*value),
        Value::U64(value) => Json::from(*value),
    }
}
