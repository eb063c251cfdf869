//! Adafactor.

use crate::{
    LearningRate, Mask, Optimizer,
    each::{Trained, compute_type, each, first_step, map_each, momentum_mismatch, zeros_like},
};
use hloom_graph::{DType, Path, Shape, Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// Adafactor ([Shazeer and Stern 2018](https://arxiv.org/abs/1804.04235)), as in optax, save that
/// weight decay is multiplied by the learning rate, as in PyTorch. For a matrix it stores the means
/// of squared gradients of each row and column instead of each element.
#[derive(Clone, PartialEq, Debug)]
pub struct Adafactor {
    /// The factor on the means in step t, counted from 1, is `1 - t^-decay_exponent`.
    pub decay_exponent: f64,
    /// The largest root mean square of the update of one parameter, before the learning rate.
    pub clipping_threshold: Option<f64>,
    /// Whether an update is multiplied by the root mean square of its parameter, at least 1e-3: the
    /// learning rate is then relative.
    pub multiply_by_parameter_scale: bool,
    /// The smallest size of the two longest axes of a parameter that is factored.
    pub min_size_to_factor: usize,
    /// The factor on the mean of the updates in each step, if they are averaged.
    pub momentum: Option<f64>,
    /// The fraction of a parameter that is subtracted in a step of learning rate 1.
    pub weight_decay: f64,
    /// The parameters with weight decay.
    pub decayed: Mask,
    /// A number that is added to the squared gradients.
    pub epsilon: f64,
}

/// The state of [`Adafactor`]. A parameter has either `rows` and `columns`, or `square`; the
/// tensors that it does not have are scalars.
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct AdafactorState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The means of squared gradients over the longest axis of a factored parameter, which is
    /// kept with size 1.
    pub rows: P,
    /// The means over its second longest axis, which is kept with size 1.
    pub columns: P,
    /// The means of squared gradients of a parameter that is not factored.
    pub square: P,
    /// The mean of the updates, if they are averaged.
    pub momentum: Option<P>,
}

/// The smallest factor by [`Adafactor::multiply_by_parameter_scale`].
const MIN_SCALE: f64 = 1e-3;

impl Adafactor {
    /// The defaults of optax, without weight decay.
    pub fn new() -> Adafactor {
        Adafactor {
            decay_exponent: 0.8,
            clipping_threshold: Some(1.0),
            multiply_by_parameter_scale: true,
            min_size_to_factor: 128,
            momentum: None,
            weight_decay: 0.0,
            decayed: Mask::all(),
            epsilon: 1e-30,
        }
    }

    /// Sets the factor on the mean of the updates in each step.
    pub fn momentum(self, factor: f64) -> Adafactor {
        Adafactor { momentum: Some(factor), ..self }
    }

    /// Sets the smallest size of the two longest axes of a parameter that is factored.
    pub fn min_size_to_factor(self, min_size_to_factor: usize) -> Adafactor {
        Adafactor { min_size_to_factor, ..self }
    }

    /// Sets the largest root mean square of an update, or none.
    pub fn clipping_threshold(self, clipping_threshold: Option<f64>) -> Adafactor {
        Adafactor { clipping_threshold, ..self }
    }

    /// Sets whether an update is multiplied by the root mean square of its parameter.
    pub fn multiply_by_parameter_scale(self, multiply_by_parameter_scale: bool) -> Adafactor {
        Adafactor { multiply_by_parameter_scale, ..self }
    }

    /// Sets the weight decay.
    pub fn weight_decay(self, weight_decay: f64) -> Adafactor {
        Adafactor { weight_decay, ..self }
    }

    /// Sets the parameters with weight decay.
    pub fn decayed(self, decayed: Mask) -> Adafactor {
        Adafactor { decayed, ..self }
    }

    /// The second longest and the longest axis of a parameter that is factored; of axes of one
    /// size, the later one is the longer.
    fn factored(&self, shape: &Shape) -> Option<[usize; 2]> {
        let sizes = shape.sizes();
        let mut axes: Vec<usize> = (0..sizes.len()).collect();
        axes.sort_by_key(|&axis| sizes[axis]);
        let [.., second, first] = axes[..] else {
            return None;
        };
        (sizes[second] >= self.min_size_to_factor).then_some([second, first])
    }

    /// The update of a parameter before the momentum, and the next means.
    #[track_caller]
    fn rule(
        &self,
        leaf: &Trained<'_, 3>,
        next_step: Tensor,
        rate: Tensor,
    ) -> (Tensor, [Tensor; 3]) {
        let (gradient, [rows, columns, square]) = (leaf.gradient, leaf.state);
        let dtype = gradient.dtype();
        // The weight of the new squares: `t^-exponent`.
        let weight = (next_step.convert(dtype).log() * -self.decay_exponent).exp();
        let mean = |old: Tensor, new: Tensor| old + (new - old) * weight;
        let new = gradient.square() + self.epsilon;
        let (mut update, state) = match self.factored(&gradient.shape()) {
            Some([second, first]) => {
                let rows = mean(rows, new.mean_keep(first));
                let columns = mean(columns, new.mean_keep(second));
                let row = (rows / rows.mean_keep(second)).rsqrt();
                (gradient * row * columns.rsqrt(), [rows, columns, square])
            }
            None => {
                let square = mean(square, new);
                (gradient * square.rsqrt(), [rows, columns, square])
            }
        };
        if let Some(threshold) = self.clipping_threshold {
            update = update / (root_mean_square(update) / threshold).maximum(1.0);
        }
        update = update * rate;
        if self.multiply_by_parameter_scale {
            update = update * root_mean_square(leaf.param).maximum(MIN_SCALE);
        }
        (update, state)
    }
}

#[track_caller]
fn root_mean_square(x: Tensor) -> Tensor {
    x.square().mean(..).sqrt()
}

impl Default for Adafactor {
    fn default() -> Adafactor {
        Adafactor::new()
    }
}

impl Optimizer for Adafactor {
    type State<P: TensorTree> = AdafactorState<P>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> AdafactorState<P> {
        let op = "optim::Adafactor";
        // `of` is the position, among the two axes, of the one that the means are over.
        let means = |of: Option<usize>| {
            let none = || Tensor::scalar(0, DType::F32);
            let own = |_: &Path<'_>, leaf: Tensor| {
                let zeros = || Tensor::zeros(compute_type(leaf.dtype()), leaf.shape());
                match (self.factored(&leaf.shape()), of) {
                    (Some(axes), Some(of)) => zeros().sum_keep(axes[of]),
                    (None, None) => zeros(),
                    _ => none(),
                }
            };
            map_each(op, params.clone(), own, |_| none())
        };
        AdafactorState {
            step: first_step(),
            rows: means(Some(1)),
            columns: means(Some(0)),
            square: means(None),
            momentum: self.momentum.map(|_| zeros_like(op, params)),
        }
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: AdafactorState<P>,
        learning_rate: impl LearningRate,
    ) -> (P, AdafactorState<P>) {
        let (op, step) = ("optim::Adafactor", state.step);
        let next_step = step + 1;
        let averaged = |leaf: &Trained<'_, 3>| {
            let rate = learning_rate.at_step(step, leaf.param.dtype());
            let (update, means) = self.rule(leaf, next_step, rate);
            (update, means, rate)
        };
        let decayed = |path: &str, param: Tensor, rate: Tensor| {
            if self.weight_decay != 0.0 && self.decayed.contains(path) {
                param - param * (rate * self.weight_decay)
            } else {
                param
            }
        };
        let run = || {
            let AdafactorState { rows, columns, square, momentum, .. } = state;
            let (params, [rows, columns, square], momentum) = match (self.momentum, momentum) {
                (Some(factor), Some(momentum)) => {
                    let states = [rows, columns, square, momentum];
                    let (params, [rows, columns, square, momentum]) =
                        each(op, params, gradients, states, |leaf: Trained<'_, 4>| {
                            let [rows, columns, square, momentum] = leaf.state;
                            let state = [rows, columns, square];
                            let Trained { path, param, gradient, .. } = leaf;
                            let (update, [rows, columns, square], rate) =
                                averaged(&Trained { path, param, gradient, state });
                            let momentum = momentum * factor + update * (1.0 - factor);
                            let next = decayed(path, param, rate) - momentum;
                            (next, [rows, columns, square, momentum])
                        });
                    (params, [rows, columns, square], Some(momentum))
                }
                (None, None) => {
                    let states = [rows, columns, square];
                    let (params, states) = each(op, params, gradients, states, |leaf| {
                        let (update, means, rate) = averaged(&leaf);
                        (decayed(leaf.path, leaf.param, rate) - update, means)
                    });
                    (params, states, None)
                }
                (factor, momentum) => {
                    momentum_mismatch(op, factor.is_some());
                    (params, [rows, columns, square], momentum)
                }
            };
            (params, AdafactorState { step: next_step, rows, columns, square, momentum })
        };
        called_from(Location::caller(), || function_scope(op, run))
    }
}
