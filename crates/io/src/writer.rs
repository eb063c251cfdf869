//! Writing safetensors files.

use crate::{
    Error, Result,
    checksum::{self, Checksum},
    element_type,
    format::{AXES_KEY, BLOCKS_KEY, MAX_HEADER, file_size, is_packed},
};
use hloom_files::AtomicFile;
use hloom_graph::{DType, Shape};
use safetensors::tensor::{Metadata, TensorInfo};
use serde::Serialize;
use serde_json::json;
use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

/// Tensor data begins at a multiple of this in a file, and in memory when the file is mapped: the
/// alignment that the CPU plugin needs to use memory without a copy.
pub const ALIGNMENT: usize = 64;

/// Collects tensors and writes them to a safetensors file that any reader of the format can read.
///
/// The format leaves no room between tensors, so the header is padded with spaces until the first
/// one is aligned, and tensors that take a multiple of 64 bytes come first: all of them, and the
/// first of the rest, are aligned. Axis names are kept in the header's metadata, and so are the
/// kinds of quantised blocks, whose rows are rows of bytes to other readers.
///
/// ```
/// use hloom_graph::{DType, Shape};
/// use hloom_io::{Checkpoint, Writer};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("model.safetensors");
/// let shape = Shape::new(DType::U8, [("out", 2), ("in", 3)])?;
/// let mut writer = Writer::new();
/// writer.tensor("fc1.weight", shape, &[1, 2, 3, 4, 5, 6][..])?;
/// writer.metadata("license", "CC0-1.0");
/// writer.save(&path)?;
/// assert_eq!(Checkpoint::open(&path)?.at("fc1").tensor("weight")?.shape(), shape);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Writer<'a> {
    tensors: BTreeMap<String, Content<'a>>,
    metadata: BTreeMap<String, String>,
    has_checksum: bool,
}

/// A tensor's shape and its bytes in the file's form.
type Content<'a> = (Shape, Cow<'a, [u8]>);

/// A header to be written. It holds the text entries itself, since the hash table of [`Metadata`]
/// would write them in another order in each process.
#[derive(Serialize)]
struct Header {
    #[serde(rename = "__metadata__", skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: Metadata,
}

impl<'a> Writer<'a> {
    /// A file without tensors.
    pub fn new() -> Writer<'a> {
        Writer::default()
    }

    /// Adds a tensor. `bytes` are its elements in row-major order, in the host's form:
    /// little-endian, each in its own bytes (four-bit ones too, which are packed here), or rows of
    /// whole blocks.
    ///
    /// # Errors
    /// The name is taken or reserved, the format has no such element type, or the number of bytes
    /// does not match the shape.
    pub fn tensor(
        &mut self,
        name: &str,
        shape: Shape,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<&mut Writer<'a>> {
        let refused = |message: String| Error::Tensor { name: name.to_owned(), message };
        let mut bytes = bytes.into();
        if name == "__metadata__" {
            return Err(refused("the format reserves this name".to_owned()));
        }
        if self.tensors.contains_key(name) {
            return Err(refused("duplicate name".to_owned()));
        }
        if shape.dtype().block().is_none() && element_type::in_file(shape.dtype()).is_none() {
            return Err(refused(format!(
                "safetensors files have no element type {}",
                shape.dtype()
            )));
        }
        if bytes.len() != shape.byte_size() {
            let (expected, found) = (shape.byte_size(), bytes.len());
            return Err(refused(format!("{shape} takes {expected} bytes, and {found} are given")));
        }
        let size = match shape.dtype() {
            DType::Block(_) => shape.byte_size(),
            _ => file_size(&shape).map_err(|error| refused(error.to_string()))?,
        };
        if is_packed(shape.dtype()) {
            let packed = bytes.chunks_exact(2).map(|pair| pair[0] & 0xf | pair[1] << 4);
            bytes = packed.collect::<Vec<u8>>().into();
        }
        debug_assert_eq!(bytes.len(), size, "the file's size of {shape}");
        self.tensors.insert(name.to_owned(), (shape, bytes));
        Ok(self)
    }

    /// Adds a text entry to the header.
    pub fn metadata(&mut self, key: &str, text: &str) -> &mut Writer<'a> {
        self.metadata.insert(key.to_owned(), text.to_owned());
        self
    }

    /// Adds a checksum of all tensors and text entries to the header when the file is written:
    /// [`Checkpoint::verify`](crate::Checkpoint::verify) compares it.
    pub fn checksum(&mut self) -> &mut Writer<'a> {
        self.has_checksum = true;
        self
    }

    /// Writes the file. It appears under its name when it is complete and stored; a file of that
    /// name is replaced, and existing mappings keep the old one. A symbolic link stays and its
    /// target is replaced; a file that is not regular, such as a pipe or a device, is written into.
    /// Files that killed processes left while they wrote in the same folder are removed.
    ///
    /// # Errors
    /// The file cannot be written, or its header is longer than the format allows. The previous
    /// file is then unchanged, and no part of the new file is left.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        self.write_to(path).map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(&mut file)?;
        file.commit()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut order: Vec<_> = self.tensors.iter().collect();
        let alignment = |bytes: usize| bytes.trailing_zeros().min(ALIGNMENT.trailing_zeros());
        order.sort_by_key(|(name, (_, bytes))| (Reverse(alignment(bytes.len())), *name));
        let header = self.header(&order)?;
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        for (_, (_, bytes)) in order {
            out.write_all(bytes)?;
        }
        Ok(())
    }

    fn sum(&self, metadata: &BTreeMap<String, String>) -> String {
        let mut sum = Checksum::of_entries(metadata);
        for (name, (shape, bytes)) in &self.tensors {
            sum.tensor(name, *shape, bytes.len());
            sum.bytes(bytes);
        }
        sum.text()
    }

    fn header(&self, order: &[(&String, &Content<'_>)]) -> io::Result<String> {
        let mut metadata = self.metadata.clone();
        let mut infos = Vec::with_capacity(order.len());
        let mut offset = 0;
        for (name, (shape, bytes)) in order {
            let mut sizes = shape.sizes().to_vec();
            let dtype = match shape.dtype() {
                DType::Block(kind) => {
                    if let Some(row) = sizes.last_mut() {
                        *row = kind.row_bytes(*row);
                    }
                    metadata.insert(format!("{BLOCKS_KEY}{name}"), kind.name().to_owned());
                    safetensors::Dtype::U8
                }
                dtype => element_type::in_file(dtype).expect("checked when it was added"),
            };
            let data_offsets = (offset, offset + bytes.len());
            offset = data_offsets.1;
            let info = TensorInfo { dtype, shape: sizes, data_offsets };
            infos.push(((*name).clone(), info));
            if shape.names().iter().any(Option::is_some) {
                let names: Vec<Option<&str>> =
                    shape.names().iter().map(|name| name.map(|name| name.as_str())).collect();
                metadata.insert(format!("{AXES_KEY}{name}"), json!(names).to_string());
            }
        }
        if self.has_checksum {
            metadata.insert(checksum::KEY.to_owned(), self.sum(&metadata));
        }
        let tensors = Metadata::new(None, infos).map_err(io::Error::other)?;
        let mut header = serde_json::to_string(&Header { metadata, tensors })?;
        let length = (header.len() + 8).next_multiple_of(ALIGNMENT) - 8;
        if length as u64 > MAX_HEADER {
            let message = format!(
                "a header of {length} bytes is longer than the {MAX_HEADER} that the format allows"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        header.extend(std::iter::repeat_n(' ', length - header.len()));
        Ok(header)
    }
}
