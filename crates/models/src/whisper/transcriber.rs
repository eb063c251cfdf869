//! A loaded model.

use super::{
    Audio, Config, Decoding, LogMel, Request, Transcript, Whisper,
    programs::{Heard, Programs, Sizes},
};
use crate::{Error, ModelFolder, Result, config_fields::check_layers};
use hloom_graph::{DType, Spec, Tree};
use hloom_io::{Checkpoint, Unused, View};
use hloom_nn::compute_dtype;
use hloom_runtime::{Buffer, Kernels, Platform};
use std::{fmt, path::PathBuf};

/// A Whisper model on a platform, which transcribes audio.
pub struct Transcriber {
    config: Config,
    decoding: Decoding,
    pub(super) programs: Programs,
    /// The tokens that a text may begin with, `bool[vocab]`.
    pub(super) first: Buffer,
    /// The tokens that may follow.
    pub(super) later: Buffer,
    /// The tokens of languages.
    pub(super) languages: Buffer,
}

/// Options for loading and running a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// The element type of the weights; caches are in its [`compute_dtype`].
    pub dtype: DType,
    /// Whether to show the progress of loading on standard error, when that is a terminal.
    pub progress: bool,
    /// The folder for dumps of graphs and compiled programs.
    pub dump: Option<PathBuf>,
    /// The platform kernels that the programs may use.
    pub kernels: Kernels,
}

impl Default for Options {
    fn default() -> Options {
        Options { dtype: DType::F32, progress: false, dump: None, kernels: Kernels::default() }
    }
}

impl Transcriber {
    /// Opens a model and loads its weights.
    ///
    /// # Errors
    /// A configuration is not supported, or the checkpoint does not match it.
    pub fn open(
        platform: &Platform,
        folder: &ModelFolder,
        options: Options,
    ) -> Result<Transcriber> {
        let path = folder.config();
        let config = Config::read(&path)?;
        let decoding = Decoding::read(folder, &config)?;
        let log_mel = LogMel::read(folder, &config)?;
        let checkpoint = Checkpoint::open(folder.path())?;
        let tensors = checkpoint.names().count();
        check_layers(&path, "encoder_layers", config.encoder_layers, tensors)?;
        check_layers(&path, "decoder_layers", config.decoder_layers, tensors)?;
        let view = view(&checkpoint);
        let specs = Whisper::spec_with(&view, &config).map_err(hloom_io::Error::from)?;
        check_convolutions(&checkpoint, &config, &specs)?;
        let specs = specs.map(&mut |_, spec: Spec| spec.with_dtype(options.dtype));
        // Some checkpoints have a copy of the tied output layer.
        let unused = Unused::RefusedExcept(vec!["proj_out.weight".into()]);
        let loader = view.loader().unused(unused);
        let loader = if options.progress { loader.bar() } else { loader };
        let weights = loader.load(platform, &specs)?;
        let vocab = config.vocab_size;
        let tokens = |all: bool, others: &mut dyn Iterator<Item = &u32>| {
            let mut allowed = vec![all; vocab];
            others.for_each(|&token| allowed[token as usize] = !all);
            Buffer::from_slice(platform, &allowed, [("vocab", vocab)])
        };
        let Decoding { suppressed, begin_suppressed, languages, .. } = &decoding;
        let (first, later, languages) = (
            tokens(true, &mut suppressed.iter().chain(begin_suppressed))?,
            tokens(true, &mut suppressed.iter())?,
            tokens(false, &mut languages.values())?,
        );
        let sizes = Sizes {
            layers: config.decoder_layers,
            heads: config.decoder_heads,
            dim: config.hidden_size / config.decoder_heads,
            source: config.max_source_positions,
            target: config.max_target_positions,
            vocab,
            dtype: compute_dtype(options.dtype),
        };
        let programs = Programs {
            platform: platform.clone(),
            dump: options.dump,
            kernels: options.kernels,
            log_mel,
            specs,
            weights,
            sizes,
            features: Default::default(),
            encode: Default::default(),
            prefill: Default::default(),
            decode: Default::default(),
            score: Default::default(),
        };
        Ok(Transcriber { config, decoding, programs, first, later, languages })
    }

    /// The model's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The decoding settings.
    pub fn decoding(&self) -> &Decoding {
        &self.decoding
    }

    /// The settings of the features, and so of a window.
    pub fn log_mel(&self) -> &LogMel {
        &self.programs.log_mel
    }

    /// Transcribes audio, window by window. Audio at another rate than the model's is resampled.
    ///
    /// # Errors
    /// The model does not know the language or the task, or the tokens that begin a text leave no
    /// room for others.
    pub fn transcribe<'a>(&'a self, audio: &'a Audio, request: &Request) -> Result<Transcript<'a>> {
        let prompt = self.decoding.prompt(request)?;
        let positions = self.config.max_target_positions;
        let Some(room) = positions.checked_sub(prompt.len()).filter(|&room| room > 0) else {
            return Err(Error::Request(format!(
                "{} tokens begin a text; the model has {positions} positions",
                prompt.len()
            )));
        };
        let own = self.decoding.max_length.map_or(room, |length| length.saturating_sub(1));
        let limit = request.max_tokens.unwrap_or(own).min(room);
        Ok(Transcript::new(self, audio.samples_at(self.log_mel().rate)?, prompt, limit))
    }

    /// The features of the first window of samples at the model's rate, `[mel, frame]` in row-major
    /// order.
    ///
    /// # Errors
    /// The program does not compile or run.
    pub fn features(&self, samples: &[f32]) -> Result<Vec<f32>> {
        Ok(self.featured(samples)?.to_vec()?)
    }

    /// The encoder's vectors of the first window of samples at the model's rate, `[position,
    /// hidden]` in row-major order.
    ///
    /// # Errors
    /// A program does not compile or run.
    pub fn encode(&self, samples: &[f32]) -> Result<Vec<f32>> {
        Ok(self.heard(samples)?.hidden.to_vec()?)
    }

    /// The logits after each token of a text for the first window of samples at the model's rate,
    /// `[token, vocab]` in row-major order.
    ///
    /// # Errors
    /// There are no tokens, more than the model has positions, or one outside of the vocabulary; a
    /// program does not compile or run.
    pub fn logits(&self, samples: &[f32], tokens: &[u32]) -> Result<Vec<f32>> {
        let (positions, vocab) = (self.config.max_target_positions, self.config.vocab_size);
        if !(1..=positions).contains(&tokens.len()) {
            return Err(Error::Request(format!(
                "{} tokens; from 1 to {positions} are expected",
                tokens.len()
            )));
        }
        if let Some(token) = tokens.iter().find(|&&token| token as usize >= vocab) {
            return Err(Error::Request(format!(
                "token {token} is outside of the vocabulary, 0 to {}",
                vocab - 1
            )));
        }
        let heard = self.heard(samples)?;
        let score = self.programs.score(tokens.len())?;
        Ok(score.call((&heard.cross, &self.tokens(tokens)?))?.to_vec()?)
    }

    fn featured(&self, samples: &[f32]) -> Result<Buffer> {
        let count = self.log_mel().samples();
        let mut window = samples[..samples.len().min(count)].to_vec();
        window.resize(count, 0.0);
        let window = Buffer::from_slice(&self.programs.platform, &window, [("sample", count)])?;
        Ok(self.programs.features()?.call((&window,))?)
    }

    /// Processes the first window of samples.
    pub(super) fn heard(&self, samples: &[f32]) -> Result<Heard<Buffer>> {
        Ok(self.programs.encode()?.call((&self.featured(samples)?,))?)
    }

    /// Tokens of the vocabulary as an argument, `i32[seq]`.
    pub(super) fn tokens(&self, tokens: &[u32]) -> Result<Buffer> {
        let tokens: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        Ok(Buffer::from_slice(&self.programs.platform, &tokens, [("seq", tokens.len())])?)
    }
}

/// The model in a checkpoint: its part under `model.`, or the whole of a checkpoint without an
/// output layer.
fn view(checkpoint: &Checkpoint) -> View {
    if checkpoint.names().any(|name| name.starts_with("model.")) {
        checkpoint.at("model")
    } else {
        checkpoint.root()
    }
}

/// Checks the sizes of the convolutions, whose axes have no names.
fn check_convolutions(
    checkpoint: &Checkpoint,
    config: &Config,
    specs: &Whisper<Spec>,
) -> Result<()> {
    let hidden = config.hidden_size;
    let convolutions =
        [("conv1", &specs.encoder.conv1, config.mel_bins), ("conv2", &specs.encoder.conv2, hidden)];
    for (name, conv, inputs) in convolutions {
        let expected = [hidden, inputs, 3];
        let bias = conv.bias.as_ref().map(Spec::shape);
        if conv.weight.shape().sizes() != expected
            || bias.is_some_and(|bias| bias.sizes() != [hidden])
        {
            return Err(Error::Folder {
                path: checkpoint.path().to_owned(),
                message: format!(
                    "encoder.{name}: expected a weight of the sizes {expected:?} and a bias of \
                     {hidden}, as `config.json` has them, found {}{}",
                    conv.weight.shape(),
                    bias.map_or_else(String::new, |bias| format!(" and {bias}"))
                ),
            });
        }
    }
    Ok(())
}

impl fmt::Debug for Transcriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { encoder_layers, decoder_layers, hidden_size, .. } = self.config;
        write!(f, "Transcriber({encoder_layers}+{decoder_layers} layers, {hidden_size} elements)")
    }
}
