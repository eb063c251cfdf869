//! Tensors on a platform's devices.

#[cfg(feature = "ndarray")]
mod array;
mod from_host;
mod from_view;
mod host_blocks;
mod placement;
mod ranges;
mod resized;
mod shard_buffers;
mod shared;
mod to_host;
mod transposed;
mod uninit;

pub use placement::Placement;
pub(crate) use shard_buffers::ShardBuffers;
pub use shared::SharedBuffer;
pub use uninit::UninitBuffer;

use crate::{
    Error, NamedSharding, Platform, PrintOptions, Result, callback::Outcome, display,
    pjrt_types::from_pjrt,
};
use hloom_graph::{DType, IntoDims, Shape};
use std::{fmt, sync::Arc};

/// A tensor on a platform's devices: a shape, a sharding, and the memory that holds its elements.
///
/// It is on the platform's first device, or sharded over a [`Mesh`](crate::Mesh): each device holds
/// its shard, as the [`NamedSharding`] describes. A [`Placement`] selects where it goes: a
/// reference to a platform, a mesh or a sharding.
///
/// A buffer returned by a call is a future: its elements may not have been computed yet. Reading
/// waits for them, and so do [`ready`](Buffer::ready) and `.await`; these report errors of the
/// execution.
///
/// It is not `Clone`, since a call takes over the memory of a donated buffer. Calls borrow the
/// others, so one buffer serves any number of them; several owners share it in an `Arc`, and
/// [`duplicate`](Buffer::duplicate) copies its memory:
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*; use std::sync::Arc;
/// # fn example(platform: &Platform, exe: Exe<(Donated<Spec>, Spec), Tensor>) -> Result<()> {
/// let start = Arc::new(Buffer::zeros(platform, Spec::f32([4]))?);
/// let shared = start.clone();
/// let end = exe.call((start.duplicate(platform)?, &shared))?;
/// # Ok(()) }
/// ```
pub struct Buffer {
    shape: Shape,
    memory: Memory,
    /// The call that returned it, if the program calls Rust functions, which may fail.
    record: Option<Arc<Outcome>>,
}

/// The memory of a buffer.
#[derive(Clone)]
enum Memory {
    /// On the platform's first device.
    Single(Arc<hloom_pjrt::Buffer>),
    /// Over a mesh.
    Sharded(Arc<ShardBuffers>),
}

hloom_graph::leaf!(Buffer);

impl Buffer {
    /// Wraps a PJRT buffer; its axes have no names.
    ///
    /// # Errors
    /// Its element type or rank is not supported.
    pub fn from_pjrt(memory: hloom_pjrt::Buffer) -> Result<Buffer> {
        let dtype = from_pjrt(memory.dtype());
        let dims: Vec<usize> =
            memory.dims().iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect();
        let dtype = dtype.ok_or_else(|| Error::ForeignElementType(memory.dtype().to_string()))?;
        Ok(Buffer::from_program(Shape::new(dtype, dims)?, memory, None))
    }

    pub(crate) fn from_program(
        shape: Shape,
        memory: hloom_pjrt::Buffer,
        record: Option<Arc<Outcome>>,
    ) -> Buffer {
        Buffer { shape, memory: Memory::Single(Arc::new(memory)), record }
    }

    /// A buffer that shares memory with an executable that it is bound to.
    #[cfg(feature = "interpret")]
    pub(crate) fn of_shared(shape: Shape, memory: Arc<hloom_pjrt::Buffer>) -> Buffer {
        Buffer { shape, memory: Memory::Single(memory), record: None }
    }

    pub(crate) fn sharded(shape: Shape, shards: ShardBuffers) -> Buffer {
        Buffer { shape, memory: Memory::Sharded(Arc::new(shards)), record: None }
    }

    /// The same buffer as a result of the recorded call.
    pub(crate) fn recorded(self, record: Option<Arc<Outcome>>) -> Buffer {
        Buffer { record, ..self }
    }

    /// Replaces the memory of this handle, reusing its allocation when it is not shared.
    pub(crate) fn replace(
        &mut self,
        shape: Shape,
        memory: hloom_pjrt::Buffer,
        record: Option<Arc<Outcome>>,
    ) {
        self.shape = shape;
        self.record = record;
        let old = match &mut self.memory {
            Memory::Single(old) => Arc::get_mut(old),
            Memory::Sharded(_) => None,
        };
        match old {
            Some(old) => *old = memory,
            None => self.memory = Memory::Single(Arc::new(memory)),
        }
    }

    /// As [`replace`](Self::replace), for a result of a program over a mesh.
    pub(crate) fn replace_sharded(
        &mut self,
        shape: Shape,
        sharding: &NamedSharding,
        parts: impl ExactSizeIterator<Item = hloom_pjrt::Buffer>,
        record: Option<Arc<Outcome>>,
    ) {
        self.shape = shape;
        self.record = record;
        let old = match &mut self.memory {
            Memory::Sharded(old) => Arc::get_mut(old),
            Memory::Single(_) => None,
        };
        match old {
            Some(old) => old.replace(sharding, parts),
            None => {
                self.memory = Memory::Sharded(Arc::new(ShardBuffers::new(sharding.clone(), parts)))
            }
        }
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    /// The same memory under other axis names, or other sizes with the same number of elements;
    /// nothing is copied. Over a mesh the sizes stay the same.
    ///
    /// # Errors
    /// The axes are not a valid shape, or have a different number of elements.
    pub fn named(self, dims: impl IntoDims) -> Result<Buffer> {
        let shape = self.shape.with_dims(dims.into_dims()?);
        // A shard has the axes of the tensor: over a mesh only names change.
        let is_sharded = matches!(self.memory, Memory::Sharded(_));
        let fits = if is_sharded {
            shape.sizes() == self.shape.sizes()
        } else {
            shape.element_count() == self.shape.element_count()
        };
        if fits {
            Ok(Buffer { shape, memory: self.memory, record: self.record })
        } else {
            Err(Error::Axes {
                expected: if is_sharded {
                    "the sizes of the sharded buffer".to_owned()
                } else {
                    format!("{} elements", self.shape.element_count())
                },
                buffer: Box::new(self.shape),
                found: Box::new(shape),
            })
        }
    }

    /// The underlying PJRT buffer; that of the first device when there are several.
    pub fn as_pjrt(&self) -> &Arc<hloom_pjrt::Buffer> {
        match &self.memory {
            Memory::Single(memory) => memory,
            Memory::Sharded(shards) => &shards.parts()[0],
        }
    }

    /// The underlying PJRT buffers, one for each device of the mesh in its order; one when there is
    /// no mesh.
    pub fn shards(&self) -> &[Arc<hloom_pjrt::Buffer>] {
        match &self.memory {
            Memory::Single(memory) => std::slice::from_ref(memory),
            Memory::Sharded(shards) => shards.parts(),
        }
    }

    /// The sharding over a mesh; `None` on a platform's first device.
    pub fn sharding(&self) -> Option<&NamedSharding> {
        match &self.memory {
            Memory::Single(_) => None,
            Memory::Sharded(shards) => Some(shards.sharding()),
        }
    }

    /// The shard of one device, by its index in the mesh's order, as a buffer that shares its
    /// memory: on a mesh of that device alone. Padding is included.
    ///
    /// # Errors
    /// There is no such device, or the buffer is not on a mesh.
    pub fn shard(&self, device: usize) -> Result<Buffer> {
        let no_such = || Error::NoSuchShard { shard: device, count: self.shards().len() };
        let Memory::Sharded(shards) = &self.memory else {
            return Err(no_such());
        };
        let (shape, shard) = shards.part(device, self.shape).ok_or_else(no_such)?;
        Ok(Buffer::sharded(shape, shard))
    }

    /// Whether it has the sharding that an input expects.
    pub(crate) fn lies_as(&self, expected: Option<&NamedSharding>) -> bool {
        match (&self.memory, expected) {
            (Memory::Single(_), None) => true,
            (Memory::Sharded(shards), Some(expected)) => shards.sharding() == expected,
            _ => false,
        }
    }

    /// Whether its memory is not shared, for instance with an executable that it is bound to.
    pub(crate) fn is_unshared(&self) -> bool {
        match &self.memory {
            Memory::Single(memory) => Arc::strong_count(memory) == 1,
            Memory::Sharded(shards) => {
                Arc::strong_count(shards) == 1
                    && shards.parts().iter().all(|part| Arc::strong_count(part) == 1)
            }
        }
    }

    /// Whether no other handle has its memory, for instance an executable that it is bound to: a
    /// program may then consume it. The exclusive borrow keeps others from getting one meanwhile.
    pub fn is_exclusive(&mut self) -> bool {
        match &mut self.memory {
            Memory::Single(memory) => Arc::get_mut(memory).is_some(),
            Memory::Sharded(shards) => {
                Arc::get_mut(shards).is_some_and(|shards| shards.are_exclusive())
            }
        }
    }

    /// The shape and sharding, as text.
    pub(crate) fn describe(&self) -> String {
        match &self.memory {
            Memory::Single(_) => format!("{} on one device", self.shape),
            Memory::Sharded(shards) => {
                let sharding = shards.sharding();
                format!("{} over {}", sharding.describe(&self.shape), sharding.mesh().describe())
            }
        }
    }

    /// A buffer that shares the memory.
    pub(crate) fn shared(&self) -> Buffer {
        Buffer { shape: self.shape, memory: self.memory.clone(), record: self.record.clone() }
    }

    /// A copy on the same devices, in memory of its own.
    ///
    /// # Errors
    /// The plugin is out of memory.
    #[doc(alias = "clone")]
    #[doc(alias = "copy")]
    pub fn duplicate(&self, platform: &Platform) -> Result<Buffer> {
        match &self.memory {
            Memory::Single(_) => Buffer::from_owner(platform, self.shape, self.to_bytes()?),
            Memory::Sharded(shards) => {
                Ok(Buffer::sharded(self.shape, shards.duplicate(self.shape)?))
            }
        }
    }
}

impl fmt::Display for Buffer {
    /// The elements as NumPy prints them, or the error of reading them; on a mesh, followed by a
    /// line with the sharding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_bytes() {
            Ok(bytes) => display::write_array(f, self.shape, &bytes, &PrintOptions::default())?,
            Err(error) => write!(f, "{} ({error})", self.shape)?,
        }
        match self.sharding() {
            Some(_) => write!(f, "\n{}", self.describe()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sharding() {
            Some(_) => write!(f, "Buffer({})", self.describe()),
            None => write!(f, "Buffer({})", self.shape),
        }
    }
}
