//! GGUF files: read, refused, written, dequantised.

mod checkpoint;
mod corpus;
mod dequantizing;
mod hostile;
mod programs;
#[cfg(feature = "load")]
mod quantizing;
mod splits;
mod writing;
