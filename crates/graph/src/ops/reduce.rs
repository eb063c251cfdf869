//! Reductions.

use super::{
    BroadcastInDim, Convert, Reshape, Transpose, positions,
    reshape::{check_ascending, restored},
};
use crate::{
    Axis, DType, IntoAxes, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    takes::Takes,
    trace::{Rule, emit, function_scope, shape_of},
    vmap::{as_it_is, shifted},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// The combining function of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Addition, with initial value 0.
    Sum,
    /// Multiplication, with initial value 1.
    Prod,
    /// The maximum, with the type's lowest value as the initial value; NaN propagates.
    Max,
    /// The minimum, with the type's highest value as the initial value; NaN propagates.
    Min,
    /// Whether any is true.
    Any,
    /// Whether all are true.
    All,
}

/// Reduces along axes, which are removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reduce {
    /// The combining function.
    pub reduction: Reduction,
    /// The axes, in ascending order.
    pub axes: PerAxis<usize>,
}

impl Definition for Reduce {
    fn name(&self) -> &'static str {
        self.reduction.name()
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        self.reduction.check(operand)?;
        check_ascending(operand, &self.axes)?;
        one(self.axes.iter().rev().fold(*operand, |shape, &axis| shape.without(axis)))
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", list(&self.axes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.reduction.name().as_bytes());
        hash_sizes(hasher, &self.axes);
    }
}

plain!(Reduce);
as_it_is!(Reduce, |op| Reduce { axes: shifted(&op.axes), ..*op });

impl Vjp for Reduce {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, x) = (pull.g(), pull.x(0));
        let kept = || (0..x.rank()).filter(|axis| !self.axes.contains(axis));
        match self.reduction {
            Reduction::Sum => pull.one(repeated(g, kept(), x)),
            Reduction::Prod => {
                // The product of all other elements, computed without a division, since an element
                // may be 0.
                let order: Vec<usize> = kept().chain(self.axes.iter().copied()).collect();
                let moved =
                    record(Transpose { order: PerAxis::collect(order.iter().copied()) }, &[x]);
                let sizes = moved[0].shape();
                let count: usize = self.axes.iter().map(|&axis| x.shape().sizes()[axis]).product();
                let flat = [&sizes.sizes()[..kept().count()], &[count]].concat();
                let flat = moved[0].reshape(&flat[..]);
                if flat.shape().element_count() == 0 {
                    return Vec::new();
                }
                let before = |x: Tensor| x.cumprod(-1).pad(-1, 1, -1, 1);
                let others = before(flat) * before(flat.reverse(-1)).reverse(-1);
                let others = restored(others.reshape(sizes.sizes()), &order);
                pull.one(repeated(g, kept(), x) * others)
            }
            Reduction::Max | Reduction::Min => {
                let chosen = x.eq(repeated(pull.y(0), kept(), x));
                let chosen = chosen.select(x.full_like(1), x.full_like(0));
                let count = summed(chosen, self.axes.iter().copied());
                pull.one(repeated(g / count, kept(), x) * chosen)
            }
            Reduction::Any | Reduction::All => Vec::new(),
        }
    }
}

/// The sum along axes, in the element type of the operand.
pub(super) fn summed(x: Tensor, axes: impl IntoIterator<Item = usize>) -> Tensor {
    let axes: Vec<isize> = axes.into_iter().map(|axis| axis as isize).collect();
    if axes.is_empty() { x } else { x.sum(&axes[..]) }
}

/// Broadcasts values along new axes; `axes` are the axes of the result that the values have.
fn repeated(x: Tensor, axes: impl IntoIterator<Item = usize>, like: Tensor) -> Tensor {
    let dims = like.shape().axes();
    record(BroadcastInDim { axes: PerAxis::collect(axes), dims }, &[x])[0]
}

impl Reduction {
    /// The name of the method of `Tensor`.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "prod",
            Reduction::Max => "max",
            Reduction::Min => "min",
            Reduction::Any => "any",
            Reduction::All => "all",
        }
    }

    fn takes(self) -> Takes {
        match self {
            Reduction::Sum | Reduction::Prod => Takes::Number,
            Reduction::Max | Reduction::Min => Takes::Ordered,
            Reduction::Any | Reduction::All => Takes::Any,
        }
    }

    pub(super) fn check(self, shape: &Shape) -> Rule<()> {
        let dtype = shape.dtype();
        match self {
            Reduction::Any | Reduction::All if dtype == DType::Bool => Ok(()),
            Reduction::Any | Reduction::All => Err(format!("takes bool, not {dtype}").into()),
            Reduction::Sum | Reduction::Prod | Reduction::Max | Reduction::Min => {
                self.takes().check(dtype, "`any`, `all` or `.convert(..)`")
            }
        }
    }
}

/// Half-width floats are summed in `f32`, so that small addends are not lost.
pub(super) fn sum_type(reduction: Reduction, dtype: DType) -> DType {
    let narrow = dtype.is_float() && dtype.bits() < 32;
    if narrow && matches!(reduction, Reduction::Sum | Reduction::Prod) { DType::F32 } else { dtype }
}

#[track_caller]
fn reduce(reduction: Reduction, x: Tensor, axes: Vec<Axis>, keep: bool) -> Tensor {
    let value = emit(reduction.name(), &[x], Location::caller(), |builder, s, v| {
        reduction.check(&s[0])?;
        let mut at = positions(&s[0], &axes)?;
        at.sort_unstable();
        if at.is_empty() {
            return Ok(v[0]);
        }
        let axes = PerAxis::collect(at.iter().copied());
        let dtype = s[0].dtype();
        let wide = sum_type(reduction, dtype);
        let mut value = v[0];
        if wide != dtype {
            value = builder.add(Convert { dtype: wide }, &[value])?;
        }
        value = builder.add(Reduce { reduction, axes }, &[value])?;
        if wide != dtype {
            value = builder.add(Convert { dtype }, &[value])?;
        }
        if keep {
            let sizes = s[0].sizes().iter().enumerate();
            let kept =
                s[0].with_sizes(sizes.map(|(i, &size)| if at.contains(&i) { 1 } else { size }))?;
            value = builder.add(Reshape { dims: kept.axes() }, &[value])?;
        }
        Ok(value)
    });
    Tensor::or_poisoned(value)
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $method:ident $keep:ident $reduction:ident),* $(,)?) => {
        /// Reductions over one axis, several, or all (`..`). The axes are removed; the `_keep`
        /// forms keep them with size 1.
        #[hloom_derive::tensor_methods(reductions)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, axes: impl IntoAxes) -> Tensor {
                reduce(Reduction::$reduction, self, axes.into_axes(self.rank()), false)
            }
            $(#[$doc])*
            /// The axes are kept with size 1.
            #[track_caller]
            pub fn $keep(self, axes: impl IntoAxes) -> Tensor {
                reduce(Reduction::$reduction, self, axes.into_axes(self.rank()), true)
            }
        )* }
    };
}

reductions!(
    /// The sum; 0 for no elements. Floats below 32 bits are accumulated in `f32`.
    sum sum_keep Sum,
    /// The product; 1 for no elements. Floats below 32 bits are multiplied in `f32`.
    prod prod_keep Prod,
    /// The largest element; the lowest value of the type for no elements. NaN propagates.
    #[doc(alias = "amax")]
    max max_keep Max,
    /// The smallest element; the highest value of the type for no elements. NaN propagates.
    #[doc(alias = "amin")]
    min min_keep Min,
    /// Whether any element of a `bool` tensor is true.
    any any_keep Any,
    /// Whether all elements of a `bool` tensor are true.
    all all_keep All,
);

#[hloom_derive::tensor_methods(reduce)]
impl Tensor {
    /// The arithmetic mean of floats or complex numbers over axes, which are removed; NaN for no
    /// elements.
    #[track_caller]
    pub fn mean(self, axes: impl IntoAxes) -> Tensor {
        self.mean_of(axes.into_axes(self.rank()), false)
    }

    /// As [`mean`](Self::mean); the axes are kept with size 1.
    #[track_caller]
    pub fn mean_keep(self, axes: impl IntoAxes) -> Tensor {
        self.mean_of(axes.into_axes(self.rank()), true)
    }

    #[track_caller]
    fn mean_of(self, axes: Vec<Axis>, keep: bool) -> Tensor {
        let count = emit("mean", &[self], Location::caller(), |_, s, _| {
            if s[0].dtype().is_float() || s[0].dtype().is_complex() {
                Ok(positions(&s[0], &axes)?.iter().map(|&i| s[0].sizes()[i]).product::<usize>())
            } else {
                Err(format!(
                    "takes floats or complex numbers, not {}; use `.convert(..)`",
                    s[0].dtype()
                )
                .into())
            }
        });
        let Some(count) = count else { return Tensor::poisoned() };
        let dtype = self.dtype();
        // Divided before narrowing: a sum can be too large for the type of its mean.
        let wide = self.convert(sum_type(Reduction::Sum, dtype));
        (reduce(Reduction::Sum, wide, axes, keep) / count as f64).convert(dtype)
    }

    /// The logarithm of the sum of exponentials over axes, which are removed, without overflow.
    /// Floats below 32 bits are computed in `f32`.
    #[track_caller]
    pub fn log_sum_exp(self, axes: impl IntoAxes) -> Tensor {
        function_scope("log_sum_exp", || {
            let axes = axes.into_axes(self.rank());
            let x = self.at_least_f32();
            let max = reduce(Reduction::Max, x, axes.clone(), true);
            // If all elements are infinite, x - max would be NaN.
            let max = max.is_finite().select(max, 0).stop_gradient();
            let sum = reduce(Reduction::Sum, (x - max).exp(), axes.clone(), false);
            match shape_of(sum) {
                Some(shape) => (sum.log() + max.reshape(shape.axes())).convert(self.dtype()),
                None => sum,
            }
        })
    }
}
