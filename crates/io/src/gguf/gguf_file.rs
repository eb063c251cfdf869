//! A model in GGUF files.

use super::{
    GgufError, GgufTensor, Header, MAX_HEADER, SplitError, Value,
    cursor::Stop,
    header::parse_prefix,
    split::{self, Split},
};
use crate::{Access, CheckpointFile, Error, Result};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
    path::Path,
    sync::Arc,
};

/// The first part of a file that is read as its header, in bytes.
const FIRST_READ: usize = 1 << 20;

/// A GGUF file, or the files of a split model as one: metadata and tensors by name.
///
/// ```
/// use hloom_io::gguf::{Gguf, GgufType, GgufWriter, Value};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("model.gguf");
/// let mut writer = GgufWriter::new();
/// writer.metadata("general.architecture", Value::String("llama".to_owned()))?;
/// // One block: the scale 1.0 as f16, then 32 values of 8 bits.
/// let block: Vec<u8> = [0, 0x3c].into_iter().chain(0..32).collect();
/// writer.tensor("output.weight", GgufType::Q8_0, &[1, 32], block)?;
/// writer.save(&path)?;
///
/// let file = Gguf::open(&path)?;
/// let tensor = file.get("output.weight").expect("it was written");
/// assert_eq!((tensor.kind(), tensor.sizes()), (GgufType::Q8_0, &[1, 32][..]));
/// assert_eq!(tensor.dequantize()?[31], 31.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gguf {
    files: Vec<Arc<CheckpointFile>>,
    version: u32,
    metadata: BTreeMap<String, Value>,
    tensors: BTreeMap<String, GgufTensor>,
}

impl Gguf {
    /// Opens the file at `path`, mapped, and the other files of a split model whose first file it
    /// is.
    ///
    /// # Errors
    /// A file cannot be opened, is of another kind, or breaks the format; or files of a split model
    /// are missing or do not belong together.
    pub fn open(path: impl AsRef<Path>) -> Result<Gguf> {
        Gguf::open_with(path, Access::default())
    }

    /// Opens as [`open`](Gguf::open), with the files accessed as requested.
    ///
    /// # Errors
    /// As [`open`](Gguf::open).
    pub fn open_with(path: impl AsRef<Path>, access: Access) -> Result<Gguf> {
        let path = path.as_ref();
        let mut gguf = Gguf {
            files: Vec::new(),
            version: 0,
            metadata: BTreeMap::new(),
            tensors: BTreeMap::new(),
        };
        let (file, header) = read(path, access)?;
        let failed = |error| Error::GgufSplit { path: path.to_owned(), error };
        let first = Split::of(&header).map_err(failed)?;
        first.check_first(path).map_err(failed)?;
        gguf.version = header.version;
        gguf.add(file, header.tensors)?;
        gguf.metadata = header.metadata;
        for number in 2..=first.count {
            let Some(path) = split::path_of(path, number, first.count) else { break };
            let (file, header) = read(&path, access)?;
            Split::of(&header)
                .and_then(|split| split.check(number, first.count))
                .map_err(|error| Error::GgufSplit { path: path.clone(), error })?;
            gguf.add(file, header.tensors)?;
        }
        first.check_tensors(gguf.tensors.len()).map_err(failed)?;
        Ok(gguf)
    }

    fn add(
        &mut self,
        file: CheckpointFile,
        tensors: BTreeMap<String, super::TensorEntry>,
    ) -> Result<()> {
        let file = Arc::new(file);
        for (name, entry) in tensors {
            let tensor = GgufTensor::new(name.as_str().into(), entry, file.clone());
            match self.tensors.entry(name) {
                Entry::Vacant(place) => place.insert(tensor),
                Entry::Occupied(other) => {
                    let first = other.get().file().path().to_owned();
                    let error = SplitError::Duplicate { name: other.key().clone(), first };
                    return Err(Error::GgufSplit { path: file.path().to_owned(), error });
                }
            };
        }
        self.files.push(file);
        Ok(())
    }

    /// The files, in their order.
    pub fn files(&self) -> &[Arc<CheckpointFile>] {
        &self.files
    }

    /// The version of the format of the first file, 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The metadata by key: that of the first file, since the others of a split model only have
    /// their places.
    pub fn metadata(&self) -> &BTreeMap<String, Value> {
        &self.metadata
    }

    /// The tensor with a name.
    pub fn get(&self, name: &str) -> Option<&GgufTensor> {
        self.tensors.get(name)
    }

    /// All tensors, in the order of their names.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = &GgufTensor> {
        self.tensors.values()
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The size of all tensors in bytes.
    pub fn byte_size(&self) -> u64 {
        self.tensors.values().map(|tensor| tensor.range().len() as u64).sum()
    }
}

/// A file and the contents of its header. The header is read, not mapped, so that a file that is
/// truncated meanwhile is an error.
fn read(path: &Path, access: Access) -> Result<(CheckpointFile, Header)> {
    let file = CheckpointFile::open(path, access)?;
    let size = file.byte_size();
    let mut length = size.min(FIRST_READ);
    let error = loop {
        match parse_prefix(&file.read(0..length)?, size) {
            Ok(header) => return Ok((file, header)),
            Err(Stop::Broken(error)) => break error,
            Err(Stop::More) if length >= MAX_HEADER.min(size) => break GgufError::HeaderTooLong,
            Err(Stop::More) => length = length.saturating_mul(4).min(MAX_HEADER).min(size),
        }
    };
    Err(Error::Gguf { path: path.to_owned(), error })
}

impl fmt::Debug for Gguf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.files.iter().map(|file| file.path()).collect::<Vec<_>>();
        write!(f, "Gguf({paths:?}, {} tensors)", self.len())
    }
}
