//! Adam, with and without weight decay.

use crate::{
    LearningRate, Mask, Optimizer,
    each::{Trained, each, first_step, zeros_like},
};
use hloom_graph::{DType, Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// Adam ([Kingma and Ba 2014](https://arxiv.org/abs/1412.6980)), as in PyTorch and optax.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Adam {
    /// The factor on the mean of the gradients in each step.
    pub beta1: f64,
    /// The factor on the mean of the squared gradients in each step.
    pub beta2: f64,
    /// A number that is added to the square root that an update is divided by.
    pub epsilon: f64,
}

/// Adam with decoupled weight decay ([Loshchilov and Hutter
/// 2017](https://arxiv.org/abs/1711.05101)), as in PyTorch and optax: `learning_rate *
/// weight_decay` times the parameter is subtracted in each step.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct AdamW {
    /// The update without weight decay.
    pub adam: Adam,
    /// The fraction of a parameter that is subtracted in a step of learning rate 1.
    pub weight_decay: f64,
    /// The parameters with weight decay.
    pub decayed: Mask,
}

/// The state of [`Adam`] and [`AdamW`].
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct AdamState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The moving mean of the gradients.
    pub mean: P,
    /// The moving mean of the squared gradients.
    pub square: P,
}

impl Adam {
    /// Adam with the factors 0.9 and 0.999, and epsilon 1e-8.
    pub const fn new() -> Adam {
        Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }

    /// Sets the factors on the means in each step.
    pub const fn betas(self, beta1: f64, beta2: f64) -> Adam {
        Adam { beta1, beta2, ..self }
    }

    /// Sets the number that is added to the divisor of an update.
    pub const fn epsilon(self, epsilon: f64) -> Adam {
        Adam { epsilon, ..self }
    }

    #[track_caller]
    fn start<P: TensorTree>(op: &'static str, params: &P) -> AdamState<P> {
        AdamState {
            step: first_step(),
            mean: zeros_like(op, params),
            square: zeros_like(op, params),
        }
    }

    /// A step; `decay` is the weight decay of the parameter with a path.
    #[track_caller]
    fn step<P: TensorTree>(
        self,
        op: &'static str,
        (params, gradients, state): (P, P, AdamState<P>),
        learning_rate: impl LearningRate,
        decay: impl Fn(&str) -> f64,
    ) -> (P, AdamState<P>) {
        let step = state.step;
        let update = |leaf: Trained<'_, 2>| {
            let rate = learning_rate.at_step(step, leaf.param.dtype());
            let decay = decay(leaf.path);
            self.leaf(leaf, step, rate, decay)
        };
        let run = || {
            let states = [state.mean, state.square];
            let (params, [mean, square]) = each(op, params, gradients, states, update);
            (params, AdamState { step: step + 1, mean, square })
        };
        called_from(Location::caller(), || function_scope(op, run))
    }

    /// A step of one parameter, after `step` others.
    #[track_caller]
    fn leaf(
        self,
        leaf: Trained<'_, 2>,
        step: Tensor,
        rate: Tensor,
        decay: f64,
    ) -> (Tensor, [Tensor; 2]) {
        let dtype = leaf.param.dtype();
        let next_step = step + 1;
        let [mean, square] = leaf.state;
        let mean = mean * self.beta1 + leaf.gradient * (1.0 - self.beta1);
        let square = square * self.beta2 + leaf.gradient.square() * (1.0 - self.beta2);
        let unbiased = mean / debias(self.beta1, next_step, dtype);
        let deviation = (square / debias(self.beta2, next_step, dtype)).sqrt();
        let mut update = unbiased / (deviation + self.epsilon);
        if decay != 0.0 {
            update = update + leaf.param * decay;
        }
        (leaf.param - update * rate, [mean, square])
    }
}

/// `1 - beta^step`, the sum of the weights of a moving mean that began with zeros. The power itself
/// is close to 1 in the first steps, where its rounding in `f32` would be a large part of the
/// difference.
#[track_caller]
pub(crate) fn debias(beta: f64, step: Tensor, dtype: DType) -> Tensor {
    -(step.convert(dtype) * beta.ln()).exp_m1()
}

impl Default for Adam {
    fn default() -> Adam {
        Adam::new()
    }
}

impl AdamW {
    /// [`Adam::new`] with PyTorch's weight decay, 0.01, on all parameters.
    pub fn new() -> AdamW {
        AdamW { adam: Adam::new(), weight_decay: 0.01, decayed: Mask::all() }
    }

    /// Sets the factors on the means in each step.
    pub fn betas(self, beta1: f64, beta2: f64) -> AdamW {
        AdamW { adam: self.adam.betas(beta1, beta2), ..self }
    }

    /// Sets the number that is added to the divisor of an update.
    pub fn epsilon(self, epsilon: f64) -> AdamW {
        AdamW { adam: self.adam.epsilon(epsilon), ..self }
    }

    /// Sets the weight decay.
    pub fn weight_decay(self, weight_decay: f64) -> AdamW {
        AdamW { weight_decay, ..self }
    }

    /// Sets the parameters with weight decay.
    pub fn decayed(self, decayed: Mask) -> AdamW {
        AdamW { decayed, ..self }
    }

    /// A step of one parameter, after `step` others.
    #[track_caller]
    pub(crate) fn leaf(
        &self,
        leaf: Trained<'_, 2>,
        step: Tensor,
        rate: Tensor,
    ) -> (Tensor, [Tensor; 2]) {
        let decay = self.decay_of(leaf.path);
        self.adam.leaf(leaf, step, rate, decay)
    }

    /// The weight decay of the parameter with a path.
    fn decay_of(&self, path: &str) -> f64 {
        if self.decayed.contains(path) { self.weight_decay } else { 0.0 }
    }
}

impl Default for AdamW {
    fn default() -> AdamW {
        AdamW::new()
    }
}

/// Implements the optimizers whose steps are those of an [`Adam`] with the weight decay of each
/// path.
macro_rules! optimizers {
    ($($name:ident: |$this:ident| $adam:expr, $decay:expr;)*) => {$(
        impl Optimizer for $name {
            type State<P: TensorTree> = AdamState<P>;

            #[track_caller]
            fn init<P: TensorTree>(&self, params: &P) -> AdamState<P> {
                Adam::start(concat!("optim::", stringify!($name)), params)
            }

            #[track_caller]
            fn update<P: TensorTree>(
                &self,
                params: P,
                gradients: P,
                state: AdamState<P>,
                learning_rate: impl LearningRate,
            ) -> (P, AdamState<P>) {
                let ($this, op) = (self, concat!("optim::", stringify!($name)));
                $adam.step(op, (params, gradients, state), learning_rate, $decay)
            }
        }
    )*};
}

optimizers! {
    Adam: |adam| adam, |_| 0.0;
    AdamW: |adamw| adamw.adam, |path| adamw.decay_of(path);
}
