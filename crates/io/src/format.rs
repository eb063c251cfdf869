//! The safetensors format: eight bytes with the length of a JSON header, the header, the tensors'
//! bytes.
//!
//! All contents of a header are checked before any of them is used. The crate `safetensors` checks
//! element counts against overflow and offsets against each other and the file: no gaps, no
//! overlaps, no trailing bytes. This module adds checks and reports that the crate lacks: two
//! tensors of one name (the crate keeps the last one), the name of an invalid tensor and its
//! problem, and axis names in the metadata.

use crate::{
    element_type, fault,
    raw_header::{RawEntry, RawHeader},
};
use hloom_files::binary_kind;
use hloom_graph::{BlockKind, DType, Dims, Name, Shape, ShapeError};
use safetensors::{SafeTensorError, tensor::Metadata};
use std::{collections::BTreeMap, ops::Range};

/// The format's limit on the length of a header.
pub const MAX_HEADER: u64 = 100_000_000;

/// The keys of the header's entries for axis names: this prefix, then the tensor's name; the value
/// is a JSON list of names and nulls.
pub const AXES_KEY: &str = "hloom.axes.";

/// The keys of the header's entries for quantised blocks: this prefix, then the tensor's name; the
/// value is the name of a kind. The element type in the file is `U8`, of which each row has whole
/// blocks.
pub const BLOCKS_KEY: &str = "hloom.blocks.";

/// The contents of a file's header.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// The tensors by name.
    pub tensors: BTreeMap<String, TensorEntry>,
    /// The free text entries.
    pub metadata: BTreeMap<String, String>,
}

/// A tensor in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorEntry {
    /// Element type, sizes and, if the file was written with them, axis names.
    pub shape: Shape,
    /// The range of its bytes in the file.
    pub bytes: Range<usize>,
}

/// The rule of the format that a file breaks.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum FormatError {
    #[error("not a safetensors file: {length} bytes are too few for the header's length")]
    TooShort { length: usize },
    #[error(
        "not a safetensors file, or truncated: a header of {declared} bytes does not fit the \
         {available} that follow"
    )]
    HeaderLength { declared: u64, available: usize },
    #[error(
        "not a safetensors file: a header of {declared} bytes is longer than the {MAX_HEADER} \
         that the format allows"
    )]
    HeaderTooLong { declared: u64 },
    #[error("not a safetensors file, but {kind}")]
    Other { kind: &'static str },
    #[error("the header is not UTF-8 (byte {at})")]
    NotUtf8 { at: usize },
    #[error("the header does not begin with `{{`")]
    NoObject,
    #[error("the header is not the JSON of the format: {message}")]
    Json { message: String },
    #[error("tensor `{}`: {error}", name.escape_debug())]
    Tensor { name: String, error: TensorError },
    #[error("{missing} bytes of the tensors are missing: the file is truncated")]
    Truncated { missing: usize },
    #[error("{extra} trailing bytes after the last tensor")]
    LeftOver { extra: usize },
}

/// An error in a tensor's entry in the header.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum TensorError {
    #[error("unknown element type `{}`", .0.escape_debug())]
    ElementType(String),
    #[error(transparent)]
    Shape(Box<ShapeError>),
    #[error("its {elements} elements of {bits} bits do not fill whole bytes")]
    PartialByte { elements: usize, bits: usize },
    #[error("end offset {end} < start offset {start}")]
    Backwards { start: usize, end: usize },
    #[error("its shape {shape} takes {expected} bytes, and {found} are given")]
    Size { shape: String, expected: usize, found: usize },
    #[error("its bytes overlap those of `{}`", .0.escape_debug())]
    Overlap(String),
    #[error("gap of {0} bytes before it")]
    Hole(usize),
    #[error("the names of its axes in the metadata, {}, do not fit {shape}", text.escape_debug())]
    Axes { text: String, shape: String },
    #[error("its kind of quantised blocks in the metadata, {}, does not fit {shape}", text.escape_debug())]
    Blocks { text: String, shape: String },
}

hloom_graph::debug_as_display!(FormatError, TensorError);

impl From<ShapeError> for TensorError {
    fn from(error: ShapeError) -> TensorError {
        TensorError::Shape(Box::new(error))
    }
}

/// Reads the header of a file.
///
/// # Errors
/// The rule of the format that the file breaks.
pub fn parse(file: &[u8]) -> Result<Header, FormatError> {
    let size = header_size(file, file.len())?;
    parse_header(&file[8..8 + size], file.len())
}

/// The size of the header in bytes, in a file of `file_size` bytes whose first 8 bytes or more, or
/// all, are `start`.
pub(crate) fn header_size(start: &[u8], file_size: usize) -> Result<usize, FormatError> {
    let or_other = |error| match binary_kind(start) {
        Some(kind) => FormatError::Other { kind },
        None => error,
    };
    let Some(length) = start.first_chunk::<8>() else {
        return Err(or_other(FormatError::TooShort { length: file_size }));
    };
    let declared = u64::from_le_bytes(*length);
    if declared > MAX_HEADER {
        return Err(or_other(FormatError::HeaderTooLong { declared }));
    }
    let available = file_size - 8;
    if declared > available as u64 {
        return Err(or_other(FormatError::HeaderLength { declared, available }));
    }
    // At most MAX_HEADER, so it fits any usize.
    Ok(declared as usize)
}

/// Reads the header of a file of `file_size` bytes, from the bytes between the header's length and
/// the tensors.
pub(crate) fn parse_header(header: &[u8], file_size: usize) -> Result<Header, FormatError> {
    let data_start = 8 + header.len();
    let header = std::str::from_utf8(header)
        .map_err(|error| FormatError::NotUtf8 { at: error.valid_up_to() })?;
    if !header.starts_with('{') {
        return Err(FormatError::NoObject);
    }
    let raw: RawHeader = serde_json::from_str(header)
        .map_err(|error| FormatError::Json { message: error.to_string() })?;
    check(raw, data_start, file_size - data_start)
}

/// The tensors of a header in front of `available` bytes. `safetensors` checks them; a header that
/// it rejects is searched again for the tensor to name.
fn check(raw: RawHeader, data_start: usize, available: usize) -> Result<Header, FormatError> {
    let mut entries: Vec<(String, RawEntry)> = raw.tensors.into_iter().collect();
    // Names break ties among empty tensors, so that errors do not depend on the order of a hash
    // table.
    entries.sort_unstable_by(|(a, x), (b, y)| {
        x.data_offsets.cmp(&y.data_offsets).then_with(|| a.cmp(b))
    });
    let infos = entries.iter().map(|(name, entry)| Ok((name.clone(), entry.info()?)));
    match infos.collect::<Result<_, SafeTensorError>>().and_then(|all| Metadata::new(None, all)) {
        Ok(checked) if checked.data_len() == available => {}
        found => {
            let refused = found.err().unwrap_or(SafeTensorError::MetadataIncompleteBuffer);
            return Err(fault::first(&entries, available)
                .unwrap_or_else(|| FormatError::Json { message: refused.to_string() }));
        }
    }
    let mut tensors = BTreeMap::new();
    for (name, entry) in entries {
        let shape = shape(&entry)
            .and_then(|shape| with_axes(shape, &name, &raw.metadata))
            .and_then(|shape| with_blocks(shape, &name, &raw.metadata));
        let shape = match shape {
            Ok(shape) => shape,
            Err(error) => return Err(FormatError::Tensor { name, error }),
        };
        let (start, end) = entry.data_offsets;
        // Both are at most `available`.
        tensors.insert(name, TensorEntry { shape, bytes: data_start + start..data_start + end });
    }
    Ok(Header { tensors, metadata: raw.metadata })
}

/// The shape of a tensor, without axis names.
pub(crate) fn shape(entry: &RawEntry) -> Result<Shape, TensorError> {
    let dtype = entry
        .dtype()
        .and_then(element_type::from_file)
        .ok_or_else(|| TensorError::ElementType(entry.dtype.clone()))?;
    let dims = Dims::new(entry.shape.iter().map(|&size| (None, size)))?;
    Ok(Shape::scalar(dtype).with_dims(dims))
}

/// A tensor's shape with the axis names that the metadata has for it.
fn with_axes(
    shape: Shape,
    name: &str,
    metadata: &BTreeMap<String, String>,
) -> Result<Shape, TensorError> {
    let Some(text) = metadata.get(&format!("{AXES_KEY}{name}")) else { return Ok(shape) };
    let bad = || TensorError::Axes { text: text.clone(), shape: shape.to_string() };
    let names: Vec<Option<String>> = serde_json::from_str(text).map_err(|_| bad())?;
    if names.len() != shape.rank() {
        return Err(bad());
    }
    let names = names.iter().map(|name| name.as_deref().map(Name::new));
    let dims = Dims::new(names.zip(shape.sizes().iter().copied())).map_err(|_| bad())?;
    Ok(shape.with_dims(dims))
}

/// The shape of blocks whose bytes have this shape, if the metadata has a kind of blocks for the
/// tensor.
fn with_blocks(
    shape: Shape,
    name: &str,
    metadata: &BTreeMap<String, String>,
) -> Result<Shape, TensorError> {
    let Some(text) = metadata.get(&format!("{BLOCKS_KEY}{name}")) else { return Ok(shape) };
    let bad = || TensorError::Blocks { text: text.clone(), shape: shape.to_string() };
    let kind = BlockKind::from_name(text).ok_or_else(bad)?;
    let mut sizes = shape.sizes().to_vec();
    let row = sizes.last_mut().filter(|_| shape.dtype() == DType::U8).ok_or_else(bad)?;
    if !row.is_multiple_of(kind.block_bytes()) {
        return Err(bad());
    }
    *row = *row / kind.block_bytes() * kind.block_len();
    let dims = Dims::new(shape.names().iter().copied().zip(sizes)).map_err(|_| bad())?;
    Ok(shape.with_dtype(DType::Block(kind)).with_dims(dims))
}

/// The size of a tensor in a file, in bytes.
///
/// # Errors
/// An odd number of four-bit elements, which the format cannot represent.
pub fn file_size(shape: &Shape) -> Result<usize, TensorError> {
    let (elements, bits) = (shape.element_count(), element_type::bits_in_file(shape.dtype()));
    // A shape's element count times 128 bits fits twice over into 128 bits.
    let total = elements as u128 * bits as u128;
    if !total.is_multiple_of(8) {
        return Err(TensorError::PartialByte { elements, bits });
    }
    usize::try_from(total / 8).map_err(|_| ShapeError::TooLarge(shape.sizes().to_vec()).into())
}

/// Whether a file stores the elements packed, unlike the host.
pub fn is_packed(dtype: DType) -> bool {
    dtype.block().is_none() && element_type::bits_in_file(dtype) < 8
}
