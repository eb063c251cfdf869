//! `hloom-gpu`: the parts of the bundle that `cargo xtask gpu bundle` writes, one per command.
//!
//! Each part appends its measurements to a file of JSON lines, one at a time, so that a part that
//! is cut off keeps what it has measured.

mod callbacks;
mod calls;
mod llama;
mod ops;
mod peer;
mod platform;
mod results;
mod saved;
mod story;
mod train;

use clap::{Parser, Subcommand};
use hloom::Platform;
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
    /// A Python with JAX, which the measurements alternate with.
    #[arg(long, global = true)]
    python: Option<PathBuf>,
    /// Only small sizes, for a rehearsal on a CPU.
    #[arg(long, global = true)]
    quick: bool,
    /// Everything, also what takes minutes.
    #[arg(long, global = true, conflicts_with = "quick")]
    long: bool,
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// The client, its memory, donation, and errors.
    Platform,
    /// Every op, compared with the results of JAX on a CPU.
    Ops(ops::Options),
    /// Programs compiled ahead of time.
    Saved(saved::Options),
    /// A Llama of random weights, next to the card's memory bandwidth.
    Llama(llama::Options),
    /// The overhead of a call.
    Calls,
    /// Host functions and kernels called from programs.
    Callbacks,
    /// The examples' model, from its checkpoint to its tokens.
    Story,
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
    /// A Python with JAX.
    python: Option<PathBuf>,
    /// Only small sizes.
    quick: bool,
    /// Everything.
    long: bool,
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
    let Arguments { platform, results, bundle, python, quick, long, part } = arguments;
    let bundle = match bundle {
        Some(bundle) => bundle,
        None => std::env::current_exe()?.parent().map(PathBuf::from).unwrap_or_default(),
    };
    let settings = Settings { platform, bundle, results, python, quick, long };
    let mut results = Results::append(&settings.results)?;
    match part {
        Part::Platform => platform::run(&settings, &mut results),
        Part::Ops(options) => ops::run(&settings, &options, &mut results),
        Part::Saved(options) => saved::run(&settings, &options, &mut results),
        Part::Llama(options) => llama::run(&settings, &options, &mut results),
        Part::Calls => calls::run(&settings, &mut results),
        Part::Callbacks => callbacks::run(&settings, &mut results),
        Part::Story => story::run(&settings, &mut results),
        Part::Train(options) => train::run(&settings, &options, &mut results),
    }
}
