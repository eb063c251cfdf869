//! GGUF files: read, refused, written, dequantised.

mod checkpoint;
mod corpus;
mod dequantizing;
mod hostile;
#[cfg(feature = "load")]
mod quantizing;
mod splits;
mod writing;
