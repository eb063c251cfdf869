//! The JSON of a header, parsed with an error for duplicate names: the crate `safetensors` keeps
//! the last tensor of a name.

use safetensors::{
    SafeTensorError,
    tensor::{Dtype, TensorInfo},
};
use serde::{
    Deserialize, Deserializer,
    de::{
        Error as _, MapAccess, Visitor,
        value::{Error as ValueError, StrDeserializer},
    },
};
use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    fmt,
};

/// A tensor's entry: a [`TensorInfo`] whose element type may be unknown, so that the error can name
/// it and the tensor.
#[derive(Deserialize)]
pub struct RawEntry {
    /// The name of the element type.
    pub dtype: String,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The start and end of its bytes, as offsets from the first tensor's first byte.
    pub data_offsets: (usize, usize),
}

impl RawEntry {
    /// The element type, if `safetensors` knows it.
    pub fn dtype(&self) -> Option<Dtype> {
        Dtype::deserialize(StrDeserializer::<ValueError>::new(&self.dtype)).ok()
    }

    /// The entry in the type of `safetensors`.
    ///
    /// # Errors
    /// An element type that `safetensors` does not know.
    pub fn info(&self) -> Result<TensorInfo, SafeTensorError> {
        let dtype = self.dtype().ok_or(SafeTensorError::TensorInvalidInfo)?;
        Ok(TensorInfo { dtype, shape: self.shape.clone(), data_offsets: self.data_offsets })
    }
}

/// A header.
pub struct RawHeader {
    /// The tensors by name.
    pub tensors: HashMap<String, RawEntry>,
    /// The text entries.
    pub metadata: BTreeMap<String, String>,
}

impl<'de> Deserialize<'de> for RawHeader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawHeader, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = RawHeader;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawHeader, A::Error> {
                let mut tensors = HashMap::new();
                let mut metadata = None;
                while let Some(name) = map.next_key::<String>()? {
                    let twice = |name: &str| {
                        A::Error::custom(format!("duplicate name `{}`", name.escape_debug()))
                    };
                    if name == "__metadata__" {
                        // Some writers write null for no entries.
                        let entries = map.next_value::<Option<UniqueMap>>()?.unwrap_or_default();
                        if metadata.replace(entries).is_some() {
                            return Err(twice(&name));
                        }
                        continue;
                    }
                    let entry = map.next_value()?;
                    if tensors.contains_key(&name) {
                        return Err(twice(&name));
                    }
                    tensors.insert(name, entry);
                }
                Ok(RawHeader { tensors, metadata: metadata.unwrap_or_default().0 })
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Text by name; duplicate names are an error.
#[derive(Default)]
pub struct UniqueMap(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for UniqueMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueMap, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = UniqueMap;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of text by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueMap, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((name, text)) = map.next_entry::<String, String>()? {
                    match texts.entry(name) {
                        Entry::Vacant(entry) => entry.insert(text),
                        Entry::Occupied(entry) => {
                            let name = entry.key().escape_debug();
                            return Err(A::Error::custom(format!("duplicate name `{name}`")));
                        }
                    };
                }
                Ok(UniqueMap(texts))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
