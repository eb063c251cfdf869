//! Creating buffers from values on the host, and from shards.

use super::{
    Buffer, Placement,
    shard_buffers::{self, ShardBuffers},
};
use crate::{
    Error, Mesh, NamedSharding, Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{
    Dims, Element, IntoDims, Nested, PartitionSpec, Path, Shape, ShapeError, Spec, Tree, flattened,
};
use std::sync::Arc;

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

    /// A buffer with the numbers of nested arrays, with an axis for each level, without names.
    ///
    /// ```no_run
    /// # use hloom_runtime::{Buffer, Platform};
    /// # let platform = Platform::cpu()?;
    /// let matrix = Buffer::array(&platform, [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// assert_eq!(matrix.shape().to_string(), "f32[2, 3]");
    /// # Ok::<(), hloom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    pub fn array<'a, A: Nested>(to: impl Into<Placement<'a>>, numbers: A) -> Result<Buffer> {
        let (numbers, dims) = flattened(&numbers)?;
        Buffer::from_slice(to, &numbers, dims)
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
        Buffer::from_bytes_sharded(to, shape, PartitionSpec::replicated(), bytes)
    }

    fn from_bytes_sharded(
        to: Placement<'_>,
        shape: Shape,
        partition: PartitionSpec,
        bytes: &[u8],
    ) -> Result<Buffer> {
        check_bytes(shape, bytes.len())?;
        if let Some(sharding) = to.sharding(&shape, partition)? {
            return Ok(Buffer::sharded(shape, shard_buffers::from_bytes(sharding, shape, bytes)?));
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

    /// A buffer of zeros, of a [`Shape`], a [`Spec`] or another buffer; over a mesh, sharded
    /// according to the spec.
    ///
    /// # Errors
    /// The spec is invalid or does not match the mesh, or the plugin is out of memory.
    pub fn zeros<'a>(to: impl Into<Placement<'a>>, spec: impl Into<Spec>) -> Result<Buffer> {
        Buffer::zeros_of(to.into(), &spec.into())
    }

    fn zeros_of(to: Placement<'_>, spec: &Spec) -> Result<Buffer> {
        if let Some(error) = spec.error() {
            return Err(error.into());
        }
        let (shape, partition) = (spec.shape(), spec.partition_spec());
        if let Some(sharding) = to.sharding(&shape, partition)? {
            return Ok(Buffer::sharded(shape, shard_buffers::zeros(sharding, shape)?));
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
    /// each sharded according to its spec.
    ///
    /// # Errors
    /// The first leaf whose values do not match, or that cannot be sharded over the mesh.
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
            Buffer::from_bytes_sharded(
                to,
                shape,
                spec.partition_spec(),
                bytemuck::cast_slice(&values),
            )
        })
    }

    /// Zeros for each leaf of a tree of specs; over a mesh, each sharded according to its spec.
    ///
    /// # Errors
    /// A leaf cannot be sharded over the mesh, or the plugin is out of memory.
    pub fn zeros_tree<'a, S: Tree<Leaf = Spec>>(
        to: impl Into<Placement<'a>>,
        specs: S,
    ) -> Result<S::With<Buffer>> {
        let to = to.into();
        try_map(specs, &mut |_, spec| Buffer::zeros_of(to, &spec))
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
        Ok(Buffer::sharded(shape, shard_buffers::on_device(mesh, device, shape, owner)?))
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
        let (local, devices) = (sharding.local(&shape)?, sharding.mesh().devices());
        let wrong = |shard: usize, expected: String, found: String| Error::Part {
            shape: Box::new(shape),
            shard,
            expected,
            found,
        };
        if parts.len() != devices.len() {
            let (expected, found) = (devices.len(), parts.len());
            return Err(wrong(expected.min(found), format!("{expected} parts"), found.to_string()));
        }
        let mut all = Vec::with_capacity(parts.len());
        for (position, (part, device)) in parts.into_iter().zip(devices).enumerate() {
            let on = match part.shards() {
                [memory] if part.shape().fits(&local) => memory.device(),
                _ => {
                    return Err(wrong(position, format!("{local} on one device"), part.describe()));
                }
            };
            let on = on.map_err(Error::plugin(format!("a part of {shape}")))?;
            if on != *device {
                return Err(wrong(
                    position,
                    format!("device {}", device.id()),
                    on.id().to_string(),
                ));
            }
            all.push(Arc::clone(part.as_pjrt()));
        }
        Ok(Buffer::sharded(shape, ShardBuffers::of(sharding.clone(), all)))
    }

    pub(super) fn wrap(
        shape: Shape,
        memory: hloom_pjrt::Result<hloom_pjrt::Buffer>,
    ) -> Result<Buffer> {
        let memory = memory.map_err(Error::plugin(format!("a buffer of {shape}")))?;
        Ok(Buffer::from_program(shape, memory, None))
    }
}

fn check_bytes(shape: Shape, found: usize) -> Result<()> {
    if found == shape.byte_size() {
        Ok(())
    } else {
        Err(Error::host_data(shape, found / shape.dtype().size(), shape.dtype()))
    }
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

/// The axes of the buffer.
impl IntoDims for &Buffer {
    fn into_dims(self) -> std::result::Result<Dims, ShapeError> {
        Ok(self.shape().axes())
    }
}

/// A spec of the buffer's shape, replicated over a mesh.
impl From<&Buffer> for Spec {
    fn from(buffer: &Buffer) -> Spec {
        Spec::of(buffer.shape())
    }
}
