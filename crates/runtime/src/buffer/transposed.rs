//! Elements of buffers with the axes in another order.

use super::{Buffer, Memory, Placement};
use crate::{
    Error, NamedSharding, Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{Dims, Element, IntoAxes, Shape};

impl Buffer {
    /// The elements in row-major order of `axes`, which name each axis of the buffer once, so that
    /// they do not depend on the order in which a program returns its axes. Waits for them.
    ///
    /// ```no_run
    /// # use hloom_runtime::*;
    /// # fn example(y: Buffer) -> Result<()> {
    /// let values = y.to_vec_in::<f32>(["batch", "time", "in"])?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), or `axes` are not those of the buffer.
    pub fn to_vec_in<T: Element>(&self, axes: impl IntoAxes) -> Result<Vec<T>> {
        let order = self.order(axes)?;
        if T::DTYPE != self.dtype() {
            let (shape, found) = (self.shape(), self.shape().element_count());
            return Err(Error::host_data(shape, found, T::DTYPE));
        }
        Ok(T::from_bytes(&transposed(&self.to_bytes()?, self.shape(), &order)))
    }

    /// A copy with the axes in this order, which name each axis of the buffer once, on the same
    /// devices and sharded along the same axes. It is made on the host, once the elements are
    /// available: in a program, [`Tensor::transpose`](hloom_graph::Tensor::transpose) is cheaper.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes), or `axes` are not those of the buffer.
    pub fn transposed(&self, axes: impl IntoAxes) -> Result<Buffer> {
        let order = self.order(axes)?;
        let shape = reordered(self.shape(), &order)?;
        let bytes = transposed(&self.to_bytes()?, self.shape(), &order);
        match &self.memory {
            Memory::Single(memory) => {
                let (client, dims) = (memory.client(), dims_i64(shape));
                let copy = client.host_buffer(to_pjrt(shape.dtype()), &dims).copy(&bytes);
                Buffer::wrap(shape, copy)
            }
            Memory::Sharded(shards) => {
                let sharding = shards.sharding();
                let resolved = sharding.resolved().transposed(&order);
                let sharding = NamedSharding::of(sharding.mesh().clone(), resolved);
                Buffer::from_bytes(Placement::NamedSharding(&sharding), shape, &bytes)
            }
        }
    }

    /// The positions of the axes.
    fn order(&self, axes: impl IntoAxes) -> Result<Vec<usize>> {
        let shape = self.shape();
        let axes = axes.into_axes(shape.rank());
        let order = axes.iter().map(|&axis| shape.position(axis));
        let order = order.collect::<Result<Vec<usize>, _>>()?;
        // Blocks lie along the last axis.
        let keeps_rows =
            shape.dtype().block().is_none() || order.last() == Some(&(shape.rank() - 1));
        let is_order = (0..shape.rank()).all(|axis| order.contains(&axis));
        if is_order && order.len() == shape.rank() && keeps_rows {
            Ok(order)
        } else {
            let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            Err(Error::Order { buffer: Box::new(shape), axes: axes.join(", ") })
        }
    }
}

/// The shape with its axes in another order.
fn reordered(shape: Shape, order: &[usize]) -> Result<Shape> {
    let axes = order.iter().map(|&axis| (shape.names()[axis], shape.sizes()[axis]));
    Ok(shape.with_dims(Dims::new(axes)?))
}

/// The elements of an array in row-major order of its axes in another order.
fn transposed(bytes: &[u8], shape: Shape, order: &[usize]) -> Vec<u8> {
    let shape = shape.stored();
    let (sizes, width) = (shape.sizes(), shape.dtype().size());
    if order.is_sorted() || bytes.is_empty() {
        return bytes.to_vec();
    }
    let stride = |axis: usize| sizes[axis + 1..].iter().product::<usize>() * width;
    let axes: Vec<(usize, usize)> = order.iter().map(|&axis| (sizes[axis], stride(axis))).collect();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0; axes.len()];
    let mut offset = 0;
    loop {
        out.extend_from_slice(&bytes[offset..offset + width]);
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return out;
            }
            axis -= 1;
            let (size, stride) = axes[axis];
            index[axis] += 1;
            offset += stride;
            if index[axis] < size {
                break;
            }
            index[axis] = 0;
            offset -= size * stride;
        }
    }
}
