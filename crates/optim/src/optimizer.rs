//! The interface of all optimizers.

use crate::{LearningRate, Mask, Masked};
use hloom_graph::{Spec, TensorTree, TraceScope, Tree};
use std::collections::BTreeMap;

/// The specs of the state that the optimizer `O` has for parameters with the specs `S`.
pub type StateSpec<O, S> =
    <<O as Optimizer>::State<<S as Tree>::With<hloom_graph::Tensor>> as Tree>::With<Spec>;

/// An optimizer: computes the next parameters from gradients and a state that is kept between
/// steps.
///
/// ```
/// use hloom_graph::{Spec, Tensor};
/// use hloom_optim::{Lion, LionState, Optimizer};
///
/// // A step for one matrix whose gradient is known. `params` and `state` are donated.
/// fn step(
///     params: Tensor,
///     state: LionState<Tensor>,
///     gradient: Tensor,
/// ) -> (Tensor, LionState<Tensor>) {
///     Lion::new().update(params, gradient, state, 1e-4)
/// }
///
/// let spec = Spec::f32([("out", 4), ("in", 3)]);
/// let state: LionState<Spec> = Lion::new().state_spec(&spec);
/// assert_eq!(state.momentum.shape(), spec.shape());
/// ```
pub trait Optimizer {
    /// The state between steps, for parameters `P`.
    type State<P: TensorTree>: TensorTree;

    /// The state before the first step.
    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> Self::State<P>;

    /// One step: the next parameters and the next state. The learning rate is a number, a scalar
    /// tensor, or a [`Schedule`](crate::Schedule), which is evaluated at the number of steps that
    /// the state has counted.
    ///
    /// A gradient without a leaf or of another shape than its parameter is an error of the trace.
    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: Self::State<P>,
        learning_rate: impl LearningRate,
    ) -> (P, Self::State<P>);

    /// This optimizer for the parameters in the set; the others stay as they are, and have no
    /// state. Their gradients count in [`clip_by_global_norm`](crate::clip_by_global_norm), unless
    /// gradients are computed for the trained parameters only.
    ///
    /// ```
    /// use hloom_optim::{AdamW, Mask, Optimizer};
    ///
    /// let head = AdamW::new().trained(Mask::none().with("head.*"));
    /// assert!(head.trained.contains("head.weight"));
    /// ```
    fn trained(self, trained: Mask) -> Masked<Self>
    where
        Self: Sized,
    {
        Masked { optimizer: self, trained }
    }

    /// The specs of the state for parameters with these specs: to compile a step for, and to load
    /// the state from a checkpoint. A leaf of the state that has the sizes of its parameter is
    /// partitioned like the parameter; others are replicated.
    fn state_spec<S>(&self, params: &S) -> StateSpec<Self, S>
    where
        Self: Sized,
        S: Tree<Leaf = Spec> + Clone,
        S::With<hloom_graph::Tensor>: TensorTree,
    {
        let mut specs: BTreeMap<String, Spec> = BTreeMap::new();
        params.visit(&mut |path, spec| {
            specs.insert(path.to_string(), spec.clone());
        });
        let trace = TraceScope::begin("state");
        let state = self.init(&params.clone().map(&mut |path, spec: Spec| {
            // Partitions are those of the mesh that the step is compiled for.
            trace.parameter(path.to_string(), &Spec::of(spec.shape()), false)
        }));
        state.map(&mut |path, tensor| {
            let (shape, path) = (tensor.shape(), path.to_string());
            match parameter_of(&path, &specs) {
                Some(spec) if spec.shape().sizes() == shape.sizes() => {
                    spec.clone().with_dtype(shape.dtype())
                }
                _ => Spec::of(shape),
            }
        })
    }
}

/// The parameter that a leaf of a state belongs to: the path of the leaf ends with that of the
/// parameter.
fn parameter_of<'a>(path: &str, specs: &'a BTreeMap<String, Spec>) -> Option<&'a Spec> {
    let mut rest = path;
    loop {
        if let Some(spec) = specs.get(rest) {
            return Some(spec);
        }
        match rest.split_once('.') {
            Some((_, after)) => rest = after,
            // Parameters that are one leaf have the empty path.
            None => return specs.get(""),
        }
    }
}
