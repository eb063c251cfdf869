//! Copies of buffers that are padded with zeros or cut.

use super::{
    Buffer, Memory, Placement,
    host_blocks::{BlockPlace, copy_block},
};
use crate::{
    Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{Dims, Shape};
use hloom_pjrt::AlignedVec;

impl Buffer {
    /// A copy whose axes at the given positions have other sizes: cut, or padded with zeros at the
    /// end. It is made on the host, once the elements are available. `to` is the preferred
    /// placement; a sharding that does not fit the new sizes is replaced by a replicated one.
    pub(crate) fn resized<const N: usize>(
        &self,
        to: Placement<'_>,
        axes: &[Option<usize>; N],
        sizes: [usize; N],
    ) -> Result<Buffer> {
        let size = |(at, &size): (usize, &usize)| {
            let axis = axes.iter().position(|&axis| axis == Some(at));
            axis.map_or(size, |axis| sizes[axis])
        };
        let old = self.shape();
        let new: Vec<usize> = old.sizes().iter().enumerate().map(size).collect();
        let dims = Dims::new(old.names().iter().copied().zip(new.iter().copied()))?;
        let shape = Shape::new(old.dtype(), dims)?;
        self.ready()?;
        let block = self.with_host_bytes(|bytes| resized(bytes, old, shape))?;
        let block = block.map_err(crate::Error::plugin(format!("a buffer of {shape}")))?;
        match to {
            Placement::Platform(platform) => {
                let dims = dims_i64(shape);
                let memory = platform.client().host_buffer(to_pjrt(shape.dtype()), &dims);
                Buffer::wrap(shape, memory.zero_copy_mut(block).map(|(memory, _)| memory))
            }
            Placement::NamedSharding(sharding) if sharding.check(&shape).is_err() => {
                Buffer::from_bytes(sharding.mesh(), shape, &block)
            }
            to => Buffer::from_bytes(to, shape, &block),
        }
    }

    /// Passes the bytes in host layout to `f`, without a copy where the host can read the memory.
    fn with_host_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> Result<R> {
        if let Memory::Single(memory) = &self.memory
            && let Ok(view) = memory.host_view()
        {
            return Ok(f(view.as_bytes()));
        }
        Ok(f(&self.to_bytes()?))
    }
}

/// The block of `bytes` that both shapes have, followed by zeros along each axis.
fn resized(bytes: &[u8], old: Shape, new: Shape) -> hloom_pjrt::Result<AlignedVec<u8>> {
    let (old, new) = (old.stored(), new.stored());
    let mut block = AlignedVec::<u8>::zeroed(new.byte_size())?;
    let start = vec![0; old.rank()];
    let common: Vec<usize> = old.sizes().iter().zip(new.sizes()).map(|(a, b)| *a.min(b)).collect();
    let (source, target) = (
        BlockPlace { sizes: old.sizes(), start: &start },
        BlockPlace { sizes: new.sizes(), start: &start },
    );
    copy_block(bytes, source, &mut block, target, &common, old.dtype().size());
    Ok(block)
}
