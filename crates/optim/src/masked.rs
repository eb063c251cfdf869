//! Optimizers of a part of the parameters.

use crate::{
    LearningRate, Mask, Optimizer,
    each::{leaves, replaced},
};
use hloom_graph::{DType, Tensor, TensorTree};

/// An optimizer of the parameters in a set; the others stay as they are, and have no state:
/// [`Optimizer::trained`].
#[doc(alias = "freeze")]
#[doc(alias = "requires_grad")]
#[derive(Clone, PartialEq, Debug)]
pub struct Masked<O> {
    /// The optimizer of the parameters in the set.
    pub optimizer: O,
    /// The parameters that are trained.
    pub trained: Mask,
}

impl<O> Masked<O> {
    /// The tree with an integer instead of each leaf that is not trained: optimizers do not change
    /// integers.
    #[track_caller]
    fn hidden<P: TensorTree>(&self, tree: P) -> P {
        tree.map(&mut |path, leaf: Tensor| {
            if self.trained.contains(&path.to_string()) {
                leaf
            } else {
                Tensor::scalar(0, DType::I32)
            }
        })
    }
}

impl<O: Optimizer> Optimizer for Masked<O> {
    type State<P: TensorTree> = O::State<P>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> O::State<P> {
        self.optimizer.init(&self.hidden(params.clone()))
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: O::State<P>,
        learning_rate: impl LearningRate,
    ) -> (P, O::State<P>) {
        let (own, gradients) = (self.hidden(params.clone()), self.hidden(gradients));
        let (next, state) = self.optimizer.update(own, gradients, state, learning_rate);
        let all = params.paths().into_iter().zip(leaves(&params)).zip(leaves(&next));
        let next =
            all.map(|((path, old), new)| if self.trained.contains(&path) { new } else { old });
        (replaced(params, next.collect()), state)
    }
}
