//! Load plans: the tensors of a tree to read, convert and copy.

use crate::{Error, Result, TensorView, View, convert::Conversion};
use hloom_graph::{
    Mismatch, PartitionSpec, Path, Problem, Shape, Spec, SpecReader, Tree, nearest_name,
    path_matches,
};
use rayon::prelude::*;

/// The tensors of a tree, each with the range of its bytes and their conversion, in the tree's
/// order.
#[derive(Debug)]
pub struct LoadPlan {
    /// The tensors, in the tree's order.
    pub tensors: Vec<PlannedTensor>,
}

/// A tensor that is to be loaded.
#[derive(Clone, Debug)]
pub struct PlannedTensor {
    source: TensorView,
    shape: Shape,
    partition: PartitionSpec,
    conversion: Conversion,
}

/// Whether tensors that a tree has no leaf for are an error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Unused {
    /// They are ignored.
    Allowed,
    /// They are reported.
    #[default]
    Refused,
    /// They are reported, except those whose full name matches a pattern, in which `*` matches any
    /// text.
    RefusedExcept(Vec<String>),
}

impl Unused {
    /// Whether a tensor of this name without a leaf is accepted.
    fn accepts(&self, name: &str) -> bool {
        match self {
            Unused::Allowed => true,
            Unused::Refused => false,
            Unused::RefusedExcept(patterns) => {
                patterns.iter().any(|pattern| path_matches(pattern, name))
            }
        }
    }
}

/// Unused tensors are compared with leaves for a hint up to this number: an error prints as many.
const HINTS: usize = 20;

/// Bytes that one thread converts or copies at a time: large enough for a small scheduling
/// overhead, small enough that all cores share a single large tensor and that few pages are held
/// twice.
pub(crate) const PIECE: usize = 1 << 20;

impl LoadPlan {
    /// Finds the tensor of every leaf of `tree` in `view`. The leaf's spec defines the result: the
    /// sizes must be the file's; floats of another type are converted (to 16 bits or more).
    ///
    /// # Errors
    /// All tensors that are missing, of other sizes or of a type that is not converted, and those
    /// that are unused, unless `unused` accepts them.
    pub fn new<A: Tree<Leaf = Spec>>(
        view: &View,
        tree: &A,
        unused: &Unused,
    ) -> Result<LoadPlan, Mismatch> {
        let reader = SpecReader::new(view);
        let mut tensors = Vec::new();
        tree.visit(
            &mut |path, spec| match view.checkpoint().get(&view.name_of(&path.to_string())) {
                None => reader.missing(path),
                Some(source) => match PlannedTensor::new(source, spec) {
                    Ok(tensor) => tensors.push(tensor),
                    Err(problem) => reader.note(path, problem),
                },
            },
        );
        let refused = view.unused(tree).into_iter().filter(|name| !unused.accepts(name));
        let leaves = tree.paths();
        for (i, name) in refused.enumerate() {
            let path = view.path_of(&name);
            let nearest = match i < HINTS {
                true => nearest_name(path, leaves.iter().map(String::as_str)),
                false => None,
            };
            let note = nearest.map_or(String::new(), |leaf| format!("it has `{leaf}`"));
            reader.note(&Path::ROOT.field(path), Problem::Unused { note });
        }
        reader.finish(LoadPlan { tensors })
    }

    /// The size of the tensors in the files, in bytes.
    pub fn byte_size(&self) -> u64 {
        self.tensors.iter().map(|tensor| tensor.source.range().len() as u64).sum()
    }
}

impl PlannedTensor {
    fn new(source: TensorView, spec: &Spec) -> Result<PlannedTensor, Problem> {
        let (shape, found) = (spec.shape(), source.shape());
        let ill_shaped =
            |expected: String| Problem::IllShaped { expected, found: found.to_string() };
        if let Some(error) = spec.error() {
            return Err(ill_shaped(format!("no shape at all ({})", error.message)));
        }
        if shape.sizes() != found.sizes() {
            return Err(ill_shaped(shape.to_string()));
        }
        let Some(conversion) = Conversion::between(found.dtype(), shape.dtype()) else {
            return Err(ill_shaped(format!(
                "{shape} (only floats are converted, to floats of 16 bits or more, and i64 to i32)"
            )));
        };
        Ok(PlannedTensor { source, shape, partition: spec.partition_spec(), conversion })
    }

    /// The tensor in the file.
    pub fn source(&self) -> &TensorView {
        &self.source
    }

    /// The shape that it is loaded with.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How it is split over a mesh.
    pub fn partition_spec(&self) -> PartitionSpec {
        self.partition
    }

    #[cfg(feature = "load")]
    pub(crate) fn conversion(&self) -> Conversion {
        self.conversion
    }

    /// The error about an element that the type of the buffer does not have.
    pub(crate) fn unfit(&self, element: i64) -> Error {
        Error::Tensor {
            name: self.source.name().to_owned(),
            message: format!("{element} is not a value of type {}", self.shape.dtype()),
        }
    }

    /// Whether its mapped bytes can be used without a copy: they need no conversion and begin at a
    /// multiple of `alignment`.
    ///
    /// # Errors
    /// The file was truncated.
    pub fn is_ready(&self, alignment: usize) -> Result<bool> {
        match self.source.mapped().filter(|_| self.source.is_aligned(alignment)) {
            Some(bytes) => {
                self.source.file().check_size()?;
                Ok(self.conversion.keeps(bytes))
            }
            None => Ok(false),
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
        let (bits, size) = self.conversion.element_sizes(self.shape.dtype());
        // A multiple of two elements, so that pieces begin at whole bytes of packed ones.
        let elements = PIECE / 16;
        let (file, range) = (self.source.file(), self.source.range());
        let pieces = output.par_chunks_mut(elements * size).enumerate();
        pieces.try_for_each(|(i, output)| {
            let first = range.start + i * (elements * bits / 8);
            let piece = first..range.end.min(first + elements * bits / 8);
            match self.conversion {
                // Reading is cheaper than mapping each page, copying it and releasing it.
                Conversion::Copy => file.read_at(first, output)?,
                conversion => {
                    file.with_bytes(piece.clone(), |input| conversion.run(input, output))?
                        .map_err(|element| self.unfit(element))?;
                    file.release(piece.clone());
                }
            }
            done(piece.len());
            Ok::<(), Error>(())
        })?;
        file.release(range);
        Ok(())
    }
}
