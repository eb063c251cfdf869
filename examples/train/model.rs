//! The programs: initial weights, a training step, and the loss of held-out texts.

use crate::{Result, rows::Batch};
use hloom::{
    Buffer, DType, Donated, Exe, Key, Mesh, PartitionSpec, Spec, Tensor, Tree,
    nn::{Initializer, Rope, initialize},
    optim::{AdamW, Mask, Muon, MuonState, Optimizer, Schedule, clip_by_global_norm},
    transforms::value_and_grad_aux,
};
use hloom_models::llama::{Config, Llama};

/// State that a step updates: parameters and the optimizer's state.
pub type TrainState<T = Tensor> = (Llama<T>, MuonState<Llama<T>>);

/// A batch on the devices.
#[derive(Tree, Clone)]
pub struct Tokens<T = Tensor> {
    tokens: T,
    targets: T,
    weights: T,
}

/// The numbers of a step.
#[derive(Tree, Clone)]
pub struct Outcome<T = Tensor> {
    /// The mean cross entropy of the learned tokens, in nats.
    pub loss: T,
    /// The norm of the gradient before clipping.
    pub norm: T,
}

/// A training step, bound to its tables.
pub type Step = Exe<(Donated<TrainState<Spec>>, Tokens<Spec>), (TrainState, Outcome)>;
/// The sum of the losses of the learned tokens, and their number.
pub type Evaluate = Exe<(Llama<Spec>, Tokens<Spec>), (Tensor, Tensor)>;

/// The shapes of a training, and its devices.
pub struct Model {
    pub config: Config,
    pub mesh: Mesh,
    pub batch: usize,
    pub context: usize,
}

impl Model {
    /// The specs of parameters and state: a copy on each device.
    pub fn state(&self) -> TrainState<Spec> {
        let params = Llama::new(&self.config, DType::F32);
        let state = optimizer().state_spec(&params);
        (params, state)
    }

    /// The specs of a batch, whose rows are divided among the devices.
    fn tokens(&self) -> Tokens<Spec> {
        let spec = |dtype| {
            Spec::new(dtype, [("batch", self.batch), ("seq", self.context)]).shard("batch", "data")
        };
        let (ids, weights) = (spec(DType::I32), spec(DType::F32));
        Tokens { tokens: ids.clone(), targets: ids, weights }
    }

    /// A batch, moved to the devices.
    pub fn upload(&self, batch: &Batch) -> Result<Tokens<Buffer>> {
        let specs = self.tokens();
        let at = |spec: &Spec| self.mesh.sharding(spec);
        let dims = specs.tokens.shape();
        Ok(Tokens {
            tokens: Buffer::from_slice(&at(&specs.tokens)?, &batch.tokens, dims.axes())?,
            targets: Buffer::from_slice(&at(&specs.targets)?, &batch.targets, dims.axes())?,
            weights: Buffer::from_slice(&at(&specs.weights)?, &batch.weights, dims.axes())?,
        })
    }

    /// Random parameters, and the optimizer's first state.
    pub fn initial(&self, seed: u64) -> Result<TrainState<Buffer>> {
        let (specs, _) = self.state();
        // The sum that layers add to the residual stream does not grow with their number.
        let added = 0.02 / (2.0 * self.config.layers() as f64).sqrt();
        let init = move |key: Key| {
            let params = initialize(key, &specs, |path, _| {
                let path = path.to_string();
                let ends_with = |suffix| path.ends_with(suffix);
                if ends_with("norm.weight") {
                    Initializer::Ones
                } else if ends_with("bias") {
                    Initializer::Zeros
                } else if ends_with("o_proj.weight") || ends_with("down_proj.weight") {
                    normal(added)
                } else {
                    normal(0.02)
                }
            });
            let state = optimizer().init(&params);
            replicated((params, state))
        };
        let exe = self.mesh.compile(init, (Key::spec(),))?;
        let key = Key(Buffer::from_slice(&self.mesh, &Key::words(seed), [2])?);
        Ok(exe.call((&key,))?)
    }

    /// The training step. Parameters and state are donated: it updates them in place.
    pub fn step(&self, schedule: Schedule) -> Result<Step> {
        let step = move |rope: Rope, (params, state): TrainState, tokens: Tokens| {
            let ((_, loss), gradients) = value_and_grad_aux(params.clone(), |params| {
                let losses = Losses::of(&params, tokens.clone(), &rope);
                (losses.mean(tokens.weights), losses.mean(losses.learned))
            });
            let (gradients, norm) = clip_by_global_norm(gradients, 1.0);
            let next = optimizer().update(params, gradients, state, &schedule);
            (replicated(next), replicated(Outcome { loss, norm }))
        };
        let rope = self.config.rope_spec(self.context);
        let exe = self.mesh.compile(step, (rope, Donated(self.state()), self.tokens()))?;
        Ok(exe.bind(&self.config.rope_buffers(&self.mesh, self.context)?)?)
    }

    /// The program for held-out texts.
    pub fn evaluate(&self) -> Result<Evaluate> {
        let evaluate = |rope: Rope, params: Llama, tokens: Tokens| {
            let losses = Losses::of(&params, tokens, &rope);
            replicated(((losses.each * losses.learned).sum(..), losses.learned.sum(..)))
        };
        let rope = self.config.rope_spec(self.context);
        let exe = self.mesh.compile(evaluate, (rope, self.state().0, self.tokens()))?;
        Ok(exe.bind(&self.config.rope_buffers(&self.mesh, self.context)?)?)
    }
}

/// The losses of the tokens of a batch.
struct Losses {
    each: Tensor,
    /// 1 where a token is learned, else 0.
    learned: Tensor,
}

impl Losses {
    fn of(params: &Llama, tokens: Tokens, rope: &Rope) -> Losses {
        let each = params.next_token_loss(tokens.tokens, tokens.targets, rope);
        Losses { each, learned: tokens.weights.gt(0.0).convert(DType::F32) }
    }

    /// The mean over the whole batch, also over the parts that other devices have.
    fn mean(&self, weights: Tensor) -> Tensor {
        (self.each * weights).sum(..) / weights.sum(..).maximum(1.0)
    }
}

/// Muon for the matrices in the layers, and Adam for the table of tokens and the norms, at a lower
/// rate.
fn optimizer() -> Muon {
    let others = AdamW::new().betas(0.9, 0.98).weight_decay(0.0);
    let layers = Mask::none().with("*.layers.*");
    Muon::new().weight_decay(0.0).matrices(layers).others(others, 0.15)
}

fn normal(deviation: f64) -> Initializer {
    Initializer::Normal { deviation }
}

/// A copy on each device, which the next call takes.
fn replicated<T: Tree<Leaf = Tensor, With<Tensor> = T>>(tree: T) -> T {
    tree.map(&mut |_, tensor: Tensor| tensor.constrain(PartitionSpec::replicated()))
}
