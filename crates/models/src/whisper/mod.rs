//! Whisper ([Radford et al. 2022](https://arxiv.org/abs/2212.04356)): speech to text.
//!
//! A model processes audio in windows, of 30 seconds in all published models. Three programs run
//! per window: features (a logarithmic mel spectrogram), the encoder with the keys and values of
//! the decoder's cross attention, and the decoder on the tokens that begin a text. A fourth program
//! generates one token from the previous one; it updates its key-value cache in place, and the
//! token stays on the device, where the next call reads it.
//!
//! Longer audio is cut into consecutive windows, without overlap and without timestamps: a word at
//! a cut can be lost. Decoding is greedy.
//!
//! ```no_run
//! use hloom_models::{ModelFolder, whisper::{Audio, Options, Request, Transcriber}};
//! use hloom_runtime::Platform;
//!
//! let folder = ModelFolder::open("whisper-tiny")?;
//! let transcriber = Transcriber::open(&Platform::auto()?, &folder, Options::default())?;
//! let audio = Audio::open("speech.wav")?;
//! for segment in transcriber.transcribe(&audio, &Request::default())? {
//!     println!("{:?}", segment?.tokens);
//! }
//! # Ok::<(), hloom_models::Error>(())
//! ```

mod audio;
mod config;
mod decoding;
mod log_mel;
mod model;
#[cfg(feature = "run")]
mod programs;
mod resample;
#[cfg(feature = "run")]
mod transcriber;
#[cfg(feature = "run")]
mod transcript;

pub use audio::Audio;
pub use config::Config;
pub use decoding::{Decoding, Request, Task};
pub use log_mel::LogMel;
pub use model::{Attention, Decoder, DecoderLayer, Encoder, EncoderLayer, Whisper};
#[cfg(feature = "run")]
pub use transcriber::{Options, Transcriber};
#[cfg(feature = "run")]
pub use transcript::{Segment, Transcript};
