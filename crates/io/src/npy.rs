//! NumPy's files: `.npy` with one array, and `.npz` with several by name.
//!
//! The element types are those of NumPy: `bool`, integers from 8 bits on, `f16`, `f32`, `f64`,
//! `c64` and `c128`. Arrays in either byte order, and in column-major order, are read; the axes of
//! the buffers have no names. The format is that of [NEP
//! 1](https://numpy.org/neps/nep-0001-npy-format.html).

use crate::{
    Error, Result,
    npy_header::{NpyHeader, TYPES},
    open_file,
};
use hloom_files::{AtomicFile, binary_kind};
use hloom_graph::{DType, Shape};
use hloom_runtime::{Buffer, Placement};
use npyz::{TypeStr, WriterBuilder};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
};
use zip::{
    CompressionMethod, ZipArchive, ZipWriter, read::ZipFile, result::ZipError,
    write::SimpleFileOptions,
};

/// The array of a `.npy` file.
///
/// # Errors
/// The file cannot be read, is not of the format, has another element type or fewer elements than
/// its header says, or the plugin is out of memory.
pub fn load<'a>(to: impl Into<Placement<'a>>, path: impl AsRef<Path>) -> Result<Buffer> {
    let path = path.as_ref();
    let (file, size) = open(path)?;
    let array = array(BufReader::new(file), size);
    let (shape, bytes) = array.map_err(|message| invalid(path, message))?;
    Ok(Buffer::from_owner(to, shape, bytes)?)
}

/// The arrays of a `.npz` file, by name.
///
/// # Errors
/// As [`load`], and the archive is damaged.
pub fn load_all<'a>(
    to: impl Into<Placement<'a>>,
    path: impl AsRef<Path>,
) -> Result<BTreeMap<String, Buffer>> {
    let (to, path) = (to.into(), path.as_ref());
    let mut arrays = BTreeMap::new();
    each_member(path, |name, file| {
        let (shape, bytes) = read_array(path, name, file)?;
        arrays.insert(name.to_owned(), Buffer::from_owner(to, shape, bytes)?);
        Ok(())
    })?;
    Ok(arrays)
}

/// The array of a name in a `.npz` file; no other is read.
///
/// # Errors
/// As [`load_all`], and there is no such array.
pub fn load_named<'a>(
    to: impl Into<Placement<'a>>,
    path: impl AsRef<Path>,
    name: &str,
) -> Result<Buffer> {
    let path = path.as_ref();
    let mut found = None;
    each_member(path, |member, file| {
        if member == name {
            found = Some(read_array(path, name, file)?);
        }
        Ok(())
    })?;
    let (shape, bytes) =
        found.ok_or_else(|| invalid(path, format!("there is no array `{name}`")))?;
    Ok(Buffer::from_owner(to, shape, bytes)?)
}

/// The shape of the array of a `.npy` file, whose elements are not read.
///
/// # Errors
/// As [`load`].
pub fn shape(path: impl AsRef<Path>) -> Result<Shape> {
    let path = path.as_ref();
    let (file, size) = open(path)?;
    let header = header(&mut BufReader::new(file), size);
    Ok(header.map_err(|message| invalid(path, message))?.shape)
}

/// The shapes of the arrays of a `.npz` file, by name; their elements are not read.
///
/// # Errors
/// As [`load_all`].
pub fn shapes(path: impl AsRef<Path>) -> Result<BTreeMap<String, Shape>> {
    let path = path.as_ref();
    let mut shapes = BTreeMap::new();
    each_member(path, |name, mut file| {
        let size = file.size();
        let header = header(&mut file, size).map_err(|message| of_member(path, name, message))?;
        shapes.insert(name.to_owned(), header.shape);
        Ok(())
    })?;
    Ok(shapes)
}

/// Writes a buffer to a `.npy` file, which appears when it is complete: see
/// [`Writer::save`](crate::Writer::save).
///
/// # Errors
/// NumPy has no such element type, the buffer cannot be read, or the file cannot be written.
pub fn save(path: impl AsRef<Path>, buffer: &Buffer) -> Result<()> {
    let path = path.as_ref();
    let bytes = encoded(path, buffer)?;
    hloom_files::write(path, bytes).map_err(|source| Error::Write { path: path.into(), source })
}

/// Writes buffers to a `.npz` file, each under its name.
///
/// # Errors
/// As [`save`].
pub fn save_all<'a, N: AsRef<str>>(
    path: impl AsRef<Path>,
    buffers: impl IntoIterator<Item = (N, &'a Buffer)>,
) -> Result<()> {
    let path = path.as_ref();
    let failed = |source: io::Error| Error::Write { path: path.into(), source };
    let file = AtomicFile::create(path).map_err(failed)?;
    let mut archive = ZipWriter::new(file);
    // NumPy stores arrays uncompressed too; arrays beyond 4 GiB need the larger fields.
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    for (name, buffer) in buffers {
        let bytes = encoded(path, buffer)?;
        archive
            .start_file(format!("{}.npy", name.as_ref()), options)
            .map_err(|error| failed(error.into()))?;
        archive.write_all(&bytes).map_err(failed)?;
    }
    let file = archive.finish().map_err(|error| failed(error.into()))?;
    file.commit().map_err(failed)
}

type Member<'a> = ZipFile<'a, BufReader<File>>;

/// Calls `f` with each file of an archive, and its name without the extension.
fn each_member(path: &Path, mut f: impl FnMut(&str, Member<'_>) -> Result<()>) -> Result<()> {
    let failed = |source| Error::Read { path: path.into(), source };
    let damaged = |error: ZipError| invalid(path, error.to_string());
    let mut file = BufReader::new(open_file::open_regular(path).map_err(failed)?);
    let start = file.fill_buf().map_err(failed)?;
    // For a damaged archive, the reader's error is reported.
    let kind = binary_kind(start).filter(|_| !start.starts_with(b"PK"));
    let mut archive = ZipArchive::new(file).map_err(|error| match kind {
        Some(kind) => invalid(path, format!("not an archive of arrays, but {kind}")),
        None => invalid(path, format!("not an archive of arrays: {error}")),
    })?;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(damaged)?;
        let name = file.name().map_err(|error| invalid(path, error.to_string()))?.into_owned();
        f(name.strip_suffix(".npy").unwrap_or(&name), file)?;
    }
    Ok(())
}

fn read_array(path: &Path, name: &str, file: Member<'_>) -> Result<(Shape, Vec<u8>)> {
    let size = file.size();
    array(file, size).map_err(|message| of_member(path, name, message))
}

fn of_member(path: &Path, name: &str, message: String) -> Error {
    invalid(path, format!("`{name}`: {message}"))
}

fn invalid(path: &Path, message: String) -> Error {
    Error::Npy { path: path.into(), message }
}

/// Opens a file; also returns its size in bytes.
fn open(path: &Path) -> Result<(File, u64)> {
    let failed = |source| Error::Read { path: path.into(), source };
    let file = open_file::open_regular(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    Ok((file, size))
}

/// The header of a file of `size` bytes, in which its elements fit.
fn header(file: &mut impl Read, size: u64) -> Result<NpyHeader, String> {
    let header = NpyHeader::read(file)?;
    check_elements(&header.shape, size.saturating_sub(header.size))?;
    Ok(header)
}

/// Checks that the file has all elements of an array.
fn check_elements(shape: &Shape, found: u64) -> Result<(), String> {
    let expected = shape.byte_size();
    if found < expected as u64 {
        return Err(format!("{shape} takes {expected} bytes, and {found} are there"));
    }
    Ok(())
}

/// The shape and the elements, in row-major order, of a file of `size` bytes. Trailing bytes are
/// not read: an archive may expand to far more than its own size.
fn array(mut file: impl Read, size: u64) -> Result<(Shape, Vec<u8>), String> {
    let NpyHeader { shape, is_column_major, is_swapped, .. } = header(&mut file, size)?;
    let mut elements = Vec::new();
    // The buffer grows with the bytes that are read, since the sizes above are unverified claims of
    // the file.
    let read = file.take(shape.byte_size() as u64).read_to_end(&mut elements);
    read.map_err(|error| error.to_string())?;
    check_elements(&shape, elements.len() as u64)?;
    if is_column_major {
        elements = row_major(&shape, &elements);
    }
    let dtype = shape.dtype();
    if dtype == DType::Bool {
        elements.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    let part = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
    if is_swapped {
        elements.chunks_exact_mut(part).for_each(<[u8]>::reverse);
    }
    Ok((shape, elements))
}

/// Converts elements from column-major to row-major order.
fn row_major(shape: &Shape, elements: &[u8]) -> Vec<u8> {
    let width = shape.dtype().size();
    let mut strides = Vec::with_capacity(shape.rank());
    let mut stride = 1;
    for &size in shape.sizes() {
        strides.push(stride);
        stride *= size;
    }
    let mut all = Vec::with_capacity(elements.len());
    let mut index = vec![0; shape.rank()];
    for _ in 0..shape.element_count() {
        let at: usize = index.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
        all.extend_from_slice(&elements[at * width..][..width]);
        for (i, &size) in index.iter_mut().zip(shape.sizes()).rev() {
            *i += 1;
            if *i < size {
                break;
            }
            *i = 0;
        }
    }
    all
}

/// The bytes of a file with a buffer's elements.
fn encoded(path: &Path, buffer: &Buffer) -> Result<Vec<u8>> {
    let shape = buffer.shape();
    let Some((_, name)) = TYPES.iter().find(|(dtype, _)| *dtype == shape.dtype()) else {
        let message = format!("NumPy has no element type {}; convert it first", shape.dtype());
        return Err(invalid(path, message));
    };
    let order = match (shape.dtype().size(), cfg!(target_endian = "little")) {
        (1, _) => '|',
        (_, true) => '<',
        (_, false) => '>',
    };
    let dtype: TypeStr = format!("{order}{name}").parse().expect("the table has valid names");
    let sizes: Vec<u64> = shape.sizes().iter().map(|&size| size as u64).collect();
    let mut bytes = npyz::WriteOptions::new_header_only()
        .dtype(npyz::DType::Plain(dtype))
        .shape(&sizes)
        .writer(Vec::new())
        .write_header_only()
        .map_err(|error| invalid(path, error.to_string()))?;
    bytes.extend(buffer.to_bytes()?);
    Ok(bytes)
}
