//! Mixed precision: parameters in `f32`, a forward pass in fewer bits, and a scaled loss.

use crate::{
    clip::all_finite,
    each::{compute_type, leaves, map_each, replaced, same_leaves},
};
use hloom_graph::{DType, Path, Spec, Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// The same parameters with all floats in another element type, for the forward pass.
///
/// Its derivative converts back, so that the gradients have the types of `params`.
///
/// ```
/// use hloom_graph::{DType, Spec, TraceScope, value_and_grad};
/// use hloom_optim::cast_floats;
///
/// let trace = TraceScope::begin("step");
/// let params = vec![trace.parameter("weight", &Spec::f32([("in", 8)]), true)];
/// let (_, gradient) = value_and_grad(params, |params| {
///     let params = cast_floats(params, DType::BF16);
///     params[0].square().sum(..).convert(DType::F32)
/// });
/// assert_eq!(gradient[0].shape().to_string(), "f32[in=8]");
/// ```
#[track_caller]
pub fn cast_floats<P: TensorTree>(params: P, dtype: DType) -> P {
    let cast = || {
        params.map(&mut |_, leaf: Tensor| {
            if leaf.dtype().is_float() { leaf.convert(dtype) } else { leaf }
        })
    };
    called_from(Location::caller(), || function_scope("optim::cast_floats", cast))
}

/// The tree `next` if `condition`, a `bool` scalar, is true, else `before`: for a step that is
/// skipped.
#[track_caller]
pub fn select_tree<P: TensorTree>(condition: Tensor, next: P, before: &P) -> P {
    const OP: &str = "optim::select_tree";
    called_from(Location::caller(), || {
        if !same_leaves(OP, "leaves to keep", &next, before) {
            return next;
        }
        let pairs = leaves(&next).into_iter().zip(leaves(before));
        let chosen =
            function_scope(OP, || pairs.map(|(next, old)| condition.select(next, old)).collect());
        replaced(next, chosen)
    })
}

/// Dynamic loss scaling: multiplies the loss by a factor, so that small gradients do not underflow
/// in `f16`. The factor grows after a number of steps with finite gradients, and shrinks after a
/// step whose gradients overflow; the caller skips that step ([Micikevicius et al.
/// 2018](https://arxiv.org/abs/1710.03740), section 3.2). `bf16` has the range of `f32` and needs
/// no scaling.
///
/// ```
/// use hloom_graph::{DType, Spec, TraceScope, value_and_grad};
/// use hloom_optim::{LossScaling, Optimizer, Sgd, cast_floats, select_tree};
///
/// let (scaling, sgd) = (LossScaling::new(), Sgd::new());
/// let trace = TraceScope::begin("step");
/// let params = trace.parameter("weight", &Spec::f32([("in", 8)]), true);
/// let (scale, state) = (scaling.init(), sgd.init(&params));
/// let (_, gradient) = value_and_grad(params, |params| {
///     let loss = cast_floats(params, DType::F16).square().sum(..);
///     scale.apply(loss)
/// });
/// let (gradient, finite, scale) = scaling.unscale(gradient, scale);
/// let (next, next_state) = sgd.update(params, gradient, state.clone(), 0.1);
/// let params = select_tree(finite, next, &params);
/// let state = select_tree(finite, next_state, &state);
/// # let _ = (params, state, scale);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct LossScaling {
    /// The first factor on the loss.
    pub initial: f64,
    /// The number by which the factor is multiplied or divided.
    pub growth: f64,
    /// The number of finite steps in a row after which it grows.
    pub interval: u32,
}

/// The factor of [`LossScaling`], a value of the training state.
#[derive(Tree, Clone, Debug)]
pub struct LossScale<T = Tensor> {
    /// The factor, `f32[]`.
    pub scale: T,
    /// The finite steps since it changed, `i32[]`.
    pub finite_steps: T,
}

const OP: &str = "optim::LossScaling";
/// The minimum factor: gradients that overflow with it overflow without scaling, too.
const MIN_FACTOR: f64 = 1.0;

impl LossScaling {
    /// Loss scaling with the first factor 2^15, doubled after 2,000 finite steps.
    pub const fn new() -> LossScaling {
        LossScaling { initial: 32_768.0, growth: 2.0, interval: 2000 }
    }

    /// Sets the first factor.
    pub const fn initial(self, initial: f64) -> LossScaling {
        LossScaling { initial, ..self }
    }

    /// Sets the number that the factor is multiplied or divided by.
    pub const fn growth(self, growth: f64) -> LossScaling {
        LossScaling { growth, ..self }
    }

    /// Sets the number of finite steps before the factor grows.
    pub const fn interval(self, interval: u32) -> LossScaling {
        LossScaling { interval, ..self }
    }

    /// The factor before the first step.
    #[track_caller]
    pub fn init(self) -> LossScale {
        LossScale {
            scale: Tensor::scalar(self.initial, DType::F32),
            finite_steps: Tensor::scalar(0, DType::I32),
        }
    }

    /// The specs of the factor.
    pub fn state_spec(self) -> LossScale<Spec> {
        LossScale { scale: Spec::scalar(DType::F32), finite_steps: Spec::scalar(DType::I32) }
    }

    /// The gradients of a loss that was multiplied by `scale`, divided by it, in `f32` or `f64`;
    /// whether all of them are finite, a `bool` scalar; and the next factor.
    #[track_caller]
    pub fn unscale<P: TensorTree>(self, gradients: P, scale: LossScale) -> (P, Tensor, LossScale) {
        let unscale = || {
            let inverse = scale.scale.reciprocal();
            let unscaled = |_: &Path<'_>, leaf: Tensor| {
                let wide = leaf.convert(compute_type(leaf.dtype()));
                wide * inverse.convert(wide.dtype())
            };
            let gradients = map_each(OP, gradients, unscaled, |leaf| leaf);
            let finite = all_finite(&gradients);
            let steps = scale.finite_steps + 1;
            let grows = steps.ge(i32::try_from(self.interval).unwrap_or(i32::MAX));
            let grown = scale.scale * self.growth;
            // A factor that is not finite could never be divided back.
            let grown = (grows & grown.is_finite()).select(grown, scale.scale);
            let shrunk = (scale.scale / self.growth).maximum(MIN_FACTOR);
            let next = LossScale {
                scale: finite.select(grown, shrunk),
                finite_steps: (finite & !grows).select(steps, 0),
            };
            (gradients, finite, next)
        };
        called_from(Location::caller(), || function_scope(OP, unscale))
    }
}

impl Default for LossScaling {
    fn default() -> LossScaling {
        LossScaling::new()
    }
}

impl LossScale {
    /// A loss times the factor, in `f32` or `f64`.
    #[track_caller]
    pub fn apply(&self, loss: Tensor) -> Tensor {
        let apply = || {
            let wide = loss.convert(compute_type(loss.dtype()));
            wide * self.scale.convert(wide.dtype())
        };
        called_from(Location::caller(), || function_scope(OP, apply))
    }
}
