//! Convolutions over named axes, or in PyTorch's order of axes.

use super::{
    Precision, Reshape, Transpose, positions,
    sliding::{EachAxis, Padding, Sliding},
};
use crate::{
    Axis, ConvDims, DType, Dims, IntoAxes, PerAxis, Shape, Tensor, ValueId,
    trace::{Builder, OpError, Rule, emit},
};
use std::panic::Location;

/// Options of a convolution. By default windows lie within the input at steps of 1, and there is
/// one group of features.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConvOptions {
    /// Distance of adjacent windows; for a transposed convolution, the distance of their results.
    pub strides: EachAxis,
    /// Zeros around the input; for a transposed convolution, the elements that are cut off the
    /// result.
    pub padding: Padding,
    /// Distance of adjacent elements of the kernel, with zeros between them.
    pub dilation: EachAxis,
    /// The number of groups of features, each of which is convolved by itself.
    pub groups: usize,
    /// Elements after the last one of the result of a transposed convolution; 0 for others.
    pub output_padding: EachAxis,
    /// The precision of float products.
    pub precision: Precision,
    /// The element type of accumulation and of the result; the operands' own if `None`.
    pub accumulate: Option<DType>,
}

impl Default for ConvOptions {
    fn default() -> Self {
        ConvOptions {
            strides: 1.into(),
            padding: Padding::Valid,
            dilation: 1.into(),
            groups: 1,
            output_padding: 0.into(),
            precision: Precision::Default,
            accumulate: None,
        }
    }
}

#[hloom_derive::tensor_methods(conv_options)]
impl ConvOptions {
    /// The default options.
    pub fn new() -> ConvOptions {
        ConvOptions::default()
    }

    /// Sets the distance of adjacent windows.
    pub fn strides(self, strides: impl Into<EachAxis>) -> ConvOptions {
        ConvOptions { strides: strides.into(), ..self }
    }

    /// Sets the padding.
    pub fn padding(self, padding: impl Into<Padding>) -> ConvOptions {
        ConvOptions { padding: padding.into(), ..self }
    }

    /// Sets the distance of adjacent elements of the kernel.
    pub fn dilation(self, dilation: impl Into<EachAxis>) -> ConvOptions {
        ConvOptions { dilation: dilation.into(), ..self }
    }

    /// Sets the number of groups of features.
    pub fn groups(self, groups: usize) -> ConvOptions {
        ConvOptions { groups, ..self }
    }

    /// Sets the number of elements after the last one of the result of a transposed convolution.
    pub fn output_padding(self, padding: impl Into<EachAxis>) -> ConvOptions {
        ConvOptions { output_padding: padding.into(), ..self }
    }

    /// The dimension numbers for a layout, with the window that the options describe.
    pub(super) fn dims(&self, input: &Shape, kernel: &Shape, layout: &Layout) -> Rule<ConvDims> {
        let rank = layout.spatial.len();
        let strides = self.strides.of("strides", rank)?;
        let dilation = self.dilation.of("dilations", rank)?;
        if self.output_padding.of("output paddings", rank)?.iter().any(|&padding| padding != 0) {
            return Err("only transposed convolutions have an output padding".into());
        }
        let window = |i: usize| Sliding {
            size: kernel.sizes()[layout.kernel_spatial[i]],
            stride: strides[i],
            base_dilation: 1,
            dilation: dilation[i],
            low: 0,
            high: 0,
        };
        let axes: Vec<_> =
            (0..rank).map(|i| (input.sizes()[layout.spatial[i]], window(i))).collect();
        let edges = self.padding.edges(&axes)?;
        Ok(ConvDims {
            strides,
            low: PerAxis::collect(edges.iter().map(|edge| edge.0)),
            high: PerAxis::collect(edges.iter().map(|edge| edge.1)),
            rhs_dilation: dilation,
            feature_groups: self.groups,
            ..self.with(layout)
        })
    }

    /// The dimension numbers for a layout, without a window.
    pub(super) fn with(&self, layout: &Layout) -> ConvDims {
        let spatial = PerAxis::collect(layout.spatial.iter().copied());
        let batch = layout.batch.first().copied().unwrap_or(0);
        ConvDims {
            input_batch_dimension: batch,
            input_feature_dimension: layout.feature,
            input_spatial_dimensions: spatial,
            kernel_input_feature_dimension: layout.kernel_in,
            kernel_output_feature_dimension: layout.kernel_out,
            kernel_spatial_dimensions: PerAxis::collect(layout.kernel_spatial.iter().copied()),
            output_batch_dimension: batch,
            output_feature_dimension: layout.feature,
            output_spatial_dimensions: spatial,
            precision: self.precision,
            accumulate: self.accumulate,
            ..ConvDims::new(layout.spatial.len())
        }
    }
}

/// The axes of an input and a kernel.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub batch: Vec<usize>,
    pub feature: usize,
    pub spatial: Vec<usize>,
    pub kernel_in: usize,
    pub kernel_out: usize,
    pub kernel_spatial: Vec<usize>,
}

impl Layout {
    /// The layout for named axes, which both sides have; the additional axis of the kernel has the
    /// features of the result.
    pub(super) fn named(
        input: &Shape,
        kernel: &Shape,
        feature: Axis,
        spatial: &[Axis],
    ) -> Rule<Layout> {
        let all = [&[feature], spatial].concat();
        let (left, right) = (positions(input, &all)?, positions(kernel, &all)?);
        let mut rest = (0..kernel.rank()).filter(|axis| !right.contains(axis));
        let (Some(kernel_out), None) = (rest.next(), rest.next()) else {
            return Err(OpError(format!(
                "the kernel has {} axes: those given, {}, and one of the features of the result \
                 are expected",
                kernel.rank(),
                all.len()
            )));
        };
        Ok(Layout {
            batch: (0..input.rank()).filter(|axis| !left.contains(axis)).collect(),
            feature: left[0],
            spatial: left[1..].to_vec(),
            kernel_in: right[0],
            kernel_out,
            kernel_spatial: right[1..].to_vec(),
        })
    }

    /// An input `[batch.., feature, spatial..]` and a kernel whose first two axes are those of
    /// features, `out` before `in`.
    pub(super) fn ordered(input: &Shape, kernel: &Shape, spatial: usize) -> Rule<Layout> {
        let Some(feature) = input.rank().checked_sub(spatial + 1) else {
            return Err(OpError(format!(
                "the input has {} axes: one of features and {spatial} spatial ones are expected at \
                 its end",
                input.rank()
            )));
        };
        if kernel.rank() != spatial + 2 {
            return Err(OpError(format!(
                "the kernel has {} axes: two of features and {spatial} spatial ones are expected",
                kernel.rank()
            )));
        }
        Ok(Layout {
            batch: (0..feature).collect(),
            feature,
            spatial: (feature + 1..input.rank()).collect(),
            kernel_in: 1,
            kernel_out: 0,
            kernel_spatial: (2..kernel.rank()).collect(),
        })
    }
}

/// Adds a convolution of any number of batch axes; `dims` are for the axes of `layout`.
pub(super) fn add(
    builder: &mut Builder<'_>,
    input: ValueId,
    kernel: ValueId,
    layout: &Layout,
    dims: ConvDims,
) -> Rule<ValueId> {
    if layout.batch.len() == 1 {
        return builder.add(dims, &[input, kernel]);
    }
    // All batch axes are merged into one, which comes first.
    let shape = builder.shape(input);
    let order = [&*layout.batch, &[layout.feature], &layout.spatial].concat();
    let moved = transposed(builder, input, &order)?;
    let at = |axis: usize| (shape.names()[axis], shape.sizes()[axis]);
    let batch: usize = layout.batch.iter().map(|&axis| shape.sizes()[axis]).product();
    let rest = order[layout.batch.len()..].iter().map(|&axis| at(axis));
    let flat = Dims::new([(None, batch)].into_iter().chain(rest))?;
    let flat = builder.add(Reshape { dims: flat }, &[moved])?;
    let axes = PerAxis::collect(2..2 + layout.spatial.len());
    let dims = ConvDims {
        input_batch_dimension: 0,
        input_feature_dimension: 1,
        input_spatial_dimensions: axes,
        output_batch_dimension: 0,
        output_feature_dimension: 1,
        output_spatial_dimensions: axes,
        ..dims
    };
    let result = builder.add(dims, &[flat, kernel])?;
    let found = builder.shape(result);
    let rest = (1..found.rank()).map(|axis| (found.names()[axis], found.sizes()[axis]));
    let apart = Dims::new(layout.batch.iter().map(|&axis| at(axis)).chain(rest))?;
    let apart = builder.add(Reshape { dims: apart }, &[result])?;
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
    transposed(builder, apart, &back)
}

/// The axes in another order.
pub(super) fn transposed(
    builder: &mut Builder<'_>,
    value: ValueId,
    order: &[usize],
) -> Rule<ValueId> {
    if order.is_sorted() {
        Ok(value)
    } else {
        builder.add(Transpose { order: PerAxis::collect(order.iter().copied()) }, &[value])
    }
}

#[track_caller]
fn convolved(
    op: &'static str,
    input: Tensor,
    kernel: Tensor,
    options: &ConvOptions,
    layout: impl FnOnce(&Shape, &Shape) -> Rule<Layout>,
) -> Tensor {
    let value = emit(op, &[input, kernel], Location::caller(), |builder, s, v| {
        let layout = layout(&s[0], &s[1])?;
        let dims = options.dims(&s[0], &s[1], &layout)?;
        add(builder, v[0], v[1], &layout, dims)
    });
    Tensor::or_poisoned(value)
}

#[hloom_derive::tensor_methods(conv)]
impl Tensor {
    /// The convolution that slides a kernel along the spatial axes and contracts the feature axis.
    /// Both sides have these axes, in any order; the additional axis of the kernel has the features
    /// of the result, and replaces the feature axis of the input. All other axes of the input are
    /// batch axes.
    ///
    /// With groups, the kernel's axis of input features has only the features of one group. The
    /// kernel is not reversed: as elsewhere in machine learning this is a cross-correlation.
    ///
    /// ```
    /// # use hloom_graph::{ConvOptions, Padding, Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = Spec::f32([("batch", 2), ("y", 9), ("x", 8), ("in", 3)]);
    /// let x = trace.parameter("x", &x, false);
    /// let kernel = Spec::f32([("y", 3), ("x", 3), ("in", 3), ("out", 16)]);
    /// let kernel = trace.parameter("kernel", &kernel, false);
    /// let options = ConvOptions::new().strides(2).padding(Padding::Same);
    /// let y = x.conv(kernel, "in", ["y", "x"], options);
    /// assert_eq!(y.shape().to_string(), "f32[batch=2, y=5, x=4, out=16]");
    /// ```
    #[track_caller]
    pub fn conv(
        self,
        kernel: Tensor,
        feature: impl Into<Axis>,
        spatial: impl IntoAxes,
        options: ConvOptions,
    ) -> Tensor {
        let (feature, spatial) = (feature.into(), spatial.into_axes(self.rank()));
        convolved("conv", self, kernel, &options, |input, kernel| {
            Layout::named(input, kernel, feature, &spatial)
        })
    }

    /// The convolution of an input `[batch.., in, x]` with a kernel `[out, in / groups, x]`, by the
    /// order of axes: `[batch.., out, x]`. See [`conv`](Self::conv).
    #[track_caller]
    pub fn conv1d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv1d", self, kernel, &options, |s, k| Layout::ordered(s, k, 1))
    }

    /// The convolution of an input `[batch.., in, y, x]` with a kernel `[out, in / groups, y, x]`,
    /// by the order of axes: `[batch.., out, y, x]`. See [`conv`](Self::conv).
    ///
    /// ```
    /// # use hloom_graph::{ConvOptions, Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([2, 3, 9, 8]), false);
    /// let kernel = trace.parameter("kernel", &Spec::f32([16, 3, 3, 3]), false);
    /// let y = x.conv2d(kernel, ConvOptions::new().strides(2).padding(1));
    /// assert_eq!(y.shape().to_string(), "f32[2, 16, 5, 4]");
    /// ```
    #[track_caller]
    pub fn conv2d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv2d", self, kernel, &options, |s, k| Layout::ordered(s, k, 2))
    }

    /// The convolution of an input `[batch.., in, z, y, x]` with a kernel
    /// `[out, in / groups, z, y, x]`, by the order of axes: `[batch.., out, z, y, x]`. See
    /// [`conv`](Self::conv).
    #[track_caller]
    pub fn conv3d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv3d", self, kernel, &options, |s, k| Layout::ordered(s, k, 3))
    }
}
