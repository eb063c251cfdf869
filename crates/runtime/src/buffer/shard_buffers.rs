//! The shards of a tensor on the devices of a mesh.

use super::host_blocks::{BlockPlace, contiguous, copy_block};
use crate::{
    Error, Mesh, NamedSharding, Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{PerAxis, Shape};
use hloom_pjrt::AlignedVec;
use std::sync::Arc;

/// A tensor's shards: one PJRT buffer for each device of a mesh, in its order.
pub(crate) struct ShardBuffers {
    sharding: NamedSharding,
    parts: Box<[Arc<hloom_pjrt::Buffer>]>,
}

impl ShardBuffers {
    /// Wraps shards that no other handle has.
    pub fn new(
        sharding: NamedSharding,
        parts: impl ExactSizeIterator<Item = hloom_pjrt::Buffer>,
    ) -> ShardBuffers {
        let parts: Box<[_]> = parts.map(Arc::new).collect();
        debug_assert_eq!(parts.len(), sharding.mesh().devices().len());
        ShardBuffers { sharding, parts }
    }

    /// Wraps shards, some of which other handles may have too.
    pub fn of(sharding: NamedSharding, parts: Vec<Arc<hloom_pjrt::Buffer>>) -> ShardBuffers {
        debug_assert_eq!(parts.len(), sharding.mesh().devices().len());
        ShardBuffers { sharding, parts: parts.into() }
    }

    pub fn sharding(&self) -> &NamedSharding {
        &self.sharding
    }

    pub fn parts(&self) -> &[Arc<hloom_pjrt::Buffer>] {
        &self.parts
    }

    /// Whether nothing else has a shard.
    pub fn are_exclusive(&mut self) -> bool {
        self.parts.iter_mut().all(|part| Arc::get_mut(part).is_some())
    }

    /// Replaces the shards, reusing allocations that are not shared.
    pub fn replace(
        &mut self,
        sharding: &NamedSharding,
        mut parts: impl ExactSizeIterator<Item = hloom_pjrt::Buffer>,
    ) {
        if parts.len() != self.parts.len() {
            *self = ShardBuffers::new(sharding.clone(), parts);
            return;
        }
        if self.sharding != *sharding {
            self.sharding = sharding.clone();
        }
        for (old, new) in self.parts.iter_mut().zip(&mut parts) {
            match Arc::get_mut(old) {
                Some(old) => *old = new,
                None => *old = Arc::new(new),
            }
        }
    }

    /// The shard of one device by itself, and its shape.
    pub fn part(&self, device: usize, shape: Shape) -> Option<(Shape, ShardBuffers)> {
        let part = self.parts.get(device)?;
        let local = self.sharding.resolved().local(&shape, &self.sharding.mesh().shape());
        let shards = ShardBuffers {
            sharding: self.sharding.mesh().of_one(device).replicated(shape.rank()),
            parts: [Arc::clone(part)].into(),
        };
        Some((local, shards))
    }

    /// The whole tensor's bytes in host layout. Waits for them.
    pub fn to_bytes(&self, shape: Shape) -> hloom_pjrt::Result<Vec<u8>> {
        if self.sharding.is_replicated() {
            return self.parts[0].to_bytes();
        }
        let len = shape.byte_size();
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(len).is_err() {
            // Report an error of the program first: often the devices were out of memory too.
            self.parts.iter().try_for_each(|part| part.wait())?;
            let what = format!("reading {shape} from the host");
            return Err(hloom_pjrt::Error::HostMemory { what, bytes: len });
        }
        bytes.resize(len, 0);
        self.read_into(shape, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the whole tensor's bytes, with one copy of each shard. Waits for them.
    pub fn read_into(&self, shape: Shape, bytes: &mut [u8]) -> hloom_pjrt::Result<()> {
        if self.sharding.is_replicated() {
            return self.parts[0].read_into_bytes(bytes);
        }
        let (mesh, shape) = (self.sharding.mesh().shape(), shape.stored());
        let resolved = self.sharding.resolved();
        let local = resolved.local(&shape, &mesh);
        let firsts = resolved.first_copies(&mesh);
        for device in (0..self.parts.len()).filter(|&device| firsts[device] == device) {
            let (start, sizes) = resolved.slice(device, &shape, &mesh);
            let whole = BlockPlace { sizes: shape.sizes(), start: &start };
            // Read a contiguous shard without padding directly to its destination.
            let unpadded = *sizes == *local.sizes();
            if let (true, Some(range)) = (unpadded, contiguous(whole, &sizes, shape.dtype().size()))
            {
                self.parts[device].read_into_bytes(&mut bytes[range])?;
                continue;
            }
            let part = self.parts[device].to_bytes()?;
            let zeros = [0; hloom_graph::MAX_RANK];
            let own = BlockPlace { sizes: local.sizes(), start: &zeros[..shape.rank()] };
            copy_block(&part, own, bytes, whole, &sizes, shape.dtype().size());
        }
        Ok(())
    }

    /// A copy of each shard on its device.
    pub fn duplicate(&self, shape: Shape) -> Result<ShardBuffers> {
        let local = self.sharding.local(&shape)?;
        let parts = self.parts.iter().zip(self.sharding.mesh().devices());
        let parts = parts.map(|(part, device)| {
            let bytes = part.to_bytes()?;
            let dims = dims_i64(local);
            let client = device.client();
            client.host_buffer(to_pjrt(local.dtype()), &dims).on_device(device).copy(&bytes)
        });
        gathered(&self.sharding, shape, parts)
    }
}

/// Copies to each device its shard of an array in host layout.
pub(crate) fn from_bytes(
    sharding: NamedSharding,
    shape: Shape,
    bytes: &[u8],
) -> Result<ShardBuffers> {
    let mesh = sharding.mesh();
    let local = sharding.local(&shape)?;
    let dims = dims_i64(local);
    let parts = mesh.devices().iter().enumerate().map(|(position, device)| {
        let client = device.client();
        let to = client.host_buffer(to_pjrt(local.dtype()), &dims).on_device(device);
        match host_part(&sharding, shape, position, bytes) {
            HostPart::Piece(piece) => to.copy(piece),
            HostPart::Block(block) => to.zero_copy_mut(block?).map(|(buffer, _)| buffer),
        }
    });
    gathered(&sharding, shape, parts)
}

/// A device's shard of an array in host memory.
enum HostPart<'a> {
    /// A contiguous slice of the array.
    Piece(&'a [u8]),
    /// A gathered or padded copy.
    Block(hloom_pjrt::Result<AlignedVec<u8>>),
}

fn host_part<'a>(
    sharding: &NamedSharding,
    shape: Shape,
    device: usize,
    bytes: &'a [u8],
) -> HostPart<'a> {
    let (mesh, shape) = (sharding.mesh().shape(), shape.stored());
    let width = shape.dtype().size();
    let local = sharding.resolved().local(&shape, &mesh);
    let (start, sizes): (PerAxis<usize>, _) = sharding.resolved().slice(device, &shape, &mesh);
    let whole = BlockPlace { sizes: shape.sizes(), start: &start };
    if *sizes == *local.sizes()
        && let Some(range) = contiguous(whole, &sizes, width)
    {
        return HostPart::Piece(&bytes[range]);
    }
    let zeros = [0; hloom_graph::MAX_RANK];
    let own = BlockPlace { sizes: local.sizes(), start: &zeros[..shape.rank()] };
    HostPart::Block(AlignedVec::zeroed(local.byte_size()).map(|mut block| {
        copy_block(bytes, whole, &mut block, own, &sizes, width);
        block
    }))
}

/// Zeros on each device.
pub(crate) fn zeros(sharding: NamedSharding, shape: Shape) -> Result<ShardBuffers> {
    let local = sharding.local(&shape)?;
    let dims = dims_i64(local);
    let parts = sharding.mesh().devices().iter().map(|device| {
        let client = device.client();
        let zeros = AlignedVec::<u8>::zeroed(local.byte_size())?;
        let to = client.host_buffer(to_pjrt(local.dtype()), &dims).on_device(device);
        to.zero_copy_mut(zeros).map(|(buffer, _)| buffer)
    });
    gathered(&sharding, shape, parts)
}

/// A buffer in host layout, copied to one device of the mesh.
pub(crate) fn on_device<O>(
    mesh: &Mesh,
    device: usize,
    shape: Shape,
    owner: O,
) -> Result<ShardBuffers>
where
    O: AsRef<[u8]> + Send + 'static,
{
    let count = mesh.devices().len();
    let place = mesh.devices().get(device).ok_or(Error::NoSuchShard { shard: device, count })?;
    let (dims, client) = (dims_i64(shape), place.client());
    let made = client.host_buffer(to_pjrt(shape.dtype()), &dims).on_device(place).zero_copy(owner);
    let (memory, _) = made.map_err(Error::plugin(format!("a buffer of {shape}")))?;
    let sharding = mesh.of_one(device).replicated(shape.rank());
    Ok(ShardBuffers::new(sharding, [memory].into_iter()))
}

fn gathered(
    sharding: &NamedSharding,
    shape: Shape,
    parts: impl Iterator<Item = hloom_pjrt::Result<hloom_pjrt::Buffer>>,
) -> Result<ShardBuffers> {
    let parts: hloom_pjrt::Result<Vec<_>> = parts.collect();
    let parts =
        parts.map_err(Error::plugin(format!("a buffer of {}", sharding.describe(&shape))))?;
    Ok(ShardBuffers::new(sharding.clone(), parts.into_iter()))
}
