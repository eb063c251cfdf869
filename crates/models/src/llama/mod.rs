//! Llama 1 to 3, TinyLlama, SmolLM, Mistral, Qwen 2 and 3; and the mixtures of experts among their
//! relatives: Mixtral, Qwen 2 MoE and Qwen 3 MoE.
//!
//! Two programs run a model: one processes a piece of a prompt (prefill), the other generates one
//! token from the previous one (decode). Prompts are cut into pieces whose sizes are powers of two,
//! so that few programs are compiled. Both update the key-value cache in place, and both sample the
//! next token: it stays on the device, where the next decode call reads it, which is queued before
//! the host has read the token.
//!
//! In a mixture of experts each token is processed only by its own experts, however many tokens
//! they receive: the work grows with the number of tokens, and a decode call reads only the weights
//! of the token's experts. Checkpoints have a tensor for each expert; these are loaded as stacks,
//! which copies their bytes, while plain tensors are used in place.
//!
//! Several devices share a model with [`Options::devices`]: each computes its own heads, inner
//! features and part of the vocabulary, with two sums over the devices a layer. Mixtures of
//! experts, and sizes that the devices do not divide, are split by the plugin's partitioner, whose
//! programs have no platform kernels.
//!
//! ```no_run
//! use hloom_models::{ModelFolder, llama::{Generator, Options}};
//! use hloom_runtime::Platform;
//!
//! let folder = ModelFolder::open("SmolLM2-135M-Instruct")?;
//! let generator = Generator::open(&Platform::auto()?, &folder, Options::default())?;
//! let mut session = generator.session();
//! for token in session.generate(&[1, 2, 3], 16)? {
//!     println!("{}", token?);
//! }
//! # Ok::<(), hloom_models::Error>(())
//! ```

#[cfg(feature = "run")]
mod ahead;
#[cfg(feature = "run")]
mod buckets;
mod config;
mod experts;
mod experts_config;
#[cfg(feature = "run")]
mod generator;
mod gguf;
mod model;
#[cfg(feature = "run")]
mod parallel;
mod products;
#[cfg(feature = "run")]
mod programs;
mod rope;
#[cfg(feature = "run")]
mod session;
#[cfg(feature = "run")]
mod split_layers;
#[cfg(feature = "run")]
mod weights;
mod windows;

#[cfg(feature = "run")]
pub use ahead::AheadOfTime;
pub use config::{Config, Family};
pub use experts::{Choice, FeedForward, MixtralExperts, QwenExperts};
pub use experts_config::ExpertsConfig;
#[cfg(feature = "run")]
pub use generator::{Dtype, Generator, MAX_CONTEXT, Options, Stats};
pub use model::{Attention, Decoder, Layer, Llama, Mlp};
#[cfg(feature = "run")]
pub use session::{Answer, Session, Timing};

pub(crate) use config::Tokens;
pub(crate) use gguf::renamed;
