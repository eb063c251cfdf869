//! Stochastic gradient descent.

use crate::{
    LearningRate, Mask, Optimizer,
    each::{Trained, each, first_step, momentum_mismatch, zeros_like},
};
use hloom_graph::{Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// Stochastic gradient descent, with optional momentum: the same as PyTorch's `SGD`, and as optax'
/// `sgd` without weight decay.
///
/// The momentum is the sum of all gradients so far, each multiplied by [`momentum`](Self::momentum)
/// once for every step since.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Sgd {
    /// The factor on the momentum in each step; without momentum, the gradient itself is the
    /// update.
    pub momentum: Option<f64>,
    /// Whether the gradient is added once more to its momentum (Nesterov).
    pub nesterov: bool,
    /// The factor on a parameter that is added to its gradient: an L2 penalty.
    pub weight_decay: f64,
    /// The parameters with weight decay.
    pub decayed: Mask,
}

/// The state of [`Sgd`].
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct SgdState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The momentum of each parameter, if there is one.
    pub momentum: Option<P>,
}

impl Sgd {
    /// SGD without momentum and without weight decay.
    pub fn new() -> Sgd {
        Sgd { momentum: None, nesterov: false, weight_decay: 0.0, decayed: Mask::all() }
    }

    /// Sets the factor on the momentum.
    pub fn momentum(self, factor: f64) -> Sgd {
        Sgd { momentum: Some(factor), ..self }
    }

    /// Uses Nesterov's momentum with this factor.
    pub fn nesterov(self, factor: f64) -> Sgd {
        Sgd { momentum: Some(factor), nesterov: true, ..self }
    }

    /// Sets the weight decay.
    pub fn weight_decay(self, weight_decay: f64) -> Sgd {
        Sgd { weight_decay, ..self }
    }

    /// Sets the parameters with weight decay.
    pub fn decayed(self, decayed: Mask) -> Sgd {
        Sgd { decayed, ..self }
    }

    /// The gradient with the weight decay.
    fn gradient<const N: usize>(&self, leaf: &Trained<'_, N>) -> Tensor {
        if self.weight_decay != 0.0 && self.decayed.contains(leaf.path) {
            leaf.gradient + leaf.param * self.weight_decay
        } else {
            leaf.gradient
        }
    }
}

impl Default for Sgd {
    fn default() -> Sgd {
        Sgd::new()
    }
}

impl Optimizer for Sgd {
    type State<P: TensorTree> = SgdState<P>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> SgdState<P> {
        let momentum = self.momentum.map(|_| zeros_like("optim::Sgd", params));
        SgdState { step: first_step(), momentum }
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: SgdState<P>,
        learning_rate: impl LearningRate,
    ) -> (P, SgdState<P>) {
        let (op, step) = ("optim::Sgd", state.step);
        let rate = |leaf: Tensor| learning_rate.at_step(step, leaf.dtype());
        let update = || {
            let (params, momentum) = match (self.momentum, state.momentum) {
                (Some(factor), Some(momentum)) => {
                    let (params, [momentum]) =
                        each(op, params, gradients, [momentum], |leaf: Trained<'_, 1>| {
                            let gradient = self.gradient(&leaf);
                            let momentum = leaf.state[0] * factor + gradient;
                            let update =
                                if self.nesterov { gradient + momentum * factor } else { momentum };
                            (leaf.param - update * rate(leaf.param), [momentum])
                        });
                    (params, Some(momentum))
                }
                (None, None) => {
                    let (params, []) = each(op, params, gradients, [], |leaf| {
                        (leaf.param - self.gradient(&leaf) * rate(leaf.param), [])
                    });
                    (params, None)
                }
                (factor, momentum) => {
                    momentum_mismatch(op, factor.is_some());
                    (params, momentum)
                }
            };
            (params, SgdState { step: step + 1, momentum })
        };
        called_from(Location::caller(), || function_scope(op, update))
    }
}
