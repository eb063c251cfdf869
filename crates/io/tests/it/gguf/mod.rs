//! GGUF files: read, refused, written, dequantised.

mod dequantizing;
mod hostile;
mod splits;
mod writing;
