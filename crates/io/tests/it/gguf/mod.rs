//! GGUF files: read, refused, written, dequantised.

mod checkpoint;
mod corpus;
mod dequantizing;
mod hostile;
mod splits;
mod writing;
