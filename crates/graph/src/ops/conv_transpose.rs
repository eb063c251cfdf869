//! Transposed convolutions.

use super::{
    Reshape,
    conv::{ConvOptions, Layout, add, transposed},
    sliding::{Padding, extent},
};
use crate::{
    Axis, ConvDims, Dims, IntoAxes, PerAxis, Shape, Tensor, ValueId,
    trace::{Builder, OpError, Rule, emit},
};
use std::panic::Location;

/// The edges of the input, with zeros between its elements, for a window of `span` elements: those
/// that keep every element that the input reaches, less the elements that are cut off the result.
fn edges(options: &ConvOptions, spans: &[i128], strides: &[usize]) -> Rule<Vec<(i128, i128)>> {
    if let Some(cut) = options.padding.explicit(spans.len())? {
        let edges = spans.iter().zip(cut);
        let less = |span: i128, cut: isize| span - 1 - cut as i128;
        return Ok(edges.map(|(&span, cut)| (less(span, cut.0), less(span, cut.1))).collect());
    }
    if options.padding != Padding::Same {
        return Err(OpError(format!(
            "a transposed convolution has no padding {:?}; `Valid`, `Same` and `Explicit` are \
             possible",
            options.padding
        )));
    }
    // The edges are divided as in JAX.
    let same = |(&span, &stride): (&i128, &usize)| {
        let total = span + stride as i128 - 2;
        let low = if stride as i128 > span - 1 { span - 1 } else { total - total / 2 };
        (low, total - low)
    };
    Ok(spans.iter().zip(strides).map(same).collect())
}

/// The convolution that computes a transposed convolution: of the input, with zeros between its
/// elements, and the reversed kernel.
fn dims(options: &ConvOptions, kernel: &Shape, layout: &Layout) -> Rule<ConvDims> {
    let rank = layout.spatial.len();
    let strides = options.strides.of("strides", rank)?;
    let dilation = options.dilation.of("dilations", rank)?;
    let further = options.output_padding.of("output paddings", rank)?;
    let sizes = layout.kernel_spatial.iter().map(|&axis| kernel.sizes()[axis]);
    let spans: Vec<i128> = sizes.zip(&*dilation).map(|(size, &by)| extent(size, by)).collect();
    let edges = edges(options, &spans, &strides)?;
    let narrow = |edge: i128| isize::try_from(edge).unwrap_or(isize::MAX);
    let high = edges.iter().zip(&*further).map(|(edge, &more)| narrow(edge.1 + more as i128));
    Ok(ConvDims {
        low: PerAxis::collect(edges.iter().map(|edge| narrow(edge.0))),
        high: PerAxis::collect(high),
        lhs_dilation: strides,
        rhs_dilation: dilation,
        reversal: PerAxis::collect((0..rank).map(|_| true)),
        feature_groups: options.groups,
        ..options.with(layout)
    })
}

/// The kernel `[in, out / groups, spatial..]`, from any order of its axes, as
/// `[in / groups, out, spatial..]`.
fn regrouped(
    builder: &mut Builder<'_>,
    kernel: ValueId,
    layout: &Layout,
    groups: usize,
) -> Rule<ValueId> {
    let shape = builder.shape(kernel);
    let order = [&[layout.kernel_in, layout.kernel_out][..], &layout.kernel_spatial].concat();
    let moved = transposed(builder, kernel, &order)?;
    let named = |&axis: &usize| (shape.names()[axis], shape.sizes()[axis]);
    let axes: Vec<_> = order.iter().map(named).collect();
    let (inputs, outputs) = (axes[0].1, axes[1].1);
    if groups == 0 || !inputs.is_multiple_of(groups) {
        return Err(OpError(format!(
            "axis {} of size {inputs} has no {groups} groups of equal size",
            shape.label(layout.kernel_in)
        )));
    }
    if groups == 1 {
        return Ok(moved);
    }
    let each = inputs / groups;
    let rest: usize = axes[2..].iter().map(|axis| axis.1).product();
    let apart = [groups, each, outputs, rest].map(|size| (None, size));
    let apart = builder.add(Reshape { dims: Dims::new(apart)? }, &[moved])?;
    let turned = transposed(builder, apart, &[1, 0, 2, 3])?;
    let together = [(axes[0].0, each), (axes[1].0, groups.saturating_mul(outputs))];
    let together = Dims::new(together.into_iter().chain(axes[2..].iter().copied()))?;
    builder.add(Reshape { dims: together }, &[turned])
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
        let kernel = regrouped(builder, v[1], &layout, options.groups)?;
        let layout = Layout {
            kernel_in: 0,
            kernel_out: 1,
            kernel_spatial: (2..s[1].rank()).collect(),
            ..layout
        };
        let dims = dims(options, &builder.shape(kernel), &layout)?;
        add(builder, v[0], kernel, &layout, dims)
    });
    Tensor::or_poisoned(value)
}

/// As [`Layout::ordered`], with `in` before `out` in the kernel.
fn ordered(input: &Shape, kernel: &Shape, spatial: usize) -> Rule<Layout> {
    Ok(Layout { kernel_in: 0, kernel_out: 1, ..Layout::ordered(input, kernel, spatial)? })
}

#[hloom_derive::tensor_methods(conv_transpose)]
impl Tensor {
    /// The transposed convolution, the gradient of [`conv`](Self::conv) by its input: each element
    /// of the input adds the kernel, scaled by the element, to the result, at positions `strides`
    /// apart. The axes are those of [`conv`](Self::conv); with groups, the kernel's additional axis
    /// has only the result features of one group.
    ///
    /// Padding is cut off the result, as in PyTorch; [`Padding::Same`] makes it `strides` times as
    /// large as the input, as in JAX. A result of negative size is an error.
    ///
    /// ```
    /// # use hloom_graph::{ConvOptions, Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("batch", 2), ("time", 5), ("in", 3)]), false);
    /// let kernel = Spec::f32([("in", 3), ("out", 4), ("time", 3)]);
    /// let kernel = trace.parameter("kernel", &kernel, false);
    /// let options = ConvOptions::new().strides(2).padding(1).output_padding(1);
    /// let y = x.conv_transpose(kernel, "in", "time", options);
    /// assert_eq!(y.shape().to_string(), "f32[batch=2, time=10, out=4]");
    /// ```
    #[track_caller]
    pub fn conv_transpose(
        self,
        kernel: Tensor,
        feature: impl Into<Axis>,
        spatial: impl IntoAxes,
        options: ConvOptions,
    ) -> Tensor {
        let (feature, spatial) = (feature.into(), spatial.into_axes(self.rank()));
        convolved("conv_transpose", self, kernel, &options, |input, kernel| {
            Layout::named(input, kernel, feature, &spatial)
        })
    }

    /// The transposed convolution of an input `[batch.., in, x]` with a kernel
    /// `[in, out / groups, x]`, by the order of axes: `[batch.., out, x]`. See
    /// [`conv_transpose`](Self::conv_transpose).
    #[track_caller]
    pub fn conv_transpose1d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv_transpose1d", self, kernel, &options, |s, k| ordered(s, k, 1))
    }

    /// The transposed convolution of an input `[batch.., in, y, x]` with a kernel
    /// `[in, out / groups, y, x]`, by the order of axes: `[batch.., out, y, x]`. See
    /// [`conv_transpose`](Self::conv_transpose).
    #[track_caller]
    pub fn conv_transpose2d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv_transpose2d", self, kernel, &options, |s, k| ordered(s, k, 2))
    }

    /// The transposed convolution of an input `[batch.., in, z, y, x]` with a kernel
    /// `[in, out / groups, z, y, x]`, by the order of axes: `[batch.., out, z, y, x]`. See
    /// [`conv_transpose`](Self::conv_transpose).
    #[track_caller]
    pub fn conv_transpose3d(self, kernel: Tensor, options: ConvOptions) -> Tensor {
        convolved("conv_transpose3d", self, kernel, &options, |s, k| ordered(s, k, 3))
    }
}
