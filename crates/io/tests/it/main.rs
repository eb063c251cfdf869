//! Checkpoints: read, written and loaded into the CPU plugin's buffers.

#[cfg(feature = "npy")]
mod bind_weights;
#[cfg(feature = "npy")]
mod corpus;
mod gguf;
mod hostile;
#[cfg(unix)]
mod hostile_files;
#[cfg(feature = "load")]
mod load;
#[cfg(feature = "load")]
mod messages;
#[cfg(feature = "npy")]
mod npy;
#[cfg(all(feature = "npy", target_os = "linux"))]
mod npy_headers;
#[cfg(feature = "load")]
mod packed;
mod python_files;
#[cfg(feature = "load")]
mod stacks;
#[cfg(feature = "load")]
mod token_ids;
mod trees;
mod writing;
