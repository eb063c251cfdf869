//! Models of the Llama family in GGUF files: the configuration that their metadata states, and the
//! names of their tensors.

mod config;
mod rope;
mod tensor_names;

pub(crate) use tensor_names::renamed;
