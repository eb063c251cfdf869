//! Audio from WAV files.

use super::resample::resampled;
use crate::{Error, Result};
use hound::{SampleFormat, WavReader, WavSpec};
use std::{
    borrow::Cow,
    fmt,
    io::{self, BufReader, Read},
    ops::RangeInclusive,
    path::Path,
};

/// The samples of one channel of audio.
#[derive(Clone, PartialEq)]
pub struct Audio {
    samples: Vec<f32>,
    rate: u32,
}

/// The supported sampling rates, in samples per second.
pub(super) const RATES: RangeInclusive<u32> = 1_000..=384_000;
/// The maximum number of samples of a channel: three hours at 96,000 per second.
const MAX_SAMPLES: u32 = 1 << 30;

impl Audio {
    /// Reads a WAV file: integers of 8, 16, 24 or 32 bits, or floats of 32 bits, of any number of
    /// channels, which are averaged.
    ///
    /// # Errors
    /// The file cannot be read, is not a WAV file, ends early, has no samples, more than 2^30 per
    /// channel, another sample format, a sample that is not finite, or a rate outside of 1,000 to
    /// 384,000 samples per second.
    pub fn open(path: impl AsRef<Path>) -> Result<Audio> {
        let path = path.as_ref();
        let file = hloom_io::open_regular(path);
        let file = file.map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Audio::read(BufReader::new(file), path)
    }

    /// Reads a WAV file from bytes; errors name `path`. See [`open`](Self::open).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(mut from: impl Read, path: &Path) -> Result<Audio> {
        let refused = |message: String| Error::Audio { path: path.to_owned(), message };
        let mut start = Vec::new();
        let read = from.by_ref().take(8).read_to_end(&mut start);
        read.map_err(|error| refused(error.to_string()))?;
        let kind = hloom_io::binary_kind(&start).filter(|_| !start.starts_with(b"RIFF"));
        if let Some(kind) = kind {
            return Err(refused(format!("not a WAV file, but {kind}")));
        }
        let mut reader = WavReader::new(start.chain(from)).map_err(|error| {
            refused(match error {
                hound::Error::IoError(error) if ended(&error) => {
                    "the file ends within its header; a WAV file is expected".into()
                }
                hound::Error::IoError(error) => error.to_string(),
                hound::Error::Unsupported => format!("{FORMATS} are expected"),
                hound::Error::FormatError(why) => format!("no WAV file that can be read: {why}"),
                error => error.to_string(),
            })
        })?;
        let (spec, count) = (reader.spec(), reader.duration());
        let WavSpec { channels, sample_rate, bits_per_sample, sample_format } = spec;
        if !RATES.contains(&sample_rate) {
            return Err(refused(bad_rate(sample_rate)));
        }
        if count > MAX_SAMPLES {
            return Err(refused(format!(
                "{count} samples per channel; at most {MAX_SAMPLES} are expected"
            )));
        }
        let mut mono = Mono { channels: channels.into(), ..Mono::default() };
        let result = match sample_format {
            SampleFormat::Float => reader.samples::<f32>().try_for_each(|x| mono.push(x?.into())),
            SampleFormat::Int => {
                let scale = 2f64.powi(1 - i32::from(bits_per_sample));
                reader.samples::<i32>().try_for_each(|x| mono.push(f64::from(x?) * scale))
            }
        };
        let read = mono.samples.len();
        result.map_err(|error| {
            refused(match error {
                hound::Error::IoError(error) if ended(&error) => {
                    format!("the file ends after {read} of {count} samples per channel")
                }
                hound::Error::Unsupported | hound::Error::TooWide => {
                    format!("samples of {bits_per_sample} bits; {FORMATS} are expected")
                }
                error => error.to_string(),
            })
        })?;
        match mono.samples.iter().position(|x| !x.is_finite()) {
            Some(at) => Err(refused(format!("sample {at} is {}", mono.samples[at]))),
            None if read == 0 => Err(refused("there are no samples".into())),
            None => Ok(Audio { samples: mono.samples, rate: sample_rate }),
        }
    }

    /// Audio from samples, nominally between -1 and 1, with `rate` samples per second.
    ///
    /// # Errors
    /// There are no samples, one is not finite, or the rate is not from 1,000 to 384,000.
    pub fn new(samples: Vec<f32>, rate: u32) -> Result<Audio> {
        let message = if samples.is_empty() {
            "an audio without samples has no text".into()
        } else if let Some(at) = samples.iter().position(|x| !x.is_finite()) {
            format!("sample {at} of the audio is {}", samples[at])
        } else if !RATES.contains(&rate) {
            bad_rate(rate)
        } else {
            return Ok(Audio { samples, rate });
        };
        Err(Error::Request(message))
    }

    /// The samples.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// The number of samples of a second.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// The duration in seconds.
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 / f64::from(self.rate)
    }

    /// The samples at another rate: the audio is interpolated by a windowed sinc function, whose
    /// cutoff removes the frequencies that the new rate cannot represent.
    ///
    /// # Errors
    /// The rate is not from 1,000 to 384,000.
    pub fn samples_at(&self, rate: u32) -> Result<Cow<'_, [f32]>> {
        if rate == self.rate {
            Ok(Cow::Borrowed(&self.samples))
        } else if RATES.contains(&rate) {
            Ok(Cow::Owned(resampled(&self.samples, self.rate, rate)))
        } else {
            Err(Error::Request(bad_rate(rate)))
        }
    }
}

const FORMATS: &str = "integers of 8, 16, 24 or 32 bits, or floats of 32 bits,";

fn bad_rate(rate: u32) -> String {
    let (least, most) = RATES.into_inner();
    format!("{rate} samples per second; from {least} to {most} are expected")
}

/// Averages the channels.
#[derive(Default)]
struct Mono {
    channels: usize,
    sum: f64,
    added: usize,
    samples: Vec<f32>,
}

impl Mono {
    fn push(&mut self, sample: f64) -> hound::Result<()> {
        self.sum += sample;
        self.added += 1;
        if self.added == self.channels {
            self.samples.push((self.sum / self.channels as f64) as f32);
            (self.sum, self.added) = (0.0, 0);
        }
        Ok(())
    }
}

/// Whether a file has ended; the library for WAV files reports that by its own errors.
fn ended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::UnexpectedEof || error.to_string().contains("enough bytes")
}

impl fmt::Debug for Audio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audio({:.2} s, {} samples per second)", self.seconds(), self.rate)
    }
}
