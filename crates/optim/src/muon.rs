//! Muon.

use crate::{
    AdamW, LearningRate, Mask, Optimizer,
    each::{Trained, compute_type, each, first_step, map_each},
};
use hloom_graph::{DType, Path, Tensor, TensorTree, Tree, called_from, function_scope};
use std::panic::Location;

/// Muon ([Jordan et al. 2024](https://kellerjordan.github.io/posts/muon/)) for matrices, as in
/// PyTorch, and [`AdamW`] for all other parameters.
///
/// It orthogonalizes the momentum of a matrix by Newton-Schulz iterations, which bring all singular
/// values close to 1. A matrix is a trained parameter of shape `[out, in]`; exclude embedding
/// tables and the output layer by [`matrices`](Self::matrices), so that AdamW trains them.
///
/// ```
/// use hloom_graph::{Spec, TraceScope};
/// use hloom_optim::{AdamW, Mask, Muon, Optimizer};
///
/// let muon = Muon::new()
///     .matrices(Mask::all().without("*embed_tokens*"))
///     .others(AdamW::new().betas(0.9, 0.98), 0.15);
/// let trace = TraceScope::begin("step");
/// let params = vec![
///     trace.parameter("weight", &Spec::f32([("out", 64), ("in", 32)]), true),
///     trace.parameter("bias", &Spec::f32([("out", 64)]), true),
/// ];
/// let state = muon.init(&params);
/// let gradients = params.clone();
/// let (params, state) = muon.update(params, gradients, state, 0.02);
/// assert_eq!(state.square[0].rank(), 0); // a matrix has momentum alone
/// # let _ = params;
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Muon {
    /// The factor on the mean of the gradients in each step.
    pub momentum: f64,
    /// Whether the update is the gradient moved by the momentum towards the mean (Nesterov), or the
    /// mean itself.
    pub nesterov: bool,
    /// The number of Newton-Schulz iterations.
    pub iterations: usize,
    /// The fraction of a matrix that is subtracted in a step of learning rate 1.
    pub weight_decay: f64,
    /// The scale of an update.
    pub scale: MuonScale,
    /// The parameters that are matrices, if they have two axes.
    pub matrices: Mask,
    /// The optimizer of all other parameters.
    pub others: AdamW,
    /// The learning rate of the others, as a multiple of that of the matrices.
    pub others_rate: f64,
}

/// The factor of an update of [`Muon`], apart from the learning rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MuonScale {
    /// The square root of outputs divided by inputs, at least 1.
    #[default]
    Shape,
    /// A fifth of the root of the longer axis, so that the learning rates of AdamW fit
    /// ([Liu et al. 2025](https://arxiv.org/abs/2502.16982)).
    MatchAdamW,
}

/// The state of [`Muon`]. A parameter has either `momentum`, or `mean` and `square`; the
/// tensors that it does not have are scalars.
#[derive(Tree, Clone, Debug)]
#[tree(leaf = P::Leaf)]
pub struct MuonState<P: Tree> {
    /// The number of steps, `i32[]`.
    pub step: P::Leaf,
    /// The moving mean of the gradients of a matrix.
    pub momentum: P,
    /// The moving mean of the gradients of another parameter.
    pub mean: P,
    /// The moving mean of the squared gradients of another parameter.
    pub square: P,
}

const OP: &str = "optim::Muon";
/// The polynomial of an iteration, with the steepest slope at 0.
const COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];
/// The minimum norm that a momentum is divided by.
const MIN_NORM: f64 = 1e-7;

impl Muon {
    /// PyTorch's defaults, for all matrices; others have [`AdamW::new`] and the same learning rate.
    pub fn new() -> Muon {
        Muon {
            momentum: 0.95,
            nesterov: true,
            iterations: 5,
            weight_decay: 0.1,
            scale: MuonScale::Shape,
            matrices: Mask::all(),
            others: AdamW::new(),
            others_rate: 1.0,
        }
    }

    /// Sets the factor on the mean of the gradients.
    pub fn momentum(self, momentum: f64) -> Muon {
        Muon { momentum, ..self }
    }

    /// Sets whether the momentum is Nesterov's.
    pub fn nesterov(self, nesterov: bool) -> Muon {
        Muon { nesterov, ..self }
    }

    /// Sets the weight decay of matrices.
    pub fn weight_decay(self, weight_decay: f64) -> Muon {
        Muon { weight_decay, ..self }
    }

    /// Sets the scale of an update.
    pub fn scale(self, scale: MuonScale) -> Muon {
        Muon { scale, ..self }
    }

    /// Sets which parameters with two axes are matrices.
    pub fn matrices(self, matrices: Mask) -> Muon {
        Muon { matrices, ..self }
    }

    /// Sets the optimizer of all other parameters, and its learning rate as a multiple of that of
    /// the matrices.
    pub fn others(self, others: AdamW, rate: f64) -> Muon {
        Muon { others, others_rate: rate, ..self }
    }

    fn is_matrix(&self, path: &str, leaf: Tensor) -> bool {
        leaf.rank() == 2 && self.matrices.contains(path)
    }

    /// Zeros for the parameters that have a state, and scalars for others.
    #[track_caller]
    fn zeros<P: TensorTree>(&self, params: &P, of_matrices: bool) -> P {
        let none = || Tensor::scalar(0, DType::F32);
        let zeros = |path: &Path<'_>, leaf: Tensor| {
            if self.is_matrix(&path.to_string(), leaf) == of_matrices {
                Tensor::zeros(compute_type(leaf.dtype()), leaf.shape())
            } else {
                none()
            }
        };
        map_each(OP, params.clone(), zeros, |_| none())
    }

    /// A matrix and its momentum after a step.
    fn of_matrix(&self, leaf: &Trained<'_, 3>, rate: Tensor) -> (Tensor, Tensor) {
        let toward = |from: Tensor, to: Tensor, part: f64| from + (to - from) * part;
        let momentum = toward(leaf.state[0], leaf.gradient, 1.0 - self.momentum);
        let update =
            if self.nesterov { toward(leaf.gradient, momentum, self.momentum) } else { momentum };
        let sizes = leaf.param.shape();
        let [rows, columns] = [0, 1].map(|axis| sizes.sizes()[axis] as f64);
        let scale = match self.scale {
            MuonScale::Shape => (rows / columns.max(1.0)).max(1.0).sqrt(),
            MuonScale::MatchAdamW => 0.2 * rows.max(columns).sqrt(),
        };
        let kept = leaf.param - leaf.param * (rate * self.weight_decay);
        let update = orthogonalized(update, self.iterations).reshape(sizes.axes());
        (kept - update * (rate * scale), momentum)
    }
}

impl Default for Muon {
    fn default() -> Muon {
        Muon::new()
    }
}

/// A matrix whose singular values are near 1, by an odd polynomial that is applied again and again.
#[track_caller]
fn orthogonalized(matrix: Tensor, iterations: usize) -> Tensor {
    let [a, b, c] = COEFFICIENTS;
    let unnamed = matrix.reshape(matrix.shape().unnamed().axes());
    let is_tall = unnamed.size(0) > unnamed.size(1);
    let turned = |x: Tensor| if is_tall { x.swap_axes(0, 1) } else { x };
    let norm = unnamed.square().sum(..).sqrt().maximum(MIN_NORM);
    let mut x = turned(unnamed / norm);
    for _ in 0..iterations {
        let gram = x.matmul(x.swap_axes(0, 1));
        let factor = gram * b + gram.matmul(gram) * c;
        x = x * a + factor.matmul(x);
    }
    turned(x)
}

impl Optimizer for Muon {
    type State<P: TensorTree> = MuonState<P>;

    #[track_caller]
    fn init<P: TensorTree>(&self, params: &P) -> MuonState<P> {
        MuonState {
            step: first_step(),
            momentum: self.zeros(params, true),
            mean: self.zeros(params, false),
            square: self.zeros(params, false),
        }
    }

    #[track_caller]
    fn update<P: TensorTree>(
        &self,
        params: P,
        gradients: P,
        state: MuonState<P>,
        learning_rate: impl LearningRate,
    ) -> (P, MuonState<P>) {
        let step = state.step;
        let rule = |leaf: Trained<'_, 3>| {
            let rate = learning_rate.at_step(step, leaf.param.dtype());
            let [momentum, mean, square] = leaf.state;
            if self.is_matrix(leaf.path, leaf.param) {
                let (param, momentum) = self.of_matrix(&leaf, rate);
                return (param, [momentum, mean, square]);
            }
            let own = Trained {
                path: leaf.path,
                param: leaf.param,
                gradient: leaf.gradient,
                state: [mean, square],
            };
            let (param, [mean, square]) = self.others.leaf(own, step, rate * self.others_rate);
            (param, [momentum, mean, square])
        };
        let run = || {
            let states = [state.momentum, state.mean, state.square];
            let (params, [momentum, mean, square]) = each(OP, params, gradients, states, rule);
            (params, MuonState { step: step + 1, momentum, mean, square })
        };
        called_from(Location::caller(), || function_scope(OP, run))
    }
}
