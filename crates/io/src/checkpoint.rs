//! Checkpoints: one file, or a folder of shards.

use crate::{
    Access, CheckpointFile, Error, Result, RowOrder, TensorView, View,
    checksum::{self, Checksum},
    format::Header,
    gguf::Gguf,
    index,
    packed::{self, PackedMatrix, QuantizationConfig},
    wrapped_names::unwrapped,
};
use hloom_graph::{DType, Shape};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fmt,
    ops::{Bound, Range},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The tensors of a model on disk, mapped into memory unless it is opened with [`Access::Read`]:
/// nothing is read before it is needed. Cloning it is cheap.
///
/// ```no_run
/// use hloom_graph::{Spec, Tensor, Tree};
/// use hloom_io::Checkpoint;
///
/// #[derive(Tree)]
/// struct Linear<T = Tensor> {
///     #[axes(out, in)]
///     weight: T,
///     bias: Option<T>,
/// }
///
/// let weights = Checkpoint::open("mnist.safetensors")?;
/// let spec: Linear<Spec> = Linear::spec(&weights.at("fc1"))?;
/// println!("{}", spec.weight.shape());
/// # Ok::<(), hloom_io::Error>(())
/// ```
#[derive(Clone)]
pub struct Checkpoint {
    contents: Arc<Contents>,
}

struct Contents {
    origin: PathBuf,
    files: Vec<Arc<CheckpointFile>>,
    tensors: BTreeMap<Arc<str>, Located>,
    metadata: BTreeMap<String, String>,
    gguf: Option<Arc<Gguf>>,
}

#[derive(Clone)]
struct Located {
    file: usize,
    shape: Shape,
    range: Range<usize>,
    rows: RowOrder,
    packed: Option<Arc<PackedMatrix>>,
}

/// The name of a tensor in a renamed checkpoint, and the order in which the file has its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamed {
    /// The new name.
    pub name: String,
    /// The order of the file's rows.
    pub rows: RowOrder,
}

/// File names of a checkpoint in one file, and of the index of a sharded one.
const FILE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
/// The file extensions of checkpoints of other formats.
const OTHERS: [&str; 7] = [".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx"];
/// The maximum number of such files that an error names.
const MAX_OTHERS: usize = 3;

impl Checkpoint {
    /// Opens a safetensors file, the index file of a sharded checkpoint (`.json`), a GGUF file or
    /// the first of a split one, or a folder that holds one of them: a `model.safetensors`, a
    /// `model.safetensors.index.json`, or the only file of any of these kinds.
    ///
    /// Quantised tensors of GGUF files have an element type of blocks; loading converts them to the
    /// float type of a leaf.
    ///
    /// The files are mapped, and stay mapped as long as the checkpoint, its views or buffers that
    /// use them in place. **They must not be changed meanwhile:** a buffer would change with them,
    /// and one that is truncated in place (by `cp` over it, or a download that starts over) ends
    /// the process with SIGBUS when the lost part is touched, which no code can turn into an error.
    /// Replace checkpoints by renaming a new file over the old one, as [`Writer`](crate::Writer)
    /// does. Where that cannot be relied on, [`open_with`](Self::open_with) and [`Access::Read`]
    /// read the files instead; a program can at least report what happened
    /// ([`explain_bus_errors`](crate::explain_bus_errors)). A file that was truncated before it is
    /// loaded is an ordinary error.
    ///
    /// # Errors
    /// A file cannot be read, is not a regular file or breaks its format; a folder holds no
    /// checkpoint or several; an index names a tensor that its file does not hold.
    pub fn open(path: impl AsRef<Path>) -> Result<Checkpoint> {
        Checkpoint::open_with(path, Access::Mapped)
    }

    /// As [`open`](Self::open), with the files mapped or read.
    ///
    /// ```no_run
    /// use hloom_io::{Access, Checkpoint};
    /// let weights = Checkpoint::open_with("model.safetensors", Access::Read)?;
    /// # Ok::<(), hloom_io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, access: Access) -> Result<Checkpoint> {
        let path = path.as_ref();
        let span = tracing::debug_span!("open checkpoint", path = %path.display());
        let _entered = span.enter();
        let path = if path.is_dir() { find(path)? } else { path.to_owned() };
        let checkpoint = if path.extension().is_some_and(|extension| extension == "json") {
            Checkpoint::open_shards(path, access)?
        } else if path.extension().is_some_and(|extension| extension == "gguf") {
            Checkpoint::open_gguf(path, access)?
        } else {
            Checkpoint::open_file(path, access)?
        };
        tracing::debug!(
            tensors = checkpoint.len(),
            files = checkpoint.contents.files.len(),
            bytes = checkpoint.byte_size(),
            "opened"
        );
        Ok(checkpoint)
    }

    fn open_gguf(path: PathBuf, access: Access) -> Result<Checkpoint> {
        let gguf = Gguf::open_with(&path, access)?;
        let files = gguf.files().to_vec();
        let mut tensors = BTreeMap::new();
        for tensor in gguf.tensors() {
            let shape = Shape::new(tensor.kind().dtype(), tensor.sizes()).map_err(|error| {
                Error::Tensor { name: tensor.name().to_owned(), message: error.to_string() }
            })?;
            let file = files.iter().position(|file| Arc::ptr_eq(file, tensor.file()));
            let located = Located {
                file: file.expect("a tensor is in one of the files"),
                shape,
                range: tensor.range(),
                rows: RowOrder::Stored,
                packed: None,
            };
            tensors.insert(tensor.name().into(), located);
        }
        Ok(Checkpoint {
            contents: Arc::new(Contents {
                origin: path,
                files,
                tensors,
                metadata: BTreeMap::new(),
                gguf: Some(Arc::new(gguf)),
            }),
        })
    }

    fn open_file(path: PathBuf, access: Access) -> Result<Checkpoint> {
        let (file, header) = open(&path, access)?;
        let tensors = header.tensors.into_iter().map(|(name, entry)| {
            let (shape, range) = (entry.shape, entry.bytes);
            (name.into(), Located { file: 0, shape, range, rows: RowOrder::Stored, packed: None })
        });
        Ok(Checkpoint {
            contents: Arc::new(Contents {
                origin: path,
                files: vec![file],
                tensors: tensors.collect(),
                metadata: header.metadata,
                gguf: None,
            }),
        })
    }

    fn open_shards(path: PathBuf, access: Access) -> Result<Checkpoint> {
        let index = index::read(&path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut contents = Contents {
            origin: path.clone(),
            files: Vec::new(),
            tensors: BTreeMap::new(),
            metadata: BTreeMap::new(),
            gguf: None,
        };
        let mut headers = BTreeMap::new();
        for (name, file) in index {
            let (file_index, header) = match headers.get_mut(&file) {
                Some(known) => known,
                None => {
                    let (opened, header) = open(&folder.join(&file), access)?;
                    contents.files.push(opened);
                    let metadata =
                        header.metadata.iter().map(|(key, text)| (key.clone(), text.clone()));
                    contents.metadata.extend(metadata);
                    headers.entry(file.clone()).or_insert((contents.files.len() - 1, header))
                }
            };
            let Some(entry) = header.tensors.remove(&name) else {
                let (name, file) = (name.escape_debug(), file.escape_debug());
                let message = format!(
                    "`{file}` does not hold the tensor `{name}` that the index places there"
                );
                return Err(Error::Index { path, message });
            };
            let (shape, range) = (entry.shape, entry.bytes);
            let located =
                Located { file: *file_index, shape, range, rows: RowOrder::Stored, packed: None };
            contents.tensors.insert(name.into(), located);
        }
        Ok(Checkpoint { contents: Arc::new(contents) })
    }

    /// The same tensors without the segments of names that PyTorch's wrappers of modules add, such
    /// as `_orig_mod` by `torch.compile` and `module` by data parallel training.
    ///
    /// # Errors
    /// Two tensors have the same name without them.
    pub fn without_wrappers(&self) -> Result<Checkpoint> {
        self.renamed(|name| {
            let name = unwrapped(name).unwrap_or_else(|| name.to_owned());
            Some(Renamed { name, rows: RowOrder::Stored })
        })
    }

    /// The same tensors under other names; those for which `rename` returns `None` are left out.
    ///
    /// # Errors
    /// Two tensors have the same new name, or the rows of one cannot be in the order given for it.
    pub fn renamed(&self, mut rename: impl FnMut(&str) -> Option<Renamed>) -> Result<Checkpoint> {
        let mut tensors = BTreeMap::new();
        for (old, located) in &self.contents.tensors {
            let Some(Renamed { name, rows }) = rename(old) else { continue };
            let mut located = located.clone();
            if rows != RowOrder::Stored {
                located.rows = rows;
                located
                    .check_rows()
                    .map_err(|message| Error::Tensor { name: old.to_string(), message })?;
            }
            if tensors.insert(Arc::from(name.as_str()), located).is_some() {
                let message =
                    format!("`{}` is renamed to it, as another tensor is", old.escape_debug());
                return Err(Error::Tensor { name, message });
            }
        }
        let Contents { origin, files, metadata, gguf, .. } = &*self.contents;
        let (origin, files) = (origin.clone(), files.clone());
        let (metadata, gguf) = (metadata.clone(), gguf.clone());
        Ok(Checkpoint { contents: Arc::new(Contents { origin, files, tensors, metadata, gguf }) })
    }

    /// The same tensors with the weights that are quantised as `config` says as one tensor each, of
    /// the float type `dtype`: their parts (numbers, scales, zeros) are no longer tensors of the
    /// checkpoint. Values are computed when a weight is loaded, in `f32`, and then rounded.
    ///
    /// # Errors
    /// A part of a weight is missing, or of another shape than the form has; `dtype` is not `f32`,
    /// `bf16` or `f16`.
    pub fn unpacked(&self, config: &QuantizationConfig, dtype: DType) -> Result<Checkpoint> {
        if !matches!(dtype, DType::F32 | DType::BF16 | DType::F16) {
            let found = format!("values of the type {dtype}");
            return Err(Error::Quantization { found, supported: "f32, bf16 and f16" });
        }
        let found = packed::find(self, config, dtype)?;
        let Contents { origin, files, metadata, gguf, tensors } = &*self.contents;
        let mut tensors = tensors.clone();
        let mut metadata = metadata.clone();
        // It is that of the parts.
        metadata.remove(checksum::KEY);
        for name in &found.used {
            tensors.remove(name.as_str());
        }
        for (name, (file, matrix)) in found.weights {
            let shape = matrix.shape();
            let located = Located {
                file: self.contents.tensors[file.as_str()].file,
                shape,
                range: 0..shape.byte_size(),
                rows: RowOrder::Stored,
                packed: Some(Arc::new(matrix)),
            };
            tensors.insert(name.into(), located);
        }
        let (origin, files, gguf) = (origin.clone(), files.clone(), gguf.clone());
        Ok(Checkpoint { contents: Arc::new(Contents { origin, files, tensors, metadata, gguf }) })
    }

    /// The root view, from which trees of specs are read.
    pub fn root(&self) -> View {
        View::new(self.clone(), "")
    }

    /// The part below a path, such as `model.layers.3`.
    pub fn at(&self, path: &str) -> View {
        View::new(self.clone(), path)
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        self.contents.tensors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.contents.tensors.is_empty()
    }

    /// The total size of the tensors in bytes.
    pub fn byte_size(&self) -> u64 {
        let sizes = self.contents.tensors.values().map(|located| located.range.len() as u64);
        sizes.sum()
    }

    /// The tensors' names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.contents.tensors.keys().map(|name| &**name)
    }

    /// The tensor `name`, or `None` if the checkpoint has none.
    pub fn get(&self, name: &str) -> Option<TensorView> {
        let (name, located) = self.contents.tensors.get_key_value(name)?;
        let file = self.contents.files[located.file].clone();
        let Located { shape, range, rows, packed, .. } = located.clone();
        Some(match packed {
            Some(packed) => TensorView::of_packed(name.clone(), file, packed),
            None => TensorView::new(name.clone(), shape, file, range, rows),
        })
    }

    /// The GGUF file, with its metadata, that the tensors come from; `None` for other formats.
    pub fn gguf(&self) -> Option<&Gguf> {
        self.contents.gguf.as_deref()
    }

    /// The text entries of the headers of safetensors files.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.contents.metadata
    }

    /// Reads all tensors, and compares them and the text entries with the checksum that
    /// [`Writer::checksum`](crate::Writer::checksum) added. Returns false if there is none, as in
    /// files of other programs and in checkpoints of several files.
    ///
    /// # Errors
    /// They differ, or a file cannot be read.
    pub fn verify(&self) -> Result<bool> {
        let contents = &*self.contents;
        let ([file], Some(expected)) = (&contents.files[..], contents.metadata.get(checksum::KEY))
        else {
            return Ok(false);
        };
        let mut sum = Checksum::of_entries(&contents.metadata);
        let mut block = vec![0; 1 << 20];
        for (name, located) in &contents.tensors {
            sum.tensor(name, located.shape, located.range.len());
            for start in located.range.clone().step_by(block.len()) {
                let block = &mut block[..(located.range.end - start).min(1 << 20)];
                file.read_at(start, block)?;
                sum.bytes(block);
            }
        }
        let found = sum.text();
        if found == *expected {
            return Ok(true);
        }
        let (path, expected) = (file.path().to_owned(), expected.clone());
        Err(Error::Checksum { path, expected, found })
    }

    /// The path that was opened: the file, or the index file.
    pub fn path(&self) -> &Path {
        &self.contents.origin
    }

    /// The files, one for each shard.
    pub fn files(&self) -> &[Arc<CheckpointFile>] {
        &self.contents.files
    }

    pub(crate) fn shape(&self, name: &str) -> Option<Shape> {
        self.contents.tensors.get(name).map(|located| located.shape)
    }

    /// The names from `start` on.
    pub(crate) fn names_from<'a>(&'a self, start: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let range =
            self.contents.tensors.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        range.map(|(name, _)| &**name)
    }
}

impl Located {
    /// Checks that the rows can be in the order given for them: whole pairs in each head, and whole
    /// bytes and blocks in each row.
    fn check_rows(&self) -> Result<(), String> {
        let shape = self.shape;
        let rows = shape.sizes().first().copied().unwrap_or(1);
        let has_rows = shape.rank() > usize::from(shape.dtype().block().is_some());
        if has_rows && self.rows.fits(rows) && (rows == 0 || self.range.len().is_multiple_of(rows))
        {
            return Ok(());
        }
        Err(format!("the rows of {shape} cannot be in the order {:?}", self.rows))
    }
}

fn open(path: &Path, access: Access) -> Result<(Arc<CheckpointFile>, Header)> {
    let file = CheckpointFile::open(path, access)?;
    let header = file.header()?;
    Ok((Arc::new(file), header))
}

/// Whether a file of this name is a GGUF file, or the first of a split one.
fn is_first_gguf(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".gguf") else { return false };
    match stem.rsplit_once("-of-").and_then(|(start, _)| start.rsplit_once('-')) {
        Some((_, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
            number.parse() == Ok(1)
        }
        _ => true,
    }
}

/// The checkpoint in a folder.
fn find(folder: &Path) -> Result<PathBuf> {
    for name in [FILE, INDEX] {
        let path = folder.join(name);
        if path.is_file() {
            return Ok(path);
        }
    }
    let read = |source| Error::Read { path: folder.to_owned(), source };
    let (mut indices, mut files, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.ends_with(".safetensors.index.json") {
            indices.push(path);
        } else if name.ends_with(".safetensors") || is_first_gguf(name) {
            files.push(path);
        } else if OTHERS.iter().any(|end| name.ends_with(end)) {
            others.push(format!("`{}`", name.escape_debug()));
        }
    }
    // An index takes precedence over the shards next to it.
    let mut candidates = if indices.is_empty() { files } else { indices };
    candidates.sort();
    let message = match candidates.as_slice() {
        [_] => return Ok(candidates.remove(0)),
        [] => {
            others.sort();
            others.truncate(MAX_OTHERS);
            let others = if others.is_empty() {
                String::new()
            } else {
                format!("; there is {}, of a format that is not read", others.join(", "))
            };
            format!(
                "no checkpoint here: neither `{FILE}` nor `{INDEX}` nor another file of these \
                 kinds{others}"
            )
        }
        several => {
            let names = several
                .iter()
                .filter_map(|path| path.file_name())
                .map(|name| format!("`{}`", name.display()));
            let names: Vec<String> = names.collect();
            format!("several checkpoints here, name one of them: {}", names.join(", "))
        }
    };
    Err(Error::Folder { folder: folder.to_owned(), message })
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checkpoint({}, {} tensors)", self.path().display(), self.len())
    }
}
