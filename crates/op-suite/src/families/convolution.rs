//! Convolutions.

use crate::{Row, Tolerance, rows, ulps};
use hloom::{
    ops::{ConvDims, ConvOptions, EachAxis, Padding, PerAxis, Precision},
    prelude::*,
};

fn options() -> ConvOptions {
    ConvOptions::new()
}

fn strides(strides: impl Into<EachAxis>) -> ConvOptions {
    options().strides(strides)
}

fn groups(groups: usize) -> ConvOptions {
    options().groups(groups)
}

fn into(dtype: DType) -> ConvOptions {
    ConvOptions { accumulate: Some(dtype), ..options() }
}

/// Steps, padding and dilation of both sides, of a kernel that is reversed along one axis.
fn general() -> ConvDims {
    ConvDims {
        strides: PerAxis::collect([2, 1]),
        low: PerAxis::collect([1, 2]),
        high: PerAxis::collect([0, 1]),
        lhs_dilation: PerAxis::collect([1, 2]),
        rhs_dilation: PerAxis::collect([2, 1]),
        reversal: PerAxis::collect([true, false]),
        ..ConvDims::new(2)
    }
}

/// The same, with axes in another order.
fn turned() -> ConvDims {
    ConvDims {
        input_batch_dimension: 3,
        input_feature_dimension: 0,
        input_spatial_dimensions: PerAxis::collect([2, 1]),
        kernel_input_feature_dimension: 2,
        kernel_output_feature_dimension: 0,
        kernel_spatial_dimensions: PerAxis::collect([1, 3]),
        output_batch_dimension: 2,
        output_feature_dimension: 1,
        output_spatial_dimensions: PerAxis::collect([3, 0]),
        ..general()
    }
}

/// Zeros between the elements, and around them.
fn deconvolution() -> ConvDims {
    ConvDims {
        lhs_dilation: PerAxis::collect([3]),
        low: PerAxis::collect([2]),
        high: PerAxis::collect([2]),
        ..ConvDims::new(1)
    }
}

fn apart(x: Tensor, kernel: Tensor) -> Tensor {
    let x = x.named(["y", "a", "in", "b", "x"]);
    x.conv(kernel.named(["x", "out", "in", "y"]), "in", ["y", "x"], options())
}

pub fn rows() -> Vec<Row> {
    let sums: Tolerance = ulps(8).of_largest();
    Vec::from(rows![
        "conv1d", sums, [x, k] => x.conv1d(k, options());
        "conv1d into i32", sums, [x, k] => x.conv1d(k, into(DType::I32));
        "conv1d into u32", sums, [x, k] => x.conv1d(k, into(DType::U32));
        "conv1d into f32", sums, [x, k] => x.conv1d(k, into(DType::F32));
        "conv1d into f64", sums, [x, k] => x.conv1d(k, into(DType::F64));
        "conv1d into c128", sums, [x, k] => x.conv1d(k, into(DType::C128));
        "conv1d causal", sums, [x, k] => {
            x.conv1d(k, options().padding(Padding::Causal).dilation(2))
        };
        "conv2d", sums, [x, k] => x.conv2d(k, options());
        "conv2d highest", sums, [x, k] => {
            x.conv2d(k, ConvOptions { precision: Precision::Highest, ..options() })
        };
        "conv2d strides 2 padding 1", sums, [x, k] => x.conv2d(k, strides(2).padding(1));
        "conv2d same", sums, [x, k] => x.conv2d(k, strides([2, 3]).padding(Padding::Same));
        "conv2d same lower", sums, [x, k] => {
            x.conv2d(k, strides([2, 3]).padding(Padding::SameLower))
        };
        "conv2d same dilation 2", sums, [x, k] => {
            x.conv2d(k, options().padding(Padding::Same).dilation(2))
        };
        "conv2d dilation 2 3 padding", sums, [x, k] => {
            x.conv2d(k, options().padding([(1, 2), (0, 1)]).dilation([2, 3]))
        };
        "conv2d cropped", sums, [x, k] => x.conv2d(k, options().padding([(-1, 1), (2, -3)]));
        "conv2d groups 2", sums, [x, k] => x.conv2d(k, groups(2));
        "conv2d groups 4", sums, [x, k] => x.conv2d(k, groups(4).padding([1, 1]));
        "conv3d strides 2", sums, [x, k] => x.conv3d(k, strides([2, 1, 2]));
        "conv channels last", sums, [x, k] => {
            let (x, k) = (x.named(["n", "y", "x", "in"]), k.named(["y", "x", "in", "out"]));
            x.conv(k, "in", ["y", "x"], options().padding(Padding::Same))
        };
        "conv with batch axes apart", sums, [x, k] => apart(x, k);
        "conv without spatial axes", sums, [x, k] => {
            x.conv(k, 1, &[] as &[i32], options())
        };
        "conv groups by name", sums, [x, k] => {
            let (x, k) = (x.named(["n", "in", "x"]), k.named(["out", "in", "x"]));
            x.conv(k, "in", "x", groups(2))
        };
        "conv_general", sums, [x, k] => x.conv_general(k, general());
        "conv_general turned", sums, [x, k] => x.conv_general(k, turned());
        "conv_general batch groups 2", sums, [x, k] => {
            x.conv_general(k, ConvDims { batch_groups: 2, ..ConvDims::new(1) })
        };
        "conv_general deconvolution", sums, [x, k] => x.conv_general(k, deconvolution());
        "conv_transpose1d strides 2", sums, [x, k] => x.conv_transpose1d(k, strides(2));
        "conv_transpose1d same strides 1", sums, [x, k] => {
            x.conv_transpose1d(k, strides(1).padding(Padding::Same))
        };
        "conv_transpose1d same strides 2", sums, [x, k] => {
            x.conv_transpose1d(k, strides(2).padding(Padding::Same))
        };
        "conv_transpose1d same strides 3", sums, [x, k] => {
            x.conv_transpose1d(k, strides(3).padding(Padding::Same))
        };
        "conv_transpose2d padded", sums, [x, k] => {
            x.conv_transpose2d(k, strides(2).padding(1).output_padding(1))
        };
        "conv_transpose2d groups 2", sums, [x, k] => {
            x.conv_transpose2d(k, strides([2, 1]).groups(2))
        };
        "conv_transpose2d dilation 2", sums, [x, k] => {
            x.conv_transpose2d(k, strides([1, 3]).dilation(2))
        };
        "conv_transpose3d", sums, [x, k] => x.conv_transpose3d(k, strides([1, 2, 2]));
        "conv_transpose channels last", sums, [x, k] => {
            let (x, k) = (x.named(["n", "x", "in"]), k.named(["x", "out", "in"]));
            x.conv_transpose(k, "in", "x", strides(2))
        };
    ])
}
