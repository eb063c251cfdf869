//! The header of a GGUF file.

use super::{
    GgufError, MAX_KEY, ReadError, TensorEntry, Value,
    cursor::{Cursor, Stop},
    tensor_table::{self, Description},
};
use hloom_files::binary_kind;
use std::collections::{BTreeMap, btree_map::Entry};

/// The alignment of tensors in files without the key `general.alignment`, in bytes.
pub const DEFAULT_ALIGNMENT: usize = 32;

/// The limit on the length of a header, in bytes. Headers of models with large vocabularies take
/// tens of megabytes.
pub const MAX_HEADER: usize = 256 << 20;

/// The key of the alignment of tensors.
pub(super) const ALIGNMENT_KEY: &str = "general.alignment";

/// The first bytes of a file.
pub(super) const MAGIC: &[u8; 4] = b"GGUF";

/// The minimum size of a metadata entry in bytes: the key's length, the type and a value.
const MIN_ENTRY: usize = 8 + 4 + 1;

/// The contents of a file's header.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The version of the format, 2 or 3.
    pub version: u32,
    /// The alignment of tensors, in bytes.
    pub alignment: usize,
    /// The metadata by key.
    pub metadata: BTreeMap<String, Value>,
    /// The tensors by name.
    pub tensors: BTreeMap<String, TensorEntry>,
}

/// Reads the header of a file.
///
/// # Errors
/// The rule of the format that the file breaks.
pub fn parse(file: &[u8]) -> Result<Header, GgufError> {
    parse_prefix(file, file.len()).map_err(|stop| match stop {
        Stop::Broken(error) => error,
        // A prefix that is the whole file is never too short without another error.
        Stop::More => GgufError::HeaderTooLong,
    })
}

/// Reads the header of a file of `file_size` bytes from the first of them.
pub(super) fn parse_prefix(prefix: &[u8], file_size: usize) -> Result<Header, Stop<GgufError>> {
    let mut cursor = Cursor::new(prefix, file_size);
    let version = version(&mut cursor, prefix)?;
    let start = |stop: Stop<ReadError>| stop.map(|error| read_error("the start", error));
    let tensor_count = cursor.number(u64::from_le_bytes).map_err(start)?;
    let key_count = cursor.number(u64::from_le_bytes).map_err(start)?;
    let metadata = metadata(&mut cursor, key_count)?;
    let alignment = alignment(&metadata)?;
    let descriptions = descriptions(&mut cursor, tensor_count)?;
    let tensors = tensor_table::check(descriptions, cursor.position(), alignment, file_size)
        .map_err(|(name, error)| GgufError::Tensor { name, error })?;
    Ok(Header { version, alignment, metadata, tensors })
}

fn read_error(place: impl Into<String>, error: ReadError) -> GgufError {
    GgufError::Read { place: place.into(), error }
}

fn version(cursor: &mut Cursor<'_>, prefix: &[u8]) -> Result<u32, Stop<GgufError>> {
    if !prefix.starts_with(MAGIC) {
        let other = binary_kind(prefix).map(|kind| GgufError::Other { kind });
        return Err(other.unwrap_or(GgufError::Magic).into());
    }
    let start = |stop: Stop<ReadError>| stop.map(|error| read_error("the start", error));
    cursor.number(u32::from_le_bytes).map_err(start)?;
    match cursor.number(u32::from_le_bytes).map_err(start)? {
        version @ 2..=3 => Ok(version),
        // The other order moves a small number into the upper half.
        version if version & 0xffff == 0 && version != 0 => {
            Err(GgufError::BigEndian { version: version.swap_bytes() }.into())
        }
        version => Err(GgufError::Version { version }.into()),
    }
}

fn metadata(
    cursor: &mut Cursor<'_>,
    count: u64,
) -> Result<BTreeMap<String, Value>, Stop<GgufError>> {
    let all = |stop: Stop<ReadError>| stop.map(|error| read_error("the metadata", error));
    let count = cursor.count(count, MIN_ENTRY).map_err(all)?;
    let mut metadata = BTreeMap::new();
    for index in 0..count {
        let key = cursor.text(MAX_KEY).map_err(|stop| {
            stop.map(|error| read_error(format!("metadata key {} of {count}", index + 1), error))
        })?;
        let value = cursor.number(u32::from_le_bytes).and_then(|id| Value::read(cursor, id));
        let value = value.map_err(|stop| {
            stop.map(|error| read_error(format!("metadata key `{}`", key.escape_debug()), error))
        })?;
        match metadata.entry(key) {
            Entry::Vacant(entry) => entry.insert(value),
            Entry::Occupied(entry) => {
                return Err(GgufError::DuplicateKey { key: entry.key().clone() }.into());
            }
        };
    }
    Ok(metadata)
}

fn alignment(metadata: &BTreeMap<String, Value>) -> Result<usize, GgufError> {
    match metadata.get(ALIGNMENT_KEY) {
        None => Ok(DEFAULT_ALIGNMENT),
        Some(Value::U32(alignment)) if is_alignment(*alignment) => Ok(*alignment as usize),
        Some(Value::U32(found)) => Err(GgufError::Alignment { found: found.to_string() }),
        Some(other) => Err(GgufError::Alignment { found: other.type_name() }),
    }
}

/// Whether the format allows this alignment.
pub(super) fn is_alignment(value: u32) -> bool {
    value >= 8 && value.is_power_of_two()
}

fn descriptions(
    cursor: &mut Cursor<'_>,
    count: u64,
) -> Result<Vec<(String, Description)>, Stop<GgufError>> {
    let all = |stop: Stop<ReadError>| stop.map(|error| read_error("the tensors", error));
    let count = cursor.count(count, tensor_table::MIN_DESCRIPTION).map_err(all)?;
    let mut descriptions = Vec::new();
    for index in 0..count {
        let name = cursor.text(MAX_KEY).map_err(|stop| {
            stop.map(|error| read_error(format!("tensor {} of {count}", index + 1), error))
        })?;
        match Description::read(cursor) {
            Ok(description) => descriptions.push((name, description)),
            Err(stop) => return Err(stop.map(|error| GgufError::Tensor { name, error })),
        }
    }
    Ok(descriptions)
}
