//! BERT ([Devlin et al. 2018](https://arxiv.org/abs/1810.04805)) for sentence embeddings, such as
//! MiniLM.
//!
//! ```no_run
//! use hloom_models::{ModelFolder, bert::Embedder};
//! use hloom_runtime::Platform;
//!
//! let folder = ModelFolder::open("all-MiniLM-L6-v2")?;
//! let embedder = Embedder::open(&Platform::auto()?, &folder)?;
//! let embeddings = embedder.embed_tokens(&[vec![101, 7592, 102], vec![101, 7632, 102]])?;
//! println!("{}", embeddings[0].iter().zip(&embeddings[1]).map(|(a, b)| a * b).sum::<f32>());
//! # Ok::<(), hloom_models::Error>(())
//! ```

mod config;
#[cfg(feature = "run")]
mod embedder;
mod model;
mod pooling;

pub use config::Config;
#[cfg(feature = "run")]
pub use embedder::{Embedder, Encoded, Segment};
pub use model::{Attention, Bert, Embeddings, Encoder, Layer, Output};
pub use pooling::{Head, Pooling};
