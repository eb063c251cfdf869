//! Logarithmic mel spectrograms.

use super::{Config, audio::RATES};
use crate::{ModelFolder, Result, config_fields::ConfigFields};
use hloom_graph::{Tensor, concatenate, function_scope};
use std::f64::consts::PI;

/// The features of a window of audio: the power of frequencies on the mel scale over time, on a
/// logarithmic scale, as `WhisperFeatureExtractor` of `transformers` computes it.
#[derive(Clone, Debug, PartialEq)]
pub struct LogMel {
    /// Samples per second.
    pub rate: u32,
    /// The number of samples of a frame.
    pub frame: usize,
    /// The number of samples between the beginnings of frames.
    pub hop: usize,
    /// The number of mel frequencies.
    pub mel_bins: usize,
    /// The number of frames of a window.
    pub frames: usize,
}

/// The highest frequency in hertz, for every sampling rate.
const HIGHEST: f64 = 8_000.0;
/// The lowest power.
const FLOOR: f64 = 1e-10;
/// The range below the largest value of a window, in powers of ten.
const RANGE: f64 = 8.0;
/// The maximum number of samples of a window, and of elements of the filters.
const MAX_ELEMENTS: usize = 1 << 26;

impl LogMel {
    /// The features of a folder's model: by `preprocessor_config.json`, else the
    /// `feature_extractor` of `processor_config.json`, else those of the published models, frames
    /// of 400 samples at 16,000 per second, 160 apart.
    ///
    /// # Errors
    /// The file cannot be read, does not agree with `config`, or has a field that is out of range
    /// or unsupported.
    pub fn read(folder: &ModelFolder, config: &Config) -> Result<LogMel> {
        let path = folder.path().join("preprocessor_config.json");
        let newer = folder.path().join("processor_config.json");
        let mut features = LogMel {
            rate: 16_000,
            frame: 400,
            hop: 160,
            mel_bins: config.mel_bins,
            frames: 2 * config.max_source_positions,
        };
        let mut fields = ConfigFields::read_optional(&path)?;
        if fields.is_none()
            && let Some(mut processor) = ConfigFields::read_optional(&newer)?
        {
            fields = processor.object("feature_extractor")?;
            processor.ignore(&["processor_class"]);
            processor.finish()?;
        }
        match fields {
            None => features.check(&ConfigFields::read(&folder.config())?)?,
            Some(fields) => features.set(fields, config)?,
        }
        Ok(features)
    }

    /// Takes the fields of a `preprocessor_config.json`.
    fn set(&mut self, mut fields: ConfigFields, config: &Config) -> Result<()> {
        let kind: Option<String> = fields.optional("feature_extractor_type")?;
        if kind.is_some_and(|kind| kind != "WhisperFeatureExtractor") {
            let supported = "only `WhisperFeatureExtractor` is supported";
            return Err(fields.unfit("feature_extractor_type", supported));
        }
        let padding: Option<String> = fields.optional("padding_side")?;
        if padding.is_some_and(|side| side != "right") {
            return Err(fields.unfit("padding_side", "only `right` is supported"));
        }
        if let Some(rate) = fields.optional("sampling_rate")? {
            self.rate = rate;
        }
        if !RATES.contains(&self.rate) {
            let (least, most) = RATES.into_inner();
            let expected = format_args!("it must be from {least} to {most}");
            return Err(fields.unfit("sampling_rate", expected));
        }
        let sizes = [("n_fft", &mut self.frame), ("hop_length", &mut self.hop)];
        for (name, size) in sizes {
            *size = fields.optional_size(name)?.unwrap_or(*size);
        }
        fields.number("padding_value", 0.0..=0.0)?;
        fields.number("dither", 0.0..=0.0)?;
        self.check(&fields)?;
        let window = self.samples();
        let seconds = fields.optional::<usize>("chunk_length")?;
        let samples = seconds.map(|seconds| seconds.saturating_mul(self.rate as usize));
        if samples.is_some_and(|samples| samples != window) {
            return Err(fields.unfit(
                "chunk_length",
                format_args!(
                    "the model's {} positions are those of {window} samples, {} seconds",
                    config.max_source_positions,
                    window as f64 / f64::from(self.rate)
                ),
            ));
        }
        let agree = [
            ("feature_size", self.mel_bins, "`num_mel_bins`"),
            ("n_samples", window, "samples of the model's positions"),
            ("nb_max_frames", self.frames, "frames of the model's positions"),
        ];
        for (name, expected, what) in agree {
            if fields.optional::<usize>(name)?.is_some_and(|found| found != expected) {
                return Err(fields.unfit(name, format_args!("expected {expected}, the {what}")));
            }
        }
        // The filters are computed, even if the file has them.
        fields.ignore(&["mel_filters", "processor_class", "return_attention_mask"]);
        fields.finish()
    }

    fn check(&self, fields: &ConfigFields) -> Result<()> {
        let &LogMel { frame, hop, mel_bins, frames, .. } = self;
        if frame < 2 || mel_bins.saturating_mul(frame) > MAX_ELEMENTS {
            return Err(fields.error(format!(
                "frames of {frame} samples for {mel_bins} mel frequencies; at least 2 samples, and \
                 together at most {MAX_ELEMENTS} are supported"
            )));
        }
        match frames.checked_mul(hop) {
            Some(samples) if samples > frame / 2 && samples <= MAX_ELEMENTS => Ok(()),
            _ => Err(fields.error(format!(
                "windows of {frames} frames that are {hop} samples apart; more than half a frame \
                 of {frame}, and at most {MAX_ELEMENTS} samples are supported"
            ))),
        }
    }

    /// The number of samples of a window.
    pub fn samples(&self) -> usize {
        self.frames * self.hop
    }

    /// The features of a window, `f32[mel, frame]`, from its samples, `f32[sample]`, padded by
    /// zeros to [`samples`](Self::samples).
    ///
    /// Frames are centred: half a frame of the window is reflected at each end. In `f32`,
    /// frequencies of less than a ten-millionth of a frame's power are inexact.
    #[track_caller]
    pub fn forward(&self, samples: Tensor) -> Tensor {
        function_scope("LogMel", || {
            let half = (self.frame / 2) as isize;
            let before = samples.slice("sample", 1..=half).reverse("sample");
            let after = samples.slice("sample", -half - 1..-1).reverse("sample");
            let padded = concatenate(&[before, samples, after], "sample");
            let frames = padded.unfold("sample", "time", self.frame, self.hop);
            let frames = frames.rename("sample", "frame").slice("frame", ..self.frames as isize);
            let window = Tensor::constant(&self.window(), [("time", self.frame)]);
            let spectrum = (frames * window).rfft("time").rename("time", "bin");
            let power = spectrum.real().square() + spectrum.imag().square();
            let dims = [("mel", self.mel_bins), ("bin", self.frame / 2 + 1)];
            let filters = Tensor::constant(&self.filters(), dims);
            let log = filters.dot(power, "bin").maximum(FLOOR).log10();
            let least = log.max(["mel", "frame"]) - RANGE;
            (log.maximum(least) + 4.0) / 4.0
        })
    }

    /// A periodic Hann window.
    fn window(&self) -> Vec<f32> {
        let angle = |i: usize| 2.0 * PI * i as f64 / self.frame as f64;
        (0..self.frame).map(|i| (0.5 - 0.5 * angle(i).cos()) as f32).collect()
    }

    /// Triangular filters of equal area on Slaney's mel scale, `[mel, bin]`.
    fn filters(&self) -> Vec<f32> {
        let bins = self.frame / 2 + 1;
        let most = mel(HIGHEST);
        let corner = |i: usize| hertz(most * i as f64 / (self.mel_bins + 1) as f64);
        let mut filters = Vec::with_capacity(self.mel_bins * bins);
        for i in 0..self.mel_bins {
            let (low, middle, high) = (corner(i), corner(i + 1), corner(i + 2));
            filters.extend((0..bins).map(|bin| {
                let at = f64::from(self.rate / 2) * bin as f64 / (bins - 1) as f64;
                let (rise, fall) = ((at - low) / (middle - low), (high - at) / (high - middle));
                (rise.min(fall).max(0.0) * 2.0 / (high - low)) as f32
            }));
        }
        filters
    }
}

/// The frequency above which Slaney's scale is logarithmic: 1,000 Hz.
const LINEAR_MELS: f64 = 15.0;
/// Mels per hertz below that frequency.
const SLOPE: f64 = 3.0 / 200.0;

/// Mels per factor of e in frequency, above that frequency.
fn per_factor() -> f64 {
    27.0 / 6.4f64.ln()
}

fn mel(hertz: f64) -> f64 {
    match hertz * SLOPE {
        mels if mels < LINEAR_MELS => mels,
        mels => LINEAR_MELS + (mels / LINEAR_MELS).ln() * per_factor(),
    }
}

fn hertz(mels: f64) -> f64 {
    if mels < LINEAR_MELS {
        mels / SLOPE
    } else {
        LINEAR_MELS / SLOPE * ((mels - LINEAR_MELS) / per_factor()).exp()
    }
}
