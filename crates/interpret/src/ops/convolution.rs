//! Convolutions, accumulated in row-major order of the window and rounded once.

use super::{dot::zero, sum_of_products};
use crate::{
    array::{Array, positions},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
};
use hloom_graph::{ConvDims, NodeId, Shape};

fn convolution(result: Shape, dims: &ConvDims, input: &Array, kernel: &Array) -> Array {
    let window: Vec<usize> =
        dims.kernel_spatial_dimensions.iter().map(|&axis| kernel.sizes()[axis]).collect();
    let window = positions(&window);
    let taken = kernel.sizes()[dims.kernel_input_feature_dimension];
    let made = kernel.sizes()[dims.kernel_output_feature_dimension];
    let batch = input.sizes()[dims.input_batch_dimension] / dims.batch_groups;
    let (mut from, mut by) = (vec![0; input.sizes().len()], vec![0; kernel.sizes().len()]);
    Array::from_fn(result, |position| {
        let feature = position[dims.output_feature_dimension];
        // Each group of features, or of the batch, computes its own part of the output features.
        let feature_group = feature / (made / dims.feature_groups);
        let batch_group = feature / (made / dims.batch_groups);
        by[dims.kernel_output_feature_dimension] = feature;
        from[dims.input_batch_dimension] =
            batch_group * batch + position[dims.output_batch_dimension];
        let mut sum = zero(result.dtype());
        for offset in &window {
            if !place(dims, position, offset, input, kernel, &mut from, &mut by) {
                continue;
            }
            for channel in 0..taken {
                from[dims.input_feature_dimension] = feature_group * taken + channel;
                by[dims.kernel_input_feature_dimension] = channel;
                sum = sum_of_products(sum, input.number(&from), kernel.number(&by));
            }
        }
        sum.encode(result.dtype())
    })
}

/// Sets the spatial positions of input and kernel for an offset in the window; returns whether the
/// input has an element there, rather than a zero of padding or dilation.
fn place(
    dims: &ConvDims,
    position: &[usize],
    offset: &[usize],
    input: &Array,
    kernel: &Array,
    from: &mut [usize],
    by: &mut [usize],
) -> bool {
    for (axis, &offset) in offset.iter().enumerate() {
        let window = position[dims.output_spatial_dimensions[axis]];
        let dilated = window as i128 * dims.strides[axis] as i128
            + offset as i128 * dims.rhs_dilation[axis] as i128
            - dims.low[axis] as i128;
        let step = dims.lhs_dilation[axis] as i128;
        let on_input = dims.input_spatial_dimensions[axis];
        let index = dilated.div_euclid(step);
        if dilated.rem_euclid(step) != 0 || index < 0 || index >= input.sizes()[on_input] as i128 {
            return false;
        }
        from[on_input] = index as usize;
        let on_kernel = dims.kernel_spatial_dimensions[axis];
        let last = kernel.sizes()[on_kernel] - 1;
        by[on_kernel] = if dims.reversal[axis] { last - offset } else { offset };
    }
    true
}

/// The number of products of a convolution.
fn products(dims: &ConvDims, kernel: &Array, result: Shape) -> usize {
    let made = kernel.sizes()[dims.kernel_output_feature_dimension].max(1);
    let each = kernel.shape().element_count() / made;
    result.element_count().saturating_mul(each)
}

impl Evaluate for ConvDims {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |x, shape| products(self, x[1], shape))?;
        m.one(n, |x, shape| convolution(shape, self, x[0], x[1]))
    }
}
