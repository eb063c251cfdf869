//! Convolutions, by StableHLO's dimension numbers.

mod batch;
mod reverse;

use super::{Precision, dot::sum_type, sliding::Sliding};
use crate::{
    DType, Dims, MAX_RANK, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{OpError, Rule, apply},
};
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

/// The dimension numbers and the window of a convolution, named as in the
/// [StableHLO specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#convolution).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConvDims {
    /// Input axis of the batch.
    pub input_batch_dimension: usize,
    /// Input axis of the features.
    pub input_feature_dimension: usize,
    /// Input axes that the window slides along.
    pub input_spatial_dimensions: PerAxis<usize>,
    /// Kernel axis that is contracted with the features of the input.
    pub kernel_input_feature_dimension: usize,
    /// Kernel axis of the features of the result.
    pub kernel_output_feature_dimension: usize,
    /// Kernel axis of each spatial axis.
    pub kernel_spatial_dimensions: PerAxis<usize>,
    /// Result axis of the batch.
    pub output_batch_dimension: usize,
    /// Result axis of the features.
    pub output_feature_dimension: usize,
    /// Result axis of each spatial axis.
    pub output_spatial_dimensions: PerAxis<usize>,
    /// Distance of adjacent windows along each spatial axis.
    pub strides: PerAxis<usize>,
    /// Number of zeros before the first element along each spatial axis; negative ones crop.
    pub low: PerAxis<isize>,
    /// Number of zeros after the last element along each spatial axis; negative ones crop.
    pub high: PerAxis<isize>,
    /// Distance of adjacent elements of the input, with zeros between them.
    pub lhs_dilation: PerAxis<usize>,
    /// Distance of adjacent elements of the kernel, with zeros between them.
    pub rhs_dilation: PerAxis<usize>,
    /// Whether the kernel is reversed along each spatial axis.
    pub reversal: PerAxis<bool>,
    /// The number of groups of features, each of which is convolved by itself.
    pub feature_groups: usize,
    /// The number of groups of the batch, each of which has result features of its own.
    pub batch_groups: usize,
    /// The precision of float products.
    pub precision: Precision,
    /// The element type of accumulation and of the result; the operands' own if `None`.
    pub accumulate: Option<DType>,
}

#[hloom_derive::tensor_methods(conv_dims)]
impl ConvDims {
    /// The dimension numbers of an input `[batch, feature, spatial..]`, a kernel `[out, in,
    /// spatial..]` and a result `[batch, feature, spatial..]` with up to 6 spatial axes, without
    /// padding, with steps of 1.
    pub fn new(spatial: usize) -> ConvDims {
        let spatial = spatial.min(MAX_RANK - 2);
        let axes = PerAxis::collect(2..2 + spatial);
        let ones = PerAxis::collect((0..spatial).map(|_| 1));
        let zeros = PerAxis::collect((0..spatial).map(|_| 0));
        ConvDims {
            input_batch_dimension: 0,
            input_feature_dimension: 1,
            input_spatial_dimensions: axes,
            kernel_input_feature_dimension: 1,
            kernel_output_feature_dimension: 0,
            kernel_spatial_dimensions: axes,
            output_batch_dimension: 0,
            output_feature_dimension: 1,
            output_spatial_dimensions: axes,
            strides: ones,
            low: zeros,
            high: zeros,
            lhs_dilation: ones,
            rhs_dilation: ones,
            reversal: PerAxis::collect((0..spatial).map(|_| false)),
            feature_groups: 1,
            batch_groups: 1,
            precision: Precision::Default,
            accumulate: None,
        }
    }

    /// The axes of input, kernel and result: batch or input features, features, spatial ones.
    fn axes(&self) -> [(&'static str, Vec<usize>); 3] {
        let all = |first, second, spatial: &[usize]| [&[first, second], spatial].concat();
        [
            (
                "input",
                all(
                    self.input_batch_dimension,
                    self.input_feature_dimension,
                    &self.input_spatial_dimensions,
                ),
            ),
            (
                "kernel",
                all(
                    self.kernel_input_feature_dimension,
                    self.kernel_output_feature_dimension,
                    &self.kernel_spatial_dimensions,
                ),
            ),
            (
                "result",
                all(
                    self.output_batch_dimension,
                    self.output_feature_dimension,
                    &self.output_spatial_dimensions,
                ),
            ),
        ]
    }

    fn check_axes(&self, input: &Shape, kernel: &Shape) -> Rule<()> {
        let spatial = self.input_spatial_dimensions.len();
        for ((what, axes), rank) in
            self.axes().into_iter().zip([input.rank(), kernel.rank(), spatial + 2])
        {
            let mut sorted = axes.clone();
            sorted.sort_unstable();
            if !sorted.into_iter().eq(0..rank) {
                return Err(OpError(format!(
                    "the dimension numbers {} of the {what} do not list each of its {rank} axes \
                     once",
                    list(&axes)
                )));
            }
        }
        let lists = [
            self.kernel_spatial_dimensions.len(),
            self.strides.len(),
            self.low.len(),
            self.high.len(),
            self.lhs_dilation.len(),
            self.rhs_dilation.len(),
            self.reversal.len(),
        ];
        if lists.iter().all(|&length| length == spatial) {
            Ok(())
        } else {
            Err(OpError(format!("the window does not have {spatial} axes everywhere")))
        }
    }

    fn check_groups(&self, input: &Shape, kernel: &Shape) -> Rule<()> {
        let (groups, batches) = (self.feature_groups, self.batch_groups);
        if groups == 0 || batches == 0 || groups > 1 && batches > 1 {
            return Err(OpError(format!(
                "{groups} groups of features and {batches} of the batch: both are at least 1, and \
                 one of them is 1"
            )));
        }
        let of = |shape: &Shape, axis: usize| (shape.label(axis), shape.sizes()[axis]);
        let (axis, features) = of(input, self.input_feature_dimension);
        let (_, taken) = of(kernel, self.kernel_input_feature_dimension);
        if features.checked_div(groups) != Some(taken) || !features.is_multiple_of(groups) {
            let each = if groups > 1 { format!(" in each of {groups} groups") } else { "".into() };
            return Err(OpError(format!(
                "the input has {features} features along axis {axis}, the kernel takes {taken}{each}"
            )));
        }
        let (axis, made) = of(kernel, self.kernel_output_feature_dimension);
        let (batch_axis, batch) = of(input, self.input_batch_dimension);
        for (axis, size, groups) in
            [(axis, made, groups), (axis, made, batches), (batch_axis, batch, batches)]
        {
            if !size.is_multiple_of(groups) {
                return Err(OpError(format!(
                    "axis {axis} of size {size} has no {groups} groups of equal size"
                )));
            }
        }
        Ok(())
    }

    /// The window along each spatial axis, for the sizes of the kernel.
    fn windows(&self, kernel: &Shape) -> impl Iterator<Item = Sliding> {
        (0..self.strides.len()).map(|i| Sliding {
            size: kernel.sizes()[self.kernel_spatial_dimensions[i]],
            stride: self.strides[i],
            base_dilation: self.lhs_dilation[i],
            dilation: self.rhs_dilation[i],
            low: self.low[i],
            high: self.high[i],
        })
    }
}

impl Definition for ConvDims {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [input, kernel] = context.operands()?;
        let dtype = sum_type(input, kernel, self.accumulate)?;
        self.check_axes(input, kernel)?;
        self.check_groups(input, kernel)?;
        let named = |shape: &Shape, axis: usize| (shape.names()[axis], shape.sizes()[axis]);
        let mut axes = [(None, 0); MAX_RANK];
        let (batch, size) = named(input, self.input_batch_dimension);
        axes[self.output_batch_dimension] = (batch, size / self.batch_groups);
        let (features, size) = named(kernel, self.kernel_output_feature_dimension);
        let (instead, _) = named(input, self.input_feature_dimension);
        axes[self.output_feature_dimension] = (features.or(instead), size);
        let spatial = self.input_spatial_dimensions.iter().zip(&*self.output_spatial_dimensions);
        for ((&from, &to), window) in spatial.zip(self.windows(kernel)) {
            let (name, size) = named(input, from);
            axes[to] = (name, window.count(size, input.label(from))?);
        }
        one(Shape::scalar(dtype).with_dims(Dims::new(axes[..input.rank()].iter().copied())?))
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let [input, kernel, result] = self.axes().map(|(_, axes)| list(&axes));
        write!(out, " {input} by {kernel} to {result} step {}", list(&self.strides))?;
        write!(out, " low {} high {}", list(&self.low), list(&self.high))?;
        write!(out, " dilation {} {}", list(&self.lhs_dilation), list(&self.rhs_dilation))?;
        if self.reversal.contains(&true) {
            write!(out, " reversed {}", list(&self.reversal))?;
        }
        if [self.feature_groups, self.batch_groups] != [1, 1] {
            write!(out, " groups {} {}", self.feature_groups, self.batch_groups)?;
        }
        match self.precision {
            Precision::Default => Ok(()),
            precision => write!(out, " precision {precision:?}"),
        }
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.axes().iter().for_each(|(_, axes)| hash_sizes(hasher, axes));
        [&self.strides, &self.lhs_dilation, &self.rhs_dilation]
            .iter()
            .for_each(|numbers| hash_sizes(hasher, numbers));
        self.low.hash(&mut hasher);
        self.high.hash(&mut hasher);
        self.reversal.hash(&mut hasher);
        hasher.write_usize(self.feature_groups);
        hasher.write_usize(self.batch_groups);
        hasher.write_u8(self.precision as u8);
        self.accumulate.hash(&mut hasher);
    }
}

plain!(ConvDims);

#[hloom_derive::tensor_methods(convolution)]
impl Tensor {
    /// The convolution with a kernel, by StableHLO's dimension numbers. The axes of the result have
    /// the names of the input's axes; its feature axis has the name of the kernel's axis of output
    /// features, if that has one.
    ///
    /// [`conv`](Self::conv), [`conv2d`](Self::conv2d) and its relatives are the usual forms.
    #[track_caller]
    #[doc(alias = "conv_general_dilated")]
    pub fn conv_general(self, kernel: Tensor, dims: ConvDims) -> Tensor {
        apply("conv_general", &[self, kernel], |_| Ok(dims))
    }
}
