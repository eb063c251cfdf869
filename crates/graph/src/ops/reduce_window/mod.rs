//! Reductions of windows that slide along axes.

mod batch;
mod reverse;

use super::{
    Convert, Reduction,
    control::{TensorTree, handles, leaves, rebuild, usable},
    reduce::sum_type,
    reduce_by::combined,
    sliding::Sliding,
};
use crate::{
    Graph, PerAxis, RegionId, RegionKind, Shape, Tensor,
    definition::{
        AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, owner, plain,
    },
    grad::no_derivative,
    trace::{OpError, Rule, emit, in_region_of},
};
pub(super) use reverse::dilated;
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
};

/// A window that slides along each axis of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WindowDims {
    /// Size along each axis.
    pub sizes: PerAxis<usize>,
    /// Distance of adjacent windows along each axis.
    pub strides: PerAxis<usize>,
    /// Number of initial values before the first element along each axis; negative ones crop.
    pub low: PerAxis<isize>,
    /// Number of initial values after the last element along each axis; negative ones crop.
    pub high: PerAxis<isize>,
    /// Distance of adjacent elements of the operand, with initial values between them.
    pub base_dilations: PerAxis<usize>,
    /// Distance of adjacent elements of a window.
    pub window_dilations: PerAxis<usize>,
}

/// Reduces each window of the operand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReduceWindow {
    /// The combining function.
    pub reduction: Reduction,
    /// The window.
    pub window: WindowDims,
}

/// Reduces each window of the first half of the operands; the second half are the initial scalars.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReduceWindowBy {
    /// Maps two scalars of each operand, all of the left ones first, to the combined scalars.
    pub body: RegionId,
    /// The window.
    pub window: WindowDims,
}

#[hloom_derive::tensor_methods(window_dims)]
impl WindowDims {
    /// A window of these sizes within the elements, with steps of 1.
    pub fn new(sizes: PerAxis<usize>) -> WindowDims {
        let ones = PerAxis::collect(sizes.iter().map(|_| 1));
        let zeros = PerAxis::collect(sizes.iter().map(|_| 0));
        WindowDims {
            sizes,
            strides: ones,
            low: zeros,
            high: zeros,
            base_dilations: ones,
            window_dilations: ones,
        }
    }

    /// The window along an axis.
    fn along(&self, axis: usize) -> Sliding {
        Sliding {
            size: self.sizes[axis],
            stride: self.strides[axis],
            base_dilation: self.base_dilations[axis],
            dilation: self.window_dilations[axis],
            low: self.low[axis],
            high: self.high[axis],
        }
    }

    /// The operand's shape with the number of windows along each axis.
    pub(super) fn windows(&self, operand: &Shape) -> Rule<Shape> {
        let lists = [
            self.sizes.len(),
            self.strides.len(),
            self.low.len(),
            self.high.len(),
            self.base_dilations.len(),
            self.window_dilations.len(),
        ];
        if lists != [operand.rank(); 6] {
            return Err(OpError(format!("a window for each axis of {operand} is needed")));
        }
        let mut sizes = self.sizes;
        for (axis, size) in sizes.as_mut_slice().iter_mut().enumerate() {
            *size = self.along(axis).count(operand.sizes()[axis], operand.label(axis))?;
        }
        Ok(operand.with_sizes(sizes.iter().copied())?)
    }

    fn write(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " of {} step {}", list(&self.sizes), list(&self.strides))?;
        write!(out, " low {} high {}", list(&self.low), list(&self.high))?;
        let dilations = [&self.base_dilations, &self.window_dilations].map(|by| list(by));
        write!(out, " dilation {} {}", dilations[0], dilations[1])
    }

    fn hash(&self, mut hasher: &mut dyn Hasher) {
        let lists = [&self.sizes, &self.strides, &self.base_dilations, &self.window_dilations];
        lists.iter().for_each(|sizes| hash_sizes(hasher, sizes));
        self.low.hash(&mut hasher);
        self.high.hash(&mut hasher);
    }
}

impl Definition for ReduceWindow {
    fn name(&self) -> &'static str {
        "reduce_window"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        self.reduction.check(operand)?;
        one(self.window.windows(operand)?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {}", self.reduction.name())?;
        self.window.write(out)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.reduction.name().as_bytes());
        self.window.hash(hasher);
    }
}

plain!(ReduceWindow);

impl Definition for ReduceWindowBy {
    fn name(&self) -> &'static str {
        "reduce_window_by"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let values = combined(context, self.body)?;
        values.iter().map(|value| self.window.windows(value)).collect()
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        self.window.write(out)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.window.hash(hasher);
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands / 2
    }
}

owner!(ReduceWindowBy { body: "by" });
no_derivative!(ReduceWindowBy, "use `reduce_window`");

#[hloom_derive::tensor_methods(reduce_window)]
impl Tensor {
    /// The reduction of each window that slides along the axes; padding and the positions between
    /// dilated elements have no effect. Sums and products of floats below 32 bits are accumulated
    /// in `f32`.
    ///
    /// [`max_pool`](Self::max_pool) and its relatives are the usual forms.
    #[doc(alias = "max_pool2d")]
    #[doc(alias = "avg_pool2d")]
    #[track_caller]
    pub fn reduce_window(self, reduction: Reduction, window: WindowDims) -> Tensor {
        let value = emit("reduce_window", &[self], Location::caller(), |builder, s, v| {
            reduction.check(&s[0])?;
            let dtype = s[0].dtype();
            let wide = sum_type(reduction, dtype);
            if wide == dtype {
                return builder.add(ReduceWindow { reduction, window }, v);
            }
            let value = builder.add(Convert { dtype: wide }, v)?;
            let value = builder.add(ReduceWindow { reduction, window }, &[value])?;
            builder.add(Convert { dtype }, &[value])
        });
        Tensor::or_poisoned(value)
    }
}

/// As [`Tensor::reduce_window`], for a tree of tensors of the same sizes, by `body`, which takes
/// two scalars of each tensor and returns the combined ones. `init`, identity elements of the
/// reduction such as 0 for a sum, are the padding.
///
/// The order of reduction is unspecified: `body` must be associative and commutative, without
/// effects, and it uses only its own parameters.
///
/// ```
/// use hloom_graph::{DType, PerAxis, Spec, Tensor, TraceScope, WindowDims, reduce_window_by};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("row", 4), ("column", 5)]), false);
/// let zero = Tensor::scalar(0.0, DType::F32);
/// let window = WindowDims::new(PerAxis::collect([1, 3]));
/// let largest = reduce_window_by(x.abs(), zero, window, |a, b| a.maximum(b));
/// assert_eq!(largest.shape().to_string(), "f32[row=4, column=3]");
/// ```
#[track_caller]
pub fn reduce_window_by<T: TensorTree>(
    values: T,
    init: T,
    window: WindowDims,
    body: impl FnOnce(T, T) -> T,
) -> T {
    let location = Location::caller();
    let (tensors, start) = (leaves(&values), leaves(&init));
    let Some(shapes) = usable("reduce_window_by", &tensors, location) else {
        return rebuild(&values, &[]);
    };
    let scalars: Vec<Shape> = shapes.iter().map(|shape| Shape::scalar(shape.dtype())).collect();
    let taken = [&*scalars, &*scalars].concat();
    let kind = RegionKind::Isolated;
    let (body, ()) = in_region_of("reduce_window_by", kind, &taken, &[], location, |parameters| {
        let (left, right) = parameters.split_at(scalars.len());
        (leaves(&body(rebuild(&values, left), rebuild(&values, right))), ())
    });
    let operands = [&*tensors, &*start].concat();
    let results = body.and_then(|body| {
        emit("reduce_window_by", &operands, location, |builder, _, v| {
            builder.add_many(ReduceWindowBy { body, window }, v)
        })
    });
    rebuild(&values, &handles(results, tensors.len()))
}
