//! Tokenizers, chat templates and streaming text.

mod chat_template;
mod gguf;
mod jinja;
mod python_json;
mod stop_text;
mod tokenizer;
mod tokenizer_config;

pub use chat_template::{ChatTemplate, Message};
pub use gguf::gguf_end_tokens;
pub use stop_text::StopText;
pub use tokenizer::{TextStream, Tokenizer};
