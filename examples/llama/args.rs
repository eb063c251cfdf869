//! Command-line arguments.

use crate::{Failure, Result};
use clap::{Parser, ValueEnum};
use hloom::{BlockKind, CompilationCache, DType, Platform};
use hloom_models::{GenerationConfig, ModelSource, llama, llama::MAX_CONTEXT, lora::AdapterFolder};
use hloom_nn::Sampling;
use std::{
    collections::hash_map::RandomState,
    env,
    hash::{BuildHasher, Hasher},
    path::{Path, PathBuf},
};

/// Runs a model of the Llama family: Llama, TinyLlama, SmolLM, Mistral, Mixtral, Qwen.
#[derive(Parser)]
#[command(name = "llama", allow_negative_numbers = true)]
pub struct Args {
    /// A folder as Hugging Face distributes it, a GGUF file, or a model's name on the hub, such as
    /// HuggingFaceTB/SmolLM2-135M-Instruct
    #[arg(long, value_name = "FOLDER|FILE|NAME")]
    pub model: Option<String>,
    /// A folder with adapters of the model, as PEFT and `--example finetune` write it
    #[arg(long, value_name = "FOLDER")]
    pub adapter: Option<PathBuf>,
    /// Answers this prompt and exits
    #[arg(long, conflicts_with = "prompt_ids")]
    pub prompt: Option<String>,
    /// Continues these token ids and exits; needs no tokenizer
    #[arg(long, value_delimiter = ',', value_name = "ID,ID,..")]
    pub prompt_ids: Option<Vec<u32>>,
    /// The system prompt of the conversation
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Uses the prompt as it is, without a template
    #[arg(long, conflicts_with_all = ["chat_template", "system"])]
    pub no_chat_template: bool,
    /// A Jinja template instead of the model's own
    #[arg(long, value_name = "FILE")]
    pub chat_template: Option<PathBuf>,
    /// The maximum number of tokens of an answer
    #[arg(long, value_name = "COUNT", default_value_t = 512)]
    pub max_new_tokens: usize,
    /// The maximum number of tokens of prompt, history and answer together [default: what the
    /// model was made for, at most 32768]
    #[arg(long, value_name = "COUNT", value_parser = up_to::<MAX_CONTEXT>)]
    pub context: Option<usize>,
    /// The divisor of the logits; 0 takes the most likely token [default: the model's own, or 0.8]
    #[arg(long)]
    pub temperature: Option<f64>,
    /// Keeps this many of the most likely tokens; 0 keeps all [default: the model's own, or 40]
    #[arg(long, value_name = "COUNT")]
    pub top_k: Option<usize>,
    /// Keeps the most likely tokens that reach this probability together [default: the model's
    /// own, or 0.95]
    #[arg(long, value_name = "SHARE")]
    pub top_p: Option<f64>,
    /// Keeps tokens at least this share as likely as the most likely one [default: the model's
    /// own, or 0]
    #[arg(long, value_name = "SHARE")]
    pub min_p: Option<f64>,
    /// The divisor of the logits of recent tokens [default: the model's own, or 1]
    #[arg(long, value_name = "FACTOR")]
    pub repeat_penalty: Option<f64>,
    /// The number of recent tokens
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = recent)]
    pub repeat_last_n: usize,
    /// The seed of the random numbers [default: random]
    #[arg(long)]
    pub seed: Option<u64>,
    /// A text that ends the answer; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
    /// Continues after the tokens that end a text
    #[arg(long)]
    pub ignore_eos: bool,
    /// The element type of the weights; auto is that of each tensor in the checkpoint, bf16 for
    /// quantised blocks without kernels; stored keeps all blocks; a kind of blocks quantises
    /// matrices
    #[arg(long, value_enum, default_value_t = DtypeName::Auto)]
    pub dtype: DtypeName,
    /// The element type of the cache of keys and values; auto and stored are that of the weights
    #[arg(long, value_enum, default_value_t = DtypeName::Auto)]
    pub cache_dtype: DtypeName,
    /// Where the model runs: cpu, cuda, tpu, another plugin's name, or auto
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub platform: String,
    /// The file of a PJRT plugin
    #[arg(long, value_name = "PATH", conflicts_with = "platform")]
    pub plugin: Option<PathBuf>,
    /// The number of devices that share the model
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = up_to::<MAX_DEVICES>)]
    pub devices: usize,
    /// Writes the logits after every prompt token, `logits` of f32[prompt tokens, vocabulary]
    #[arg(long, value_name = "FILE.safetensors")]
    pub logits_out: Option<PathBuf>,
    /// The form of the report of time and memory
    #[arg(long, value_enum, default_value_t = StatsFormat::None)]
    pub stats: StatsFormat,
    /// Runs a benchmark instead of a conversation
    #[arg(long, conflicts_with_all = ["prompt", "prompt_ids", "logits_out"])]
    pub bench: bool,
    /// Tokens of the measured prompt
    #[arg(long, value_name = "COUNT", default_value_t = 32, value_parser = up_to::<MAX_CONTEXT>)]
    pub bench_prompt: usize,
    /// Number of new tokens to measure
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = up_to::<MAX_CONTEXT>)]
    pub bench_new: usize,
    /// Number of measured runs
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = up_to::<MAX_RUNS>)]
    pub bench_iterations: usize,
    /// Number of runs before those that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = runs)]
    pub bench_warmup: usize,
    /// Compiles again what is kept in the user's folder for caches (or `HLOOM_CACHE`)
    #[arg(long)]
    pub no_cache: bool,
    /// Writes graphs, StableHLO and compiled programs to this folder
    #[arg(long, value_name = "FOLDER")]
    pub dump: Option<PathBuf>,
    /// Writes a trace for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// The selectable element types.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the variants' names say the type")]
pub enum DtypeName {
    Auto,
    Stored,
    F32,
    Bf16,
    F16,
    #[value(name = "q4_0")]
    Q40,
    #[value(name = "q4_1")]
    Q41,
    #[value(name = "q8_0")]
    Q80,
    #[value(name = "q4_k")]
    Q4K,
    #[value(name = "q5_k")]
    Q5K,
    #[value(name = "q6_k")]
    Q6K,
}

impl From<DtypeName> for llama::Dtype {
    fn from(name: DtypeName) -> llama::Dtype {
        match name {
            DtypeName::Auto => llama::Dtype::Auto,
            DtypeName::Stored => llama::Dtype::Stored,
            DtypeName::F32 => llama::Dtype::As(DType::F32),
            DtypeName::Bf16 => llama::Dtype::As(DType::BF16),
            DtypeName::F16 => llama::Dtype::As(DType::F16),
            DtypeName::Q40 => llama::Dtype::As(DType::Block(BlockKind::Q4_0)),
            DtypeName::Q41 => llama::Dtype::As(DType::Block(BlockKind::Q4_1)),
            DtypeName::Q80 => llama::Dtype::As(DType::Block(BlockKind::Q8_0)),
            DtypeName::Q4K => llama::Dtype::As(DType::Block(BlockKind::Q4_K)),
            DtypeName::Q5K => llama::Dtype::As(DType::Block(BlockKind::Q5_K)),
            DtypeName::Q6K => llama::Dtype::As(DType::Block(BlockKind::Q6_K)),
        }
    }
}

/// Forms of the report at the end.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// Readable lines, on standard error.
    Text,
    /// One JSON object, the last line of standard output.
    Json,
    /// No report.
    None,
}

/// The maximum number of devices that one machine is split into.
const MAX_DEVICES: usize = 1_024;
/// The maximum number of runs of a measurement.
const MAX_RUNS: usize = 1_000_000;
/// The maximum number of tokens that a penalty considers.
const MAX_RECENT: usize = 1 << 20;

/// A count from 1 to `MAX`.
fn up_to<const MAX: usize>(text: &str) -> Result<usize, String> {
    match at_most(text, MAX) {
        Ok(0) => Err(format!("must be from 1 to {MAX}")),
        count => count,
    }
}

fn recent(text: &str) -> Result<usize, String> {
    at_most(text, MAX_RECENT)
}

fn runs(text: &str) -> Result<usize, String> {
    at_most(text, MAX_RUNS)
}

fn at_most(text: &str, most: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count <= most => Ok(count),
        Ok(_) => Err(format!("must be at most {most}")),
        Err(error) => Err(format!("{error}; a whole number up to {most} is expected")),
    }
}

/// The folder of the storyteller: this code is compiled by the root package, and by a package in a
/// folder below it.
fn story() -> PathBuf {
    const STORY: &str = "examples/llama/story";
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = package.ancestors().map(|folder| folder.join(STORY));
    folders.clone().find(|folder| folder.is_dir()).unwrap_or_else(|| package.join(STORY))
}

/// Opens a folder or a GGUF file, or downloads a model by its name.
#[cfg(feature = "hub")]
fn open(model: &str) -> Result<ModelSource> {
    if Path::new(model).exists() {
        return Ok(ModelSource::open(model)?);
    }
    Ok(hloom_models::hub::open(model)?.into())
}

/// Opens a folder or a GGUF file.
#[cfg(not(feature = "hub"))]
fn open(model: &str) -> Result<ModelSource> {
    ModelSource::open(model).map_err(|error| {
        if Path::new(model).exists() {
            return error.into();
        }
        Failure::Other(format!(
            "{error}\n  this build cannot download a model by its name: build it with the feature \
             `hub`, as `cargo xtask llama -- --model {model}` does for a name, `owner/name`"
        ))
    })
}

impl Args {
    /// Whether the program ends after one answer.
    pub fn one_shot(&self) -> bool {
        self.prompt.is_some() || self.prompt_ids.is_some()
    }

    /// Checks what `clap` cannot check.
    pub fn check(&self) -> Result<()> {
        if self.logits_out.is_some() && !self.one_shot() {
            return Err(Failure::Usage("--logits-out needs --prompt or --prompt-ids".into()));
        }
        if let Some(file) = &self.logits_out {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                let message = format!("--logits-out: there is no folder {}", folder.display());
                return Err(Failure::Usage(message));
            }
        }
        // The ranges of the sampling options are checked before anything is loaded.
        let checked = self.sampling(&GenerationConfig::default()).check();
        checked.map_err(|error| {
            Failure::Usage(format!("--{}", error.to_string().replacen('_', "-", 1)))
        })
    }

    /// The model, downloaded first if it is a name.
    pub fn model(&self) -> Result<ModelSource> {
        let Some(model) = &self.model else {
            return ModelSource::open(story()).map_err(|error| {
                Failure::Other(format!(
                    "{error}\n  the storyteller is gone; choose a model with --model"
                ))
            });
        };
        open(model)
    }

    /// The selected platform.
    pub fn platform(&self) -> Result<Platform> {
        let platform = match (&self.plugin, self.platform.as_str()) {
            (Some(path), _) => Platform::load(path),
            (None, "auto") => Platform::auto(),
            (None, name) => Platform::named(name),
        }?;
        // One processor acts as the requested number of devices.
        let more = self.plugin.is_none()
            && platform.name() == "cpu"
            && self.devices > platform.device_count();
        let platform = if more { Platform::cpus(self.devices)? } else { platform };
        if self.no_cache {
            platform.set_cache(None);
        } else if env::var_os("HLOOM_CACHE").is_none() {
            platform.set_cache(CompilationCache::of_user());
        }
        Ok(platform)
    }

    /// The sampling options: from the flags, else from the model's configuration, else the
    /// defaults.
    pub fn sampling(&self, model: &GenerationConfig) -> Sampling {
        let drawn = match model.do_sample {
            // Greedy decoding ignores the other fields.
            Some(false) => &GenerationConfig::default(),
            _ => model,
        };
        let default = Sampling::default();
        Sampling {
            temperature: self.temperature.or(drawn.temperature).unwrap_or(default.temperature),
            top_k: self.top_k.or(drawn.top_k).unwrap_or(default.top_k),
            top_p: self.top_p.or(drawn.top_p).unwrap_or(default.top_p),
            min_p: self.min_p.or(drawn.min_p).unwrap_or(default.min_p),
            repeat_penalty: self
                .repeat_penalty
                .or(model.repetition_penalty)
                .unwrap_or(default.repeat_penalty),
            repeat_last_n: self.repeat_last_n,
        }
    }

    /// The options for loading and running the model.
    pub fn options(&self, model: &GenerationConfig) -> Result<llama::Options> {
        Ok(llama::Options {
            dtype: self.dtype.into(),
            cache_dtype: self.cache_dtype.into(),
            adapter: self.adapter.as_ref().map(AdapterFolder::open).transpose()?,
            context: self.context,
            sampling: self.sampling(model),
            devices: self.devices,
            seed: self.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
            ignore_eos: self.ignore_eos || self.bench,
            progress: true,
            dump: self.dump.clone(),
            ..llama::Options::default()
        })
    }
}
