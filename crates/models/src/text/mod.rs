//! Tokenizers, chat templates and streaming text.

mod chat_template;
mod jinja;
mod python_json;
mod stop_text;
mod tokenizer;
mod tokenizer_config;

pub use chat_template::{ChatTemplate, Message};
pub use stop_text::StopText;
pub use tokenizer::{TextStream, Tokenizer};
