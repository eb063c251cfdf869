//! Optimizers, as functions on trees of tensors.
//!
//! An [`Optimizer`] takes parameters, their gradients and its state, and returns the next
//! parameters and the next state. It runs while a training step is traced, so that the step is one
//! program; a step that takes parameters and state as `Donated` arguments updates them in place.
//!
//! ```
//! use hloom_graph::{DType, Spec, Tensor, TraceScope};
//! use hloom_optim::{AdamW, Mask, Optimizer, Schedule, clip_by_global_norm};
//!
//! let adamw = AdamW::new().weight_decay(0.1).decayed(Mask::all().without("*bias"));
//! let schedule = Schedule::warmup_cosine(3e-4, 100, 1000, 3e-5);
//!
//! let trace = TraceScope::begin("step");
//! let params = vec![trace.parameter("weight", &Spec::f32([("out", 2), ("in", 3)]), true)];
//! let gradients = vec![trace.parameter("gradient", &Spec::f32([("out", 2), ("in", 3)]), false)];
//! let state = adamw.init(&params);
//! let (gradients, norm) = clip_by_global_norm(gradients, 1.0);
//! let (params, state) = adamw.update(params, gradients, state, &schedule);
//! # let results = vec![("params".into(), params[0]), ("norm".into(), norm)];
//! # trace.finish(results)?;
//! # Ok::<(), hloom_graph::TraceError>(())
//! ```
//!
//! # Which leaves are trained
//! Leaves of a float type that are not in a field with `#[tree(buffer)]`. All others, such as the
//! integers of a table or the running statistics of a normalisation, are constants: an update
//! returns them unchanged and ignores their leaves in the tree of gradients; so do norms and
//! averages. [`Optimizer::trained`] freezes further parameters.
//!
//! # Element types
//! Updates are computed in `f32`, or `f64` for `f64` parameters, and so are the states stored. A
//! parameter keeps its type: one of `bf16` is rounded after each step, so that it stops learning
//! when updates become small. Train with `f32` parameters, and [`cast_floats`] them in the forward
//! function; the gradients of `f16` need a [`LossScaling`].

#![forbid(unsafe_code)]

mod accumulate;
mod adafactor;
mod adam;
mod clip;
mod each;
mod ema;
mod learning_rate;
mod lion;
mod mask;
mod masked;
mod muon;
mod optimizer;
mod precision;
mod schedule;
mod sgd;

pub use accumulate::{MultiSteps, MultiStepsState, accumulate};
pub use adafactor::{Adafactor, AdafactorState};
pub use adam::{Adam, AdamState, AdamW};
pub use clip::{all_finite, clip_by_global_norm, clip_by_value, global_norm};
pub use ema::{Ema, EmaState};
pub use learning_rate::LearningRate;
pub use lion::{Lion, LionState};
pub use mask::Mask;
pub use masked::Masked;
pub use muon::{Muon, MuonScale, MuonState};
pub use optimizer::{Optimizer, StateSpec};
pub use precision::{LossScale, LossScaling, cast_floats, select_tree};
pub use schedule::Schedule;
pub use sgd::{Sgd, SgdState};
