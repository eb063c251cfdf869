//! Accumulation of gradients: within a step over parts of its batch, or over several steps.

use crate::{
    LearningRate, Optimizer,
    each::{compute_type, first_step, leaves, replaced, same_leaves, trained, zeros_like},
};
use hloom_graph::{
    Axis, DType, Dims, RegionKind, Shape, Tensor, TensorTree, Tree, called_from, cond,
    function_scope, record_error, record_region, scan,
};
use std::panic::Location;

/// The mean of the results of `gradients` over equal parts of a batch: the gradients of the whole
/// batch, with the memory of one part.
///
/// Each leaf of `batch` is split along `axis` into `parts` parts of consecutive elements. The
/// function takes a part and returns gradients and anything else that is averaged, such as the
/// loss; it runs in a loop. A mean over parts is the mean over the batch if the function itself
/// returns means and all elements count alike.
///
/// ```
/// use hloom_graph::{Spec, TraceScope};
/// use hloom_optim::accumulate;
///
/// let trace = TraceScope::begin("step");
/// let weight = trace.parameter("weight", &Spec::f32([("in", 4)]), false);
/// let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 4)]), false);
/// // The loss is the mean of `x . weight` over the batch.
/// let (loss, gradient) = accumulate(x, "batch", 8, |x| {
///     (x.dot(weight, "in").mean("batch"), x.mean("batch"))
/// });
/// assert_eq!((loss.rank(), gradient.shape()), (0, weight.shape()));
/// ```
#[track_caller]
pub fn accumulate<B: TensorTree, R: TensorTree>(
    batch: B,
    axis: impl Into<Axis>,
    parts: usize,
    gradients: impl Fn(B) -> R,
) -> R {
    let (op, axis, location) = ("optim::accumulate", axis.into(), Location::caller());
    let split = |leaf: Tensor| {
        let (size, rank) = (leaf.size(axis), leaf.rank() as isize);
        if parts == 0 || !size.is_multiple_of(parts) {
            let message = format!("axis {axis} of size {size} cannot be split into {parts} parts");
            return record_error(op, &[leaf], message);
        }
        let at = leaf.shape().position(axis).map_or(0, |at| at as isize);
        let name = leaf.shape().names().get(at as usize).copied().flatten();
        let part = size / parts;
        let split = match name {
            Some(name) => leaf.unflatten(axis, [("_", parts), (name.as_str(), part)]),
            None => leaf.unflatten(axis, [parts, part]),
        };
        debug_assert!(split.is_poisoned() || split.rank() as isize == rank + 1);
        split.moveaxis(at, 0)
    };
    let batch =
        called_from(location, || function_scope(op, || batch.map(&mut |_, leaf| split(leaf))));
    let of_part = |part: &[Tensor]| gradients(replaced(batch.clone(), part.to_vec()));
    // The loop needs its initial values before its body: a first trace outside of the program finds
    // the shapes that the function returns.
    let shapes: Vec<Shape> = leaves(&batch).iter().map(|leaf| first(&leaf.shape())).collect();
    let mut result = None;
    called_from(location, || {
        record_region(op, &shapes, RegionKind::Open, |part| {
            let found = of_part(part);
            let values = leaves(&found);
            result = Some(found);
            values
        })
    });
    let result = result.expect("the body of a region runs");
    let run = || {
        let zeros = result
            .clone()
            .map(&mut |_, leaf: Tensor| Tensor::zeros(sum_type(op, leaf), leaf.shape()));
        let (sum, _) = scan(zeros, batch.clone(), 0, |sum, part| {
            let next = leaves(&of_part(&leaves(&part)));
            let sums = leaves(&sum).into_iter().zip(next);
            let sums = sums.map(|(sum, next)| sum + next.convert(sum.dtype())).collect();
            (replaced(sum, sums), Vec::<Tensor>::new())
        });
        let types: Vec<DType> = leaves(&result).into_iter().map(Tensor::dtype).collect();
        let means = leaves(&sum).into_iter().zip(types);
        let means = means.map(|(sum, dtype)| (sum / parts as f64).convert(dtype)).collect();
        replaced(sum, means)
    };
    called_from(location, run)
}

/// The type that a result is summed in. Integers have no mean.
#[track_caller]
fn sum_type(op: &'static str, result: Tensor) -> DType {
    if !result.dtype().is_float() {
        // The result itself belongs to the trace that is thrown away.
        let message = format!("a result is {}: only floats can be averaged", result.shape());
        record_error(op, &[], message);
    }
    compute_type(result.dtype())
}

/// The shape without its first axis.
fn first(shape: &Shape) -> Shape {
    let axes = shape.names().iter().copied().zip(shape.sizes().iter().copied());
    match Dims::new(axes.skip(1)) {
        Ok(dims) => shape.with_dims(dims),
        Err(_) => *shape,
    }
}

/// Steps of another optimizer with the mean gradients of several updates: an update adds its
/// gradients to a sum, and every [`every`](Self::every)th one takes a step, as optax' `MultiSteps`
/// does. In between the parameters do not change.
///
/// ```
/// use hloom_optim::{AdamW, MultiSteps};
///
/// let optimizer = MultiSteps::new(AdamW::new(), 4);
/// assert_eq!(optimizer.every, 4);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct MultiSteps<O> {
    /// The optimizer that takes the steps.
    pub optimizer: O,
    /// The number of updates per step, at least 1.
    pub every: usize,
}

/// The state of [`MultiSteps`], for parameters `P` and the state `S` of the optimizer itself.
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct MultiStepsState<P: Tree, S> {
    /// The number of updates since the last step, `i32[]`.
    pub updates: P::Leaf,
    /// The sum of their gradients.
    pub sum: P,
    /// The state of the optimizer that takes the steps.
    pub state: S,
}

impl<O: Optimizer> MultiSteps<O> {
    /// Steps of `optimizer` after every `every` updates.
    ///
    /// # Panics
    /// `every` is 0.
    pub fn new(optimizer: O, every: usize) -> MultiSteps<O> {
        assert!(every > 0, "a step follows one update at least");
        MultiSteps { optimizer, every }
    }
}

impl<O: Optimizer> Optimizer for MultiSteps<O> {
    type State<P: TensorTree> = MultiStepsState<P, O::State<P>>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> MultiStepsState<P, O::State<P>> {
        MultiStepsState {
            updates: first_step(),
            sum: zeros_like(OP, params),
            state: self.optimizer.init(params),
        }
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: MultiStepsState<P, O::State<P>>,
        learning_rate: impl LearningRate,
    ) -> (P, MultiStepsState<P, O::State<P>>) {
        let MultiStepsState { updates, sum, state } = state;
        let location = Location::caller();
        let added = called_from(location, || {
            same_leaves(OP, "gradients", &params, &gradients).then(|| {
                function_scope(OP, || {
                    let trained = trained(OP, &params);
                    let all = leaves(&sum).into_iter().zip(leaves(&gradients)).zip(trained);
                    let added = |((sum, gradient), is_trained): ((Tensor, Tensor), bool)| {
                        if is_trained { sum + gradient.convert(sum.dtype()) } else { sum }
                    };
                    replaced(sum.clone(), all.map(added).collect())
                })
            })
        });
        let Some(sum) = added else {
            return (params, MultiStepsState { updates, sum, state });
        };
        called_from(location, || {
            let zero = first_step();
            let updates = updates + 1;
            let (params, sum, state, updates) = cond(
                updates.ge(self.every),
                || {
                    let means = sum.clone().map(&mut |_, sum: Tensor| sum / self.every as f64);
                    let (params, state) =
                        self.optimizer.update(params.clone(), means, state.clone(), &learning_rate);
                    (params, zeros_like(OP, &sum), state, zero)
                },
                || (params.clone(), sum.clone(), state.clone(), updates),
            );
            (params, MultiStepsState { updates, sum, state })
        })
    }
}

const OP: &str = "optim::MultiSteps";
