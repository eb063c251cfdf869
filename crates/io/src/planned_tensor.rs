//! The tensors of a load plan.

use crate::{
    Error, Result, TensorView,
    convert::{Conversion, Unfit, Unit},
    quantize::LARGEST,
};
use hloom_graph::{DType, LeafProblem, PartitionSpec, Shape, Spec};
use rayon::prelude::*;

/// A tensor to be loaded: one tensor of the files, or a stack of several.
#[derive(Clone, Debug)]
pub struct PlannedTensor {
    name: String,
    parts: Vec<PlannedPart>,
    shape: Shape,
    partition: PartitionSpec,
}

/// A tensor of the files and its conversion. The elements of a planned tensor are those of its
/// parts, concatenated.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPart {
    source: TensorView,
    conversion: Conversion,
    dtype: DType,
}

/// The number of bytes that one thread converts or copies at a time: large enough for a small
/// scheduling overhead, small enough that all cores share a large tensor and that few pages are in
/// memory twice.
pub(crate) const PIECE: usize = 1 << 20;

/// The expected shape and element type of a leaf, in words.
pub(crate) fn expected(spec: &Spec) -> String {
    match spec.error() {
        Some(error) => format!("no shape at all ({})", error.message),
        None => spec.shape().to_string(),
    }
}

impl PlannedPart {
    /// Plans the tensor `source` of the files for the leaf of `spec`; the tensor must have the
    /// sizes of `shape`.
    pub(crate) fn new(
        source: TensorView,
        shape: &Shape,
        spec: &Spec,
    ) -> Result<PlannedPart, LeafProblem> {
        let found = source.shape();
        let ill_shaped =
            |expected: String| LeafProblem::IllShaped { expected, found: found.to_string() };
        if spec.error().is_some() {
            return Err(ill_shaped(expected(spec)));
        }
        if shape.sizes() != found.sizes() {
            return Err(ill_shaped(shape.to_string()));
        }
        let dtype = shape.dtype();
        let Some(conversion) = Conversion::between(found.dtype(), dtype) else {
            return Err(ill_shaped(format!(
                "{shape} (only floats and blocks are converted, to floats of 16 bits or more, floats \
                 to some kinds of blocks, and i64 to i32)"
            )));
        };
        Ok(PlannedPart { source, conversion, dtype })
    }

    /// The tensor of the files.
    pub(crate) fn source(&self) -> &TensorView {
        &self.source
    }

    #[cfg(feature = "load")]
    pub(crate) fn conversion(&self) -> Conversion {
        self.conversion
    }

    /// The unit of elements in the file and in a buffer.
    pub(crate) fn unit(&self) -> Unit {
        self.conversion.unit(self.dtype)
    }

    /// Bytes of one element in a buffer; those of blocks have no size of their own.
    #[cfg(feature = "load")]
    pub(crate) fn element_size(&self) -> Option<usize> {
        self.dtype.block().is_none().then(|| self.dtype.size())
    }

    /// The error about an element that the type of the buffer does not have.
    pub(crate) fn unfit(&self, element: Unfit) -> Error {
        let message = match element {
            Unfit::Integer(value) => format!("{value} is not a value of type {}", self.dtype),
            Unfit::Float(value) => format!(
                "{value} is not quantised as {}: expected finite numbers of at most {LARGEST}",
                self.dtype
            ),
        };
        Error::Tensor { name: self.source.name().to_owned(), message }
    }

    /// Writes the elements, as [`PlannedTensor::write_into`].
    fn write_into(&self, output: &mut [u8], done: &(dyn Fn(usize) + Sync)) -> Result<()> {
        let (unit, source) = (self.unit(), &self.source);
        // A multiple of all units.
        let elements = PIECE / 16;
        let size = source.byte_size();
        let pieces = output.par_chunks_mut(unit.buffer_offset(elements)).enumerate();
        pieces.try_for_each(|(i, output)| {
            let first = unit.file_offset(i * elements);
            let piece = first..size.min(first + unit.file_offset(elements));
            match self.conversion {
                // Reading is cheaper than mapping each page, copying it and releasing it.
                Conversion::Copy => source.read_at(first, output)?,
                conversion => {
                    source
                        .with_bytes(piece.clone(), |input| conversion.run(input, output))?
                        .map_err(|element| self.unfit(element))?;
                    source.release(piece.clone());
                }
            }
            done(piece.len());
            Ok::<(), Error>(())
        })?;
        source.release(0..size);
        Ok(())
    }
}

impl PlannedTensor {
    /// The tensor of these parts for the leaf of `spec`.
    pub(crate) fn new(name: String, parts: Vec<PlannedPart>, spec: &Spec) -> PlannedTensor {
        PlannedTensor { name, parts, shape: spec.shape(), partition: spec.partition_spec() }
    }

    /// Its full name in the checkpoint; the name of a stack contains a `*`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tensors in the files: one, or those of a stack in order.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = &TensorView> {
        self.parts.iter().map(PlannedPart::source)
    }

    /// The number of bytes in the files.
    pub fn file_size(&self) -> usize {
        self.sources().map(TensorView::byte_size).sum()
    }

    /// The shape that it is loaded with.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its partition over a mesh.
    pub fn partition_spec(&self) -> PartitionSpec {
        self.partition
    }

    #[cfg(feature = "load")]
    pub(crate) fn parts(&self) -> &[PlannedPart] {
        &self.parts
    }

    /// The tensor whose mapped bytes can be used without a copy: the only one, if it needs no
    /// conversion and begins at a multiple of `alignment`.
    ///
    /// # Errors
    /// The file was truncated.
    pub fn ready(&self, alignment: usize) -> Result<Option<&TensorView>> {
        let [PlannedPart { source, conversion, .. }] = self.parts.as_slice() else {
            return Ok(None);
        };
        match source.mapping().filter(|_| source.is_aligned(alignment)) {
            Some(bytes) => {
                source.file().check_size()?;
                Ok(conversion.keeps(bytes).then_some(source))
            }
            None => Ok(None),
        }
    }

    /// Writes the elements in the host's form, on all cores, and releases the mapped pages as they
    /// are consumed. `done` is called with the bytes of the file that were consumed, from any
    /// thread.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    ///
    /// # Panics
    /// `output` has another size than [`shape`](Self::shape) takes.
    pub fn write_into(&self, output: &mut [u8], done: &(dyn Fn(usize) + Sync)) -> Result<()> {
        assert_eq!(output.len(), self.shape.byte_size(), "the size of {}", self.shape);
        // Chunks have at least one byte.
        let each = (output.len() / self.parts.len().max(1)).max(1);
        let parts = output.par_chunks_mut(each).zip(&self.parts);
        parts.try_for_each(|(output, part)| part.write_into(output, done))
    }
}
