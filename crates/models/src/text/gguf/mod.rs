//! The tokenizer, the chat template and the end tokens that the metadata of a GGUF file describe.
//!
//! The tokens of a text are those of llama.cpp, which defines the format, except for rare texts:
//! - code points without a letter, mark or number in Unicode's older tables, which llama.cpp has;
//! - bytes that a vocabulary lacks, next to which llama.cpp does not merge;
//! - white space beyond ASCII next to a special token that strips it, which llama.cpp keeps;
//! - the written name of a byte, such as `<0x0A>`, which llama.cpp may merge to that byte.

mod byte_pairs;
mod end_tokens;
mod metadata;
mod pre_tokenizer;
mod scored_pieces;
mod template;
mod token_kind;
mod tokenizer;
mod vocabulary;

pub use end_tokens::gguf_end_tokens;
