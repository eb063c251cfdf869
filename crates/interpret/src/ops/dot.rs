//! Dot products, accumulated in row-major order of the contracted axes and rounded once.

use super::sum_of_products;
use crate::{
    array::{Array, positions},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::Number,
};
use hloom_graph::{DType, DotDims, NodeId, Shape};

/// 0 as the start of a sum in this type.
pub(super) fn zero(dtype: DType) -> Number {
    if dtype.is_int() { Number::Int(0) } else { Number::Float(0.0) }
}

/// The axes that are neither contracted nor batch axes.
fn free(rank: usize, contracting: &[usize], batch: &[usize]) -> Vec<usize> {
    (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
}

fn dot(result: Shape, dims: &DotDims, left: &Array, right: &Array) -> Array {
    let left_free = free(left.sizes().len(), &dims.left_contracting, &dims.left_batch);
    let right_free = free(right.sizes().len(), &dims.right_contracting, &dims.right_batch);
    let contracted: Vec<usize> =
        dims.left_contracting.iter().map(|&axis| left.sizes()[axis]).collect();
    let contracted = positions(&contracted);
    let (mut from_left, mut from_right) =
        (vec![0; left.sizes().len()], vec![0; right.sizes().len()]);
    Array::from_fn(result, |position| {
        let (batch, rest) = position.split_at(dims.left_batch.len());
        let (on_left, on_right) = rest.split_at(left_free.len());
        let place = |from: &mut [usize], axes: &[usize], at: &[usize]| {
            axes.iter().zip(at).for_each(|(&axis, &at)| from[axis] = at);
        };
        place(&mut from_left, &dims.left_batch, batch);
        place(&mut from_right, &dims.right_batch, batch);
        place(&mut from_left, &left_free, on_left);
        place(&mut from_right, &right_free, on_right);
        let mut sum = zero(result.dtype());
        for at in &contracted {
            place(&mut from_left, &dims.left_contracting, at);
            place(&mut from_right, &dims.right_contracting, at);
            sum = sum_of_products(sum, left.number(&from_left), right.number(&from_right));
        }
        sum.encode(result.dtype())
    })
}

/// The number of products of a dot.
fn products(dims: &DotDims, left: &Array, result: Shape) -> usize {
    let contracted = dims.left_contracting.iter().map(|&axis| left.sizes()[axis]);
    result.element_count().saturating_mul(contracted.product())
}

impl Evaluate for DotDims {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |x, shape| products(self, x[0], shape))?;
        m.one(n, |x, shape| dot(shape, self, x[0], x[1]))
    }
}
