//! Moving averages of parameters.

use crate::{
    adam::debias,
    each::{Trained, compute_type, each, first_step, leaves, replaced, trained, zeros_like},
};
use hloom_graph::{Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// An exponential moving average of parameters: in each step it moves by `1 - decay` of the way
/// towards them. It begins with zeros, and [`average`](Ema::average) divides by the sum of the
/// weights, as optax' `ema` does: after one step the average is the parameters.
///
/// ```
/// use hloom_graph::{Spec, TraceScope};
/// use hloom_optim::Ema;
///
/// let trace = TraceScope::begin("step");
/// let params = trace.parameter("params", &Spec::bf16([("out", 4)]), false);
/// let ema = Ema::new(0.999);
/// let state = ema.update(ema.init(&params), &params);
/// let average = ema.average(&state, &params);
/// assert_eq!(average.shape(), params.shape());
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ema {
    /// The factor on the average in each step.
    pub decay: f64,
}

/// The state of [`Ema`].
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct EmaState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The sum of the parameters, each multiplied by its weight.
    pub sum: P,
}

const OP: &str = "optim::Ema";

impl Ema {
    /// An average with this factor in each step.
    pub const fn new(decay: f64) -> Ema {
        Ema { decay }
    }

    /// The state before the first step.
    #[track_caller]
    pub fn init<P: TensorTree>(self, params: &P) -> EmaState<P> {
        EmaState { step: first_step(), sum: zeros_like(OP, params) }
    }

    /// The state after a step that led to these parameters.
    #[track_caller]
    pub fn update<P: TensorTree>(self, state: EmaState<P>, params: &P) -> EmaState<P> {
        let run = || {
            let rule = |leaf: Trained<'_, 1>| {
                let sum = leaf.state[0] * self.decay + leaf.param * (1.0 - self.decay);
                (leaf.param, [sum])
            };
            let (_, [sum]) = each(OP, params.clone(), params.clone(), [state.sum], rule);
            EmaState { step: state.step + 1, sum }
        };
        called_from(Location::caller(), || function_scope(OP, run))
    }

    /// The average, in the element types of `params`; the leaves that are not trained are those of
    /// `params`. Before the first step it is NaN.
    #[track_caller]
    pub fn average<P: TensorTree>(self, state: &EmaState<P>, params: &P) -> P {
        let run = || {
            let sums = leaves(&state.sum);
            let all = leaves(params).into_iter().zip(sums).zip(trained(OP, params));
            let average = all.map(|((param, sum), is_trained)| {
                if !is_trained {
                    return param;
                }
                let dtype = compute_type(param.dtype());
                (sum / debias(self.decay, state.step, dtype)).convert(param.dtype())
            });
            let average: Vec<Tensor> = average.collect();
            replaced(params.clone(), average)
        };
        called_from(Location::caller(), || function_scope(OP, run))
    }
}
