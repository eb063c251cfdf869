//! Model families, run from folders as Hugging Face distributes them.
//!
//! - [`llama`]: Llama and its relatives, as text generators.
//! - [`bert`]: BERT, as a maker of sentence embeddings.
//! - [`text`]: tokenizers, chat templates, and text that streams (feature `text`).
//! - [`hub`]: models by name (feature `hub`).
//!
//! A configuration is read so that no field is overlooked: one that is not understood is an error, not a silently wrong result.

#![forbid(unsafe_code)]

#[cfg(feature = "run")]
mod background;
pub mod bert;
#[cfg(feature = "run")]
mod buffers;
mod config_fields;
mod error;
mod folder;
mod generation;
#[cfg(feature = "hub")]
pub mod hub;
#[cfg(feature = "hub")]
mod hub_download;
#[cfg(feature = "hub")]
mod hub_name;
pub mod llama;
#[cfg(feature = "run")]
mod once;
#[cfg(feature = "text")]
pub mod text;

pub use error::{Error, Result};
pub use folder::ModelFolder;
pub use generation::GenerationConfig;
