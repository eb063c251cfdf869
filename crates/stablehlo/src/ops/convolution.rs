//! Convolutions.

use super::dot::{precisions, products};
use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::ConvDims;

impl Lower for ConvDims {
    type Results = Value;

    /// A convolution that accumulates in the result's type, as dot products do.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let reversal: Vec<_> = self.reversal.iter().map(bool::to_string).collect();
        let reversal = if reversal.is_empty() {
            "array<i1>".into()
        } else {
            format!("array<i1: {}>", reversal.join(", "))
        };
        let edges: Vec<_> = self.low.iter().copied().zip(self.high.iter().copied()).collect();
        let attributes = [
            ("dimension_numbers", Attribute::text(numbers(self))),
            ("window_strides", Attribute::i64s(&self.strides)),
            ("padding", Attribute::signed_pairs(&edges)),
            ("lhs_dilation", Attribute::i64s(&self.lhs_dilation)),
            ("rhs_dilation", Attribute::i64s(&self.rhs_dilation)),
            ("window_reversal", Attribute::text(reversal)),
            ("feature_group_count", Attribute::i64(self.feature_groups)),
            ("batch_group_count", Attribute::i64(self.batch_groups)),
            ("precision_config", precisions(self.precision)),
        ];
        products(l, n, "stablehlo.convolution", &attributes)
    }
}

/// The role of each axis: `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`.
fn numbers(dims: &ConvDims) -> String {
    let side = |first: (usize, &str), second: (usize, &str), spatial: &[usize]| {
        let mut roles = vec![String::new(); spatial.len() + 2];
        roles[first.0] = first.1.into();
        roles[second.0] = second.1.into();
        spatial.iter().enumerate().for_each(|(i, &axis)| roles[axis] = i.to_string());
        roles.join(", ")
    };
    format!(
        "#stablehlo.conv<[{}]x[{}]->[{}]>",
        side(
            (dims.input_batch_dimension, "b"),
            (dims.input_feature_dimension, "f"),
            &dims.input_spatial_dimensions
        ),
        side(
            (dims.kernel_input_feature_dimension, "i"),
            (dims.kernel_output_feature_dimension, "o"),
            &dims.kernel_spatial_dimensions
        ),
        side(
            (dims.output_batch_dimension, "b"),
            (dims.output_feature_dimension, "f"),
            &dims.output_spatial_dimensions
        )
    )
}
