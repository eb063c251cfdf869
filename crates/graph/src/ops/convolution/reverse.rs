//! The derivative of convolutions.

use super::ConvDims;
use crate::{
    PerAxis, Shape, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    ops::reduce_window::dilated,
    record,
};

impl Vjp for ConvDims {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (input, kernel) = (pull.shape(0), pull.shape(1));
        let g = pull.g();
        let empty = |shape: &Shape| shape.element_count() == 0;
        if empty(&input) || empty(&kernel) || empty(&g.shape()) {
            return Vec::new();
        }
        let of_input = || {
            let of_input = of_input(self, g, pull.x(1).convert(g.dtype()), &input);
            of_input.convert(input.dtype())
        };
        let of_kernel = || {
            let of_kernel = of_kernel(self, g, pull.x(0).convert(g.dtype()), &kernel);
            of_kernel.convert(kernel.dtype())
        };
        pull.two(of_input, of_kernel)
    }
}

/// The sizes along each spatial axis with its dilation: of the input, the kernel and the result.
fn spans(op: &ConvDims, input: &Shape, kernel: &Shape, result: &Shape) -> Vec<[isize; 3]> {
    let span = |i: usize| {
        [
            dilated(input.sizes()[op.input_spatial_dimensions[i]], op.lhs_dilation[i]),
            dilated(kernel.sizes()[op.kernel_spatial_dimensions[i]], op.rhs_dilation[i]),
            dilated(result.sizes()[op.output_spatial_dimensions[i]], op.strides[i]),
        ]
    };
    (0..op.strides.len()).map(span).collect()
}

fn of_input(op: &ConvDims, g: Tensor, mut kernel: Tensor, input: &Shape) -> Tensor {
    let spans = spans(op, input, &kernel.shape(), &g.shape());
    let low = |i: usize| spans[i][1] - op.low[i] - 1;
    let high = |i: usize| spans[i][0] + spans[i][1] - 1 - spans[i][2] - low(i);
    let (features, made) = (op.kernel_input_feature_dimension, op.kernel_output_feature_dimension);
    let groups = op.feature_groups.max(op.batch_groups);
    if groups > 1 {
        kernel = regrouped(kernel, made, groups, features);
    }
    let all = 0..spans.len();
    let dims = ConvDims {
        input_batch_dimension: op.output_batch_dimension,
        input_feature_dimension: op.output_feature_dimension,
        input_spatial_dimensions: op.output_spatial_dimensions,
        kernel_input_feature_dimension: made,
        kernel_output_feature_dimension: features,
        kernel_spatial_dimensions: op.kernel_spatial_dimensions,
        output_batch_dimension: op.input_batch_dimension,
        output_feature_dimension: op.input_feature_dimension,
        output_spatial_dimensions: op.input_spatial_dimensions,
        strides: op.lhs_dilation,
        low: PerAxis::collect(all.clone().map(low)),
        high: PerAxis::collect(all.map(high)),
        lhs_dilation: op.strides,
        rhs_dilation: op.rhs_dilation,
        reversal: PerAxis::collect(op.reversal.iter().map(|reversed| !reversed)),
        feature_groups: groups,
        batch_groups: 1,
        precision: op.precision,
        accumulate: None,
    };
    let product = record(dims, &[g, kernel])[0];
    match op.batch_groups {
        1 => product,
        groups => regrouped(product, op.input_feature_dimension, groups, op.input_batch_dimension),
    }
}

fn of_kernel(op: &ConvDims, g: Tensor, input: Tensor, kernel: &Shape) -> Tensor {
    let spans = spans(op, &input.shape(), kernel, &g.shape());
    let high = |i: usize| spans[i][2] - spans[i][0] + spans[i][1] - op.low[i] - 1;
    let dims = ConvDims {
        input_batch_dimension: op.input_feature_dimension,
        input_feature_dimension: op.input_batch_dimension,
        input_spatial_dimensions: op.input_spatial_dimensions,
        kernel_input_feature_dimension: op.output_batch_dimension,
        kernel_output_feature_dimension: op.output_feature_dimension,
        kernel_spatial_dimensions: op.output_spatial_dimensions,
        output_batch_dimension: op.kernel_input_feature_dimension,
        output_feature_dimension: op.kernel_output_feature_dimension,
        output_spatial_dimensions: op.kernel_spatial_dimensions,
        strides: op.rhs_dilation,
        low: op.low,
        high: PerAxis::collect((0..spans.len()).map(high)),
        lhs_dilation: op.lhs_dilation,
        rhs_dilation: op.strides,
        reversal: PerAxis::collect(spans.iter().map(|_| false)),
        feature_groups: op.batch_groups,
        batch_groups: op.feature_groups,
        precision: op.precision,
        accumulate: None,
    };
    let product = record(dims, &[input, g])[0];
    let reversed: Vec<isize> = (op.kernel_spatial_dimensions.iter().zip(&*op.reversal))
        .filter(|(_, reversed)| **reversed)
        .map(|(&axis, _)| axis as isize)
        .collect();
    if reversed.is_empty() { product } else { product.reverse(&reversed[..]) }
}

/// Splits an axis into `groups` and the rest, and merges the groups, as the slower part, into the
/// axis `into`, counted without them.
fn regrouped(x: Tensor, axis: usize, groups: usize, into: usize) -> Tensor {
    let shape = x.shape();
    let mut sizes = shape.sizes().to_vec();
    sizes.splice(axis..=axis, [groups, shape.sizes()[axis] / groups]);
    let apart = x.reshape(&sizes[..]);
    let moved = apart.moveaxis(axis, into as isize);
    let mut merged = shape.sizes().to_vec();
    merged[axis] /= groups;
    merged[into] *= groups;
    moved.reshape(&merged[..])
}
