//! Model families, run from folders in the Hugging Face layout, and for [`llama`] from GGUF files.
//!
//! - [`llama`]: Llama and related models, for text generation.
//! - [`bert`]: BERT, for sentence embeddings (feature `bert`).
//! - [`whisper`]: Whisper, for speech to text (feature `whisper`).
//! - [`text`]: tokenizers, chat templates, and streaming text (feature `text`).
//! - [`hub`]: models by name (feature `hub`).
//!
//! Every field of a configuration is checked: an unsupported one is an error, not a silently wrong
//! result.

#![forbid(unsafe_code)]

#[cfg(feature = "bert")]
pub mod bert;
#[cfg(feature = "run")]
mod buffers;
mod config_fields;
mod error;
mod folder;
mod generation;
mod generation_fields;
mod gguf_metadata;
#[cfg(feature = "hub")]
pub mod hub;
#[cfg(feature = "hub")]
mod hub_client;
#[cfg(feature = "hub")]
mod hub_content;
#[cfg(feature = "hub")]
mod hub_download;
#[cfg(feature = "hub")]
mod hub_metadata;
#[cfg(feature = "hub")]
mod hub_name;
#[cfg(feature = "run")]
mod joined_threads;
pub mod llama;
pub mod lora;
#[cfg(feature = "run")]
mod lora_files;
mod model_source;
#[cfg(feature = "run")]
mod once;
#[cfg(feature = "text")]
pub mod text;
#[cfg(feature = "whisper")]
pub mod whisper;

pub use error::{Error, Result};
pub use folder::ModelFolder;
pub use generation::GenerationConfig;
pub use model_source::{GgufModel, ModelSource};
