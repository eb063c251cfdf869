//! `hloom-gpu`: the parts of the bundle that `cargo xtask gpu bundle` writes, one per command.
//!
//! Each part appends its measurements to a file of JSON lines, one at a time, so that a part that
//! is cut off keeps what it has measured.

mod attempt;
mod callbacks;
mod calls;
mod cuda_driver;
mod llama;
mod load;
mod ops;
mod peer;
mod platform;
mod results;
mod saved;
mod story;
mod table;
mod train;

use clap::{Parser, Subcommand};
use hloom::{Platform, Topology, runtime::Gpu};
use results::Results;
use std::{error::Error, path::PathBuf, process::ExitCode};

/// The error of a part: its message is the last line of its log.
type Result<T = (), E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// Checks and measurements of Hloom on a GPU.
#[derive(Parser)]
struct Arguments {
    /// The plugin: a name or a path.
    #[arg(long, default_value = "cuda", global = true)]
    platform: String,
    /// The file that results are appended to.
    #[arg(long, default_value = "results.jsonl", global = true)]
    results: PathBuf,
    /// The folder of the bundle; by default, that of this program.
    #[arg(long, global = true)]
    bundle: Option<PathBuf>,
    /// Only small sizes, for a rehearsal on a CPU.
    #[arg(long, global = true)]
    quick: bool,
    /// Everything, also what takes minutes.
    #[arg(long, global = true, conflicts_with = "quick")]
    long: bool,
    /// The Python that runs the peers; without it, there are none.
    #[arg(long, value_name = "PATH", global = true)]
    python: Option<PathBuf>,
    /// The version of cuDNN that programs are compiled for.
    #[arg(long, value_name = "VERSION", value_parser = cudnn, global = true)]
    cudnn: Option<(u32, u32, u32)>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Part(BundlePart),
    /// Print a file of results as tables in Markdown.
    Table {
        /// The file of results.
        file: PathBuf,
    },
}

#[derive(Subcommand)]
enum BundlePart {
    /// The client, its memory, donation, and errors.
    Platform(platform::Options),
    /// Every op, compared with the results of JAX on a CPU.
    Ops(ops::Options),
    /// Programs compiled ahead of time.
    Saved(saved::Options),
    /// A Llama of random weights, next to the card's memory bandwidth.
    Llama(llama::Options),
    /// The overhead of a call.
    Calls,
    /// Host functions and kernels called from programs.
    Callbacks(callbacks::Options),
    /// The examples' model, from its checkpoint to its tokens.
    Story,
    /// Loading a file of safetensors, next to PyTorch's.
    Load,
    /// A training step of two models, next to JAX's.
    Train(train::Options),
}

/// The settings that all parts share.
struct Settings {
    /// The plugin's name or path.
    platform: String,
    /// The bundle's folder.
    bundle: PathBuf,
    /// The file of results.
    results: PathBuf,
    /// Only small sizes.
    quick: bool,
    /// Everything.
    long: bool,
    /// The Python that runs the peers.
    python: Option<PathBuf>,
    /// The version of cuDNN that programs are compiled for: major, minor, patch.
    cudnn: Option<(u32, u32, u32)>,
}

impl Settings {
    /// A client of the plugin, which takes a GPU's memory as it needs it: next to it, processes of
    /// other programs use the same GPU.
    fn open(&self) -> Result<Platform> {
        let builder = Platform::builder().plugin(&self.platform);
        let builder = if self.platform == "cpu" {
            builder
        } else {
            builder.client_option("preallocate", false)
        };
        Ok(builder.build()?)
    }

    /// The target of a program that is compiled without its device, such as `cuda:h200`, with the
    /// version of cuDNN of these settings.
    fn topology(&self, target: &str) -> Result<Topology> {
        let Some(name) = target.strip_prefix("cuda:") else {
            return Ok(Topology::parse(target)?);
        };
        let mut gpu = Gpu::named(name)?;
        gpu.cudnn = self.cudnn.unwrap_or(gpu.cudnn);
        Ok(Topology::cuda_of(&gpu, 1)?)
    }

    /// The full size, or the one of a rehearsal.
    fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

/// Reads a version such as `9.15` or `9.15.1`.
fn cudnn(text: &str) -> Result<(u32, u32, u32), String> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[major, minor]) => Ok((major, minor, 0)),
        Some(&[major, minor, patch]) => Ok((major, minor, patch)),
        _ => Err("expected a version such as 9.15".into()),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result {
    let Arguments { platform, results, bundle, quick, long, python, cudnn, command } = arguments;
    let part = match command {
        Command::Part(part) => part,
        Command::Table { file } => return table::print(&file),
    };
    let bundle = match bundle {
        Some(bundle) => bundle,
        None => std::env::current_exe()?.parent().map(PathBuf::from).unwrap_or_default(),
    };
    let settings = Settings { platform, bundle, results, quick, long, python, cudnn };
    let mut results = Results::append(&settings.results)?;
    let outcome = part.run(&settings, &mut results);
    if let Err(error) = &outcome {
        results.check::<(), _>(&format!("gpu/{}", part.name()), Err(error))?;
    }
    outcome
}

impl BundlePart {
    /// The name of its command.
    fn name(&self) -> &'static str {
        match self {
            BundlePart::Platform(_) => "platform",
            BundlePart::Ops(_) => "ops",
            BundlePart::Saved(_) => "saved",
            BundlePart::Llama(_) => "llama",
            BundlePart::Calls => "calls",
            BundlePart::Callbacks(_) => "callbacks",
            BundlePart::Story => "story",
            BundlePart::Load => "load",
            BundlePart::Train(_) => "train",
        }
    }

    /// Appends its measurements to the results.
    fn run(&self, settings: &Settings, results: &mut Results) -> Result {
        match self {
            BundlePart::Platform(options) => platform::run(settings, options, results),
            BundlePart::Ops(options) => ops::run(settings, options, results),
            BundlePart::Saved(options) => saved::run(settings, options, results),
            BundlePart::Llama(options) => llama::run(settings, options, results),
            BundlePart::Calls => calls::run(settings, results),
            BundlePart::Callbacks(options) => callbacks::run(settings, options, results),
            BundlePart::Story => story::run(settings, results),
            BundlePart::Load => load::run(settings, results),
            BundlePart::Train(options) => train::run(settings, options, results),
        }
    }
}
