//! Tensors on a platform's devices.

use crate::callback::Outcome;
use crate::{
    Error, Mesh, NamedSharding, Placement, Platform, Result, display,
    element_types::to_pjrt,
    shards::{self, Shards},
};
use hloom_graph::{DType, Element, IntoDims, PartitionSpec, Path, Shape, Spec, Tree};
use std::{fmt, sync::Arc};

/// A tensor on a platform's devices: a shape, a sharding, and the memory that holds its elements.
///
/// It is on the platform's first device, or split over a [`Mesh`](crate::Mesh): each device holds
/// its shard, as the [`NamedSharding`] describes. A [`Placement`] selects where it goes: a
/// reference to a platform, a mesh or a sharding.
///
/// A buffer returned by a call is a future: its elements may not have been computed yet. Reading
/// waits for them, and so do [`ready`](Buffer::ready) and `.await`; these report errors of the
/// execution.
pub struct Buffer {
    shape: Shape,
    pub(crate) memory: Memory,
    /// The call that returned it, if the program calls Rust functions, which may fail.
    pub(crate) record: Option<Arc<Outcome>>,
}

/// The memory of a buffer.
#[derive(Clone)]
pub(crate) enum Memory {
    /// On the platform's first device.
    Single(Arc<hloom_pjrt::Buffer>),
    /// Over a mesh.
    Sharded(Arc<Shards>),
}

hloom_graph::leaf!(Buffer);

impl Buffer {
    /// A buffer with a copy of `values`, in row-major order. Each device of a mesh receives its
    /// shard only.
    ///
    /// # Errors
    /// The axes are not a valid shape, the number of values differs from the shape's, the sharding
    /// does not match the mesh, or the plugin is out of memory.
    pub fn from_slice<'a, T: Element>(
        to: impl Into<Placement<'a>>,
        values: &[T],
        dims: impl IntoDims,
    ) -> Result<Buffer> {
        let shape = Shape::new(T::DTYPE, dims)?;
        if values.len() != shape.element_count() {
            return Err(Error::host_data(shape, values.len(), T::DTYPE));
        }
        Buffer::from_bytes(to, shape, bytemuck::cast_slice(values))
    }

    /// A buffer with a copy of bytes in host layout: row-major, with one byte per element for
    /// `bool` and for elements smaller than a byte.
    ///
    /// # Errors
    /// The number of bytes differs from the shape's, the sharding does not match the mesh, or the
    /// plugin is out of memory.
    pub fn from_bytes<'a>(
        to: impl Into<Placement<'a>>,
        shape: Shape,
        bytes: &[u8],
    ) -> Result<Buffer> {
        let to = to.into();
        Buffer::from_bytes_split(to, shape, PartitionSpec::replicated(), bytes)
    }

    fn from_bytes_split(
        to: Placement<'_>,
        shape: Shape,
        partition: PartitionSpec,
        bytes: &[u8],
    ) -> Result<Buffer> {
        check_bytes(shape, bytes.len())?;
        if let Some(sharding) = to.sharding(&shape, partition)? {
            return Ok(Buffer::sharded(shape, shards::from_bytes(sharding, shape, bytes)?));
        }
        let dims = dims_i64(shape);
        let memory = to.platform().client().host_buffer(to_pjrt(shape.dtype()), &dims).copy(bytes);
        Buffer::wrap(shape, memory)
    }

    /// A buffer of bytes in host layout that `owner` keeps, without a copy where the plugin can
    /// read them in place: on the CPU, when they are aligned to 64 bytes. The owner is dropped when
    /// the plugin no longer needs it. Over a mesh the devices' shards are copied.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_owner<'a, O>(to: impl Into<Placement<'a>>, shape: Shape, owner: O) -> Result<Buffer>
    where
        O: AsRef<[u8]> + Send + 'static,
    {
        let to = to.into();
        check_bytes(shape, owner.as_ref().len())?;
        if !matches!(to, Placement::Platform(_)) {
            return Buffer::from_bytes(to, shape, owner.as_ref());
        }
        let memory = to
            .platform()
            .client()
            .host_buffer(to_pjrt(shape.dtype()), &dims_i64(shape))
            .zero_copy(owner);
        Buffer::wrap(shape, memory.map(|(memory, _)| memory))
    }

    /// A buffer with one element.
    ///
    /// # Errors
    /// The plugin is out of memory.
    pub fn scalar<'a, T: Element>(to: impl Into<Placement<'a>>, value: T) -> Result<Buffer> {
        Buffer::from_bytes(to, Shape::scalar(T::DTYPE), bytemuck::bytes_of(&value))
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// The sharding does not match the mesh, or the plugin is out of memory.
    pub fn zeros<'a>(to: impl Into<Placement<'a>>, shape: Shape) -> Result<Buffer> {
        Buffer::zeros_split(to.into(), shape, PartitionSpec::replicated())
    }

    fn zeros_split(to: Placement<'_>, shape: Shape, partition: PartitionSpec) -> Result<Buffer> {
        if let Some(sharding) = to.sharding(&shape, partition)? {
            return Ok(Buffer::sharded(shape, shards::zeros(sharding, shape)?));
        }
        let dims = dims_i64(shape);
        // Mutable memory: a program that takes the buffer as a donated input may write its result
        // there.
        let memory = hloom_pjrt::AlignedVec::<u8>::zeroed(shape.byte_size()).and_then(|zeros| {
            to.platform().client().host_buffer(to_pjrt(shape.dtype()), &dims).zero_copy_mut(zeros)
        });
        Buffer::wrap(shape, memory.map(|(memory, _)| memory))
    }

    /// A buffer for each leaf of a tree of specs, with the values that `f` returns; over a mesh,
    /// each split according to its spec.
    ///
    /// # Errors
    /// The first leaf whose values do not match, or that cannot be split over the mesh.
    pub fn tree<'a, S: Tree<Leaf = Spec>, T: Element>(
        to: impl Into<Placement<'a>>,
        specs: S,
        mut f: impl FnMut(&Path<'_>, &Spec) -> Vec<T>,
    ) -> Result<S::With<Buffer>> {
        let to = to.into();
        try_map(specs, &mut |path, spec| {
            let (shape, values) = (spec.shape().with_dtype(T::DTYPE), f(path, &spec));
            if values.len() != shape.element_count() {
                return Err(Error::host_data(shape, values.len(), T::DTYPE));
            }
            Buffer::from_bytes_split(
                to,
                shape,
                spec.partition_spec(),
                bytemuck::cast_slice(&values),
            )
        })
    }

    /// Zeros for each leaf of a tree of specs; over a mesh, each split according to its spec.
    ///
    /// # Errors
    /// A leaf cannot be split over the mesh, or the plugin is out of memory.
    pub fn zeros_tree<'a, S: Tree<Leaf = Spec>>(
        to: impl Into<Placement<'a>>,
        specs: S,
    ) -> Result<S::With<Buffer>> {
        let to = to.into();
        try_map(specs, &mut |_, spec| Buffer::zeros_split(to, spec.shape(), spec.partition_spec()))
    }

    /// A buffer on one device of a mesh, by its index in the mesh's order: a shard for
    /// [`from_shards`](Self::from_shards). As with [`from_owner`](Self::from_owner), nothing is
    /// copied where the plugin can use the owner's bytes in place.
    ///
    /// # Errors
    /// There is no such device, the number of bytes differs from the shape's, or the plugin is out
    /// of memory.
    pub fn on_device<O>(mesh: &Mesh, device: usize, shape: Shape, owner: O) -> Result<Buffer>
    where
        O: AsRef<[u8]> + Send + 'static,
    {
        check_bytes(shape, owner.as_ref().len())?;
        Ok(Buffer::sharded(shape, shards::on_device(mesh, device, shape, owner)?))
    }

    /// A tensor of the shards on the devices of a mesh: one buffer per device, in the mesh's order,
    /// on that device.
    ///
    /// # Errors
    /// There are more or fewer shards than devices, or a shard has the wrong shape or device.
    pub fn from_shards(
        sharding: &NamedSharding,
        shape: Shape,
        parts: Vec<Buffer>,
    ) -> Result<Buffer> {
        Ok(Buffer::sharded(shape, shards::from_parts(sharding, shape, parts)?))
    }

    /// Wraps a PJRT buffer; its axes have no names.
    ///
    /// # Errors
    /// Its element type or rank is not supported.
    pub fn from_pjrt(memory: hloom_pjrt::Buffer) -> Result<Buffer> {
        let dtype = DType::ALL.into_iter().find(|&d| to_pjrt(d) == memory.dtype());
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

    pub(crate) fn sharded(shape: Shape, shards: Shards) -> Buffer {
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
            None => self.memory = Memory::Sharded(Arc::new(Shards::new(sharding.clone(), parts))),
        }
    }

    fn wrap(shape: Shape, memory: hloom_pjrt::Result<hloom_pjrt::Buffer>) -> Result<Buffer> {
        let memory = memory.map_err(Error::plugin(format!("a buffer of {shape}")))?;
        Ok(Buffer::from_program(shape, memory, None))
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
    /// nothing is copied.
    ///
    /// # Errors
    /// The axes are not a valid shape, or have a different number of elements.
    pub fn named(self, dims: impl IntoDims) -> Result<Buffer> {
        let shape = self.shape.with_dims(dims.into_dims()?);
        match shape.sizes() == self.shape.sizes() {
            true => Ok(Buffer { shape, memory: self.memory, record: self.record }),
            false => Err(Error::host_data(shape, self.shape.element_count(), self.dtype())),
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

    /// A copy on the same devices.
    ///
    /// # Errors
    /// The plugin is out of memory.
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
            Ok(bytes) => display::write_array(f, self.shape, &bytes)?,
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

fn check_bytes(shape: Shape, found: usize) -> Result<()> {
    match found == shape.byte_size() {
        true => Ok(()),
        false => Err(Error::host_data(shape, found / shape.dtype().size(), shape.dtype())),
    }
}

pub(crate) fn dims_i64(shape: Shape) -> Vec<i64> {
    // A shape's byte size was checked to be addressable, so its sizes fit.
    shape.sizes().iter().map(|&size| size as i64).collect()
}

/// Creates a buffer for each leaf; stops at the first error.
fn try_map<S: Tree<Leaf = Spec>>(
    specs: S,
    f: &mut dyn FnMut(&Path<'_>, Spec) -> Result<Buffer>,
) -> Result<S::With<Buffer>> {
    // The tree is rebuilt in one walk that cannot stop; an earlier walk finds the first error.
    let mut made = std::collections::VecDeque::new();
    let mut failed = None;
    specs.visit(&mut |path, spec| {
        if failed.is_none() {
            match f(path, spec.clone()) {
                Ok(buffer) => made.push_back(buffer),
                Err(error) => failed = Some(error),
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => {
            Ok(specs.map(&mut |_, _| made.pop_front().expect("a buffer was made for each leaf")))
        }
    }
}
