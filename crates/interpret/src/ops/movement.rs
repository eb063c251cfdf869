//! Constants, and ops that move elements without changing them.

use crate::{
    InterpretError,
    array::Array,
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::{Number, converted},
};
use hloom_graph::{
    DType, Literal, NodeId, PadDims, Shape, SliceDims,
    op::{BroadcastInDim, Concatenate, Iota, Reshape, Reverse, Splat, Transpose},
};

fn constant(literal: &Literal) -> Result<Array, InterpretError> {
    Array::from_bytes(literal.shape(), literal.bytes())
}

fn splat(result: Shape, splat: &Splat) -> Result<Array, InterpretError> {
    let one = Array::from_bytes(Shape::scalar(result.dtype()), splat.scalar.bytes())?;
    Ok(Array::of(result, vec![one.at(&[]); result.element_count()]))
}

fn iota(iota: &Iota) -> Array {
    let dtype = iota.shape.dtype();
    Array::from_fn(iota.shape, |position| converted(DType::I64, dtype, position[iota.axis] as u128))
}

fn broadcast(result: Shape, to: &BroadcastInDim, x: &Array) -> Array {
    let mut from = vec![0; x.sizes().len()];
    Array::from_fn(result, |position| {
        for ((at, &size), &axis) in from.iter_mut().zip(x.sizes()).zip(to.axes.iter()) {
            *at = if size == 1 { 0 } else { position[axis] };
        }
        x.at(&from)
    })
}

fn transpose(result: Shape, order: &[usize], x: &Array) -> Array {
    let mut from = vec![0; order.len()];
    Array::from_fn(result, |position| {
        for (&at, &axis) in position.iter().zip(order) {
            from[axis] = at;
        }
        x.at(&from)
    })
}

fn reverse(result: Shape, axes: &[usize], x: &Array) -> Array {
    let mut from = vec![0; result.rank()];
    Array::from_fn(result, |position| {
        from.copy_from_slice(position);
        for &axis in axes {
            from[axis] = x.sizes()[axis] - 1 - position[axis];
        }
        x.at(&from)
    })
}

fn slice(result: Shape, dims: &SliceDims, x: &Array) -> Array {
    let mut from = vec![0; result.rank()];
    Array::from_fn(result, |position| {
        for (axis, at) in from.iter_mut().enumerate() {
            *at = dims.start[axis] + position[axis] * dims.stride[axis];
        }
        x.at(&from)
    })
}

/// The operand's element that a position of the padded tensor holds, if it holds one.
fn pad(result: Shape, dims: &PadDims, x: &Array, padding: &Array) -> Array {
    let mut from = vec![0; result.rank()];
    Array::from_fn(result, |position| {
        for (axis, at) in from.iter_mut().enumerate() {
            let step = dims.interior[axis] as i128 + 1;
            let distance = position[axis] as i128 - dims.low[axis] as i128;
            let (index, between) = (distance.div_euclid(step), distance.rem_euclid(step));
            if between != 0 || index < 0 || index >= x.sizes()[axis] as i128 {
                return padding.at(&[]);
            }
            *at = index as usize;
        }
        x.at(&from)
    })
}

pub(super) fn concatenate(result: Shape, axis: usize, parts: &[&Array]) -> Array {
    let mut from = vec![0; result.rank()];
    Array::from_fn(result, |position| {
        from.copy_from_slice(position);
        for part in parts {
            let size = part.sizes()[axis];
            if from[axis] < size {
                return part.at(&from);
            }
            from[axis] -= size;
        }
        // Unreachable: the parts together are as long as the result.
        Number::Int(0).encode(result.dtype())
    })
}

impl Evaluate for Literal {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.each(n, |_, _| Ok(vec![constant(self)?]))
    }
}

impl Evaluate for Splat {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.each(n, |_, shapes| Ok(vec![splat(shapes[0], self)?]))
    }
}

impl Evaluate for Iota {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |_, _| iota(self))
    }
}

impl Evaluate for BroadcastInDim {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| broadcast(shape, self, x[0]))
    }
}

impl Evaluate for Reshape {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| x[0].reshaped(shape))
    }
}

impl Evaluate for Transpose {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| transpose(shape, &self.order, x[0]))
    }
}

impl Evaluate for SliceDims {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| slice(shape, self, x[0]))
    }
}

impl Evaluate for PadDims {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| pad(shape, self, x[0], x[1]))
    }
}

impl Evaluate for Concatenate {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| concatenate(shape, self.axis, x))
    }
}

impl Evaluate for Reverse {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| reverse(shape, &self.axes, x[0]))
    }
}
