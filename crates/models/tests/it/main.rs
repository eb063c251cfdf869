//! The models compared with independent references.

mod bad_input;
mod bert;
mod chat;
mod corpus;
mod dtypes;
mod file_corpora;
mod fixture;
mod gradients;
mod hostile_configs;
mod hostile_files;
mod hostile_templates;
mod hub;
mod hub_hostile;
mod kernels;
mod llama;
mod lora;
mod minilm;
mod not_finite;
mod parallel;
mod programs;
mod published;
mod templates;
mod tokenizer_configs;
mod topology;
mod whisper;
mod whisper_input;
