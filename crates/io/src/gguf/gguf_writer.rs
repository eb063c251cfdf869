//! Writing GGUF files.

use super::{
    Array, DEFAULT_ALIGNMENT, GgufType, MAX_DEPTH, MAX_KEY, TensorError, Value,
    header::{ALIGNMENT_KEY, MAGIC, is_alignment},
    tensor_table::{MAX_RANK, byte_size},
};
use crate::{Error, Result};
use hloom_files::AtomicFile;
use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{self, Write},
    path::Path,
};

/// The version of the format that is written.
const VERSION: u32 = 3;

/// Collects metadata and tensors, and writes them to a GGUF file that any reader of the format can
/// read, in the order in which they were added.
#[derive(Default)]
pub struct GgufWriter<'a> {
    metadata: Vec<(String, Value)>,
    keys: BTreeSet<String>,
    tensors: Vec<Content<'a>>,
    names: BTreeSet<String>,
}

/// A tensor to be written.
struct Content<'a> {
    name: String,
    kind: GgufType,
    sizes: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> GgufWriter<'a> {
    /// A file without metadata and tensors.
    pub fn new() -> GgufWriter<'a> {
        GgufWriter::default()
    }

    /// Adds an entry to the metadata. `general.alignment` also sets the alignment of the tensors.
    ///
    /// # Errors
    /// The key is taken or too long, arrays are nested too deeply, or the alignment is not a power
    /// of two and a multiple of 8.
    pub fn metadata(&mut self, key: &str, value: Value) -> Result<&mut GgufWriter<'a>> {
        let depth = value.as_array().map_or(0, Array::depth);
        let problem = if self.keys.contains(key) {
            "duplicate key".to_owned()
        } else if key.len() > MAX_KEY {
            format!("it has {} bytes, expected at most {MAX_KEY}", key.len())
        } else if depth > MAX_DEPTH {
            format!("arrays are nested {depth} deep, expected at most {MAX_DEPTH}")
        } else if key == ALIGNMENT_KEY
            && !matches!(value, Value::U32(alignment) if is_alignment(alignment))
        {
            "expected a u32 that is a power of two and a multiple of 8".to_owned()
        } else {
            self.keys.insert(key.to_owned());
            self.metadata.push((key.to_owned(), value));
            return Ok(self);
        };
        Err(Error::GgufKey { key: key.to_owned(), message: problem })
    }

    /// Adds a tensor. `sizes` are in row-major order, and `bytes` are rows of blocks in the form of
    /// the file.
    ///
    /// # Errors
    /// The name is taken or too long, there are more than four axes, the last axis is not a
    /// multiple of the block, or the number of bytes does not match.
    pub fn tensor(
        &mut self,
        name: &str,
        kind: GgufType,
        sizes: &[usize],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<&mut GgufWriter<'a>> {
        let bytes = bytes.into();
        self.check(name, kind, sizes, bytes.len())
            .map_err(|error| Error::Tensor { name: name.to_owned(), message: error.to_string() })?;
        self.names.insert(name.to_owned());
        self.tensors.push(Content { name: name.to_owned(), kind, sizes: sizes.to_vec(), bytes });
        Ok(self)
    }

    fn check(
        &self,
        name: &str,
        kind: GgufType,
        sizes: &[usize],
        found: usize,
    ) -> Result<(), TensorError> {
        if self.names.contains(name) {
            return Err(TensorError::Duplicate);
        }
        if name.len() > MAX_KEY {
            return Err(TensorError::NameTooLong { length: name.len(), limit: MAX_KEY });
        }
        if sizes.len() > MAX_RANK {
            return Err(TensorError::Rank { found: sizes.len() as u64 });
        }
        let expected = byte_size(kind, sizes)?;
        if expected != found {
            return Err(TensorError::Size { sizes: sizes.to_vec(), kind, expected, found });
        }
        Ok(())
    }

    /// Writes the file. It appears under its name when it is complete and stored, as by
    /// [`Writer::save`](crate::Writer::save).
    ///
    /// # Errors
    /// The file cannot be written. The previous file is then unchanged.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        self.write_to(path).map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(&mut file)?;
        file.commit()
    }

    fn alignment(&self) -> usize {
        let entry = self.metadata.iter().find(|(key, _)| key == ALIGNMENT_KEY);
        entry.and_then(|(_, value)| value.as_u64()).map_or(DEFAULT_ALIGNMENT, |it| it as usize)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let alignment = self.alignment();
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend((self.tensors.len() as u64).to_le_bytes());
        header.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            text(&mut header, key);
            header.extend(value.type_id().to_le_bytes());
            self::value(&mut header, value);
        }
        let mut offset: u64 = 0;
        for tensor in &self.tensors {
            text(&mut header, &tensor.name);
            header.extend((tensor.sizes.len() as u32).to_le_bytes());
            for &size in tensor.sizes.iter().rev() {
                header.extend((size as u64).to_le_bytes());
            }
            header.extend(tensor.kind.id().to_le_bytes());
            header.extend(offset.to_le_bytes());
            offset += tensor.bytes.len().next_multiple_of(alignment) as u64;
        }
        // Readers expect the padding also after the last tensor.
        write_padded(out, &header, alignment)?;
        for tensor in &self.tensors {
            write_padded(out, &tensor.bytes, alignment)?;
        }
        Ok(())
    }
}

/// Writes bytes, and zeros up to a multiple of the alignment.
fn write_padded(out: &mut impl Write, bytes: &[u8], alignment: usize) -> io::Result<()> {
    out.write_all(bytes)?;
    let mut missing = bytes.len().next_multiple_of(alignment) - bytes.len();
    let zeros = [0; 4096];
    while missing > 0 {
        let count = missing.min(zeros.len());
        out.write_all(&zeros[..count])?;
        missing -= count;
    }
    Ok(())
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::U8(value) => out.push(*value),
        Value::I8(value) => out.extend(value.to_le_bytes()),
        Value::U16(value) => out.extend(value.to_le_bytes()),
        Value::I16(value) => out.extend(value.to_le_bytes()),
        Value::U32(value) => out.extend(value.to_le_bytes()),
        Value::I32(value) => out.extend(value.to_le_bytes()),
        Value::F32(value) => out.extend(value.to_le_bytes()),
        Value::Bool(value) => out.push((*value).into()),
        Value::String(value) => text(out, value),
        Value::Array(value) => array(out, value),
        Value::U64(value) => out.extend(value.to_le_bytes()),
        Value::I64(value) => out.extend(value.to_le_bytes()),
        Value::F64(value) => out.extend(value.to_le_bytes()),
    }
}

fn array(out: &mut Vec<u8>, array: &Array) {
    out.extend(array.element_id().to_le_bytes());
    out.extend((array.len() as u64).to_le_bytes());
    match array {
        Array::U8(all) => out.extend(all),
        Array::I8(all) => out.extend(all.iter().map(|value| value.cast_unsigned())),
        Array::U16(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::I16(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::U32(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::I32(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::F32(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::Bool(all) => out.extend(all.iter().map(|&value| u8::from(value))),
        Array::String(all) => all.iter().for_each(|value| text(out, value)),
        Array::Array(all) => all.iter().for_each(|value| self::array(out, value)),
        Array::U64(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::I64(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
        Array::F64(all) => out.extend(all.iter().flat_map(|value| value.to_le_bytes())),
    }
}
