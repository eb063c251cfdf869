//! Lion.

use crate::{
    LearningRate, Mask, Optimizer,
    each::{Trained, each, first_step, zeros_like},
};
use hloom_graph::{TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// Lion ([Chen et al. 2023](https://arxiv.org/abs/2302.06675)), as in optax: an update is the sign
/// of a mean of gradients. It needs about a tenth of Adam's learning rate, and ten times its weight
/// decay.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Lion {
    /// The weight of the momentum in an update; that of the gradient is `1 - beta1`.
    pub beta1: f64,
    /// The factor on the momentum in each step.
    pub beta2: f64,
    /// The fraction of a parameter that is subtracted in a step of learning rate 1.
    pub weight_decay: f64,
    /// The parameters with weight decay.
    pub decayed: Mask,
}

/// The state of [`Lion`].
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct LionState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The moving mean of the gradients.
    pub momentum: P,
}

impl Lion {
    /// Lion with the factors 0.9 and 0.99, without weight decay.
    pub fn new() -> Lion {
        Lion { beta1: 0.9, beta2: 0.99, weight_decay: 0.0, decayed: Mask::all() }
    }

    /// Sets the factors on the momentum in an update and in each step.
    pub fn betas(self, beta1: f64, beta2: f64) -> Lion {
        Lion { beta1, beta2, ..self }
    }

    /// Sets the weight decay.
    pub fn weight_decay(self, weight_decay: f64) -> Lion {
        Lion { weight_decay, ..self }
    }

    /// Sets the parameters with weight decay.
    pub fn decayed(self, decayed: Mask) -> Lion {
        Lion { decayed, ..self }
    }
}

impl Default for Lion {
    fn default() -> Lion {
        Lion::new()
    }
}

impl Optimizer for Lion {
    type State<P: TensorTree> = LionState<P>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> LionState<P> {
        LionState { step: first_step(), momentum: zeros_like("optim::Lion", params) }
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: LionState<P>,
        learning_rate: impl LearningRate,
    ) -> (P, LionState<P>) {
        let (op, step) = ("optim::Lion", state.step);
        let update = |leaf: Trained<'_, 1>| {
            let (gradient, [momentum]) = (leaf.gradient, leaf.state);
            let mean = momentum * self.beta1 + gradient * (1.0 - self.beta1);
            let mut update = mean.sign();
            if self.weight_decay != 0.0 && self.decayed.contains(leaf.path) {
                update = update + leaf.param * self.weight_decay;
            }
            let rate = learning_rate.at_step(step, leaf.param.dtype());
            let momentum = momentum * self.beta2 + gradient * (1.0 - self.beta2);
            (leaf.param - update * rate, [momentum])
        };
        let run = || {
            let (params, [momentum]) = each(op, params, gradients, [state.momentum], update);
            (params, LionState { step: step + 1, momentum })
        };
        called_from(Location::caller(), || function_scope(op, run))
    }
}
