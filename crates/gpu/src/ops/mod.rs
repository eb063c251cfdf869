//! Every op, compared with the results of JAX on a CPU: one case an op and element type, or all.
//!
//! The cases run in another process of this program, the worker: a defect of a plugin may end or
//! stop it. It writes a journal of what it begins and of each case that ended; the supervisor
//! starts another worker, which skips what has ended and tries the suspects alone.

mod compiled;
mod journal;
mod judge;
mod known;
mod outcome;
mod plan;
mod queue;
mod supervisor;
mod worker;

use crate::{Result, Settings, results::Results};
use hloom::DType;
use std::path::PathBuf;

/// A rehearsal runs one of so many cases.
const QUICK: usize = 8;

/// Options of the part.
#[derive(clap::Args)]
pub struct Options {
    /// Seconds after which no further case begins.
    #[arg(long, default_value_t = 48)]
    seconds: u64,
    /// Element types, the most important one first.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "f32,bf16,f16,i32,f8e4m3fn,f8e5m2",
        value_parser = element_type
    )]
    types: Vec<DType>,
    /// The folder of the cases; by default, `data` in the bundle.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Only compiles, without a limit of time, for a device that need not be here, such as
    /// `cuda:h200`.
    #[arg(long, value_name = "TARGET")]
    compile: Option<String>,
    /// Only the cases whose `family/row/case` contains this.
    #[arg(long)]
    only: Option<String>,
    /// Cases compiled as one program.
    #[arg(long, default_value_t = 25)]
    together: usize,
    /// Programs compiled at once; by default, one a core.
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds without progress after which the worker is stopped.
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Measures candidates of kernels on the device while compiling, as users compile: it takes
    /// several times as long.
    #[arg(long)]
    autotune: bool,
    /// The journal of a worker.
    #[arg(long, hide = true)]
    journal: Option<PathBuf>,
    /// When the worker ends, in milliseconds since 1970.
    #[arg(long, hide = true)]
    until: Option<u64>,
}

fn element_type(name: &str) -> Result<DType, String> {
    DType::from_name(name).ok_or_else(|| format!("`{name}` is not an element type, such as `f32`"))
}

impl Options {
    fn data(&self, settings: &Settings) -> PathBuf {
        self.data.clone().unwrap_or_else(|| settings.bundle.join("data"))
    }

    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// Runs the part, or a worker of it.
///
/// # Errors
/// The cases cannot be read, or no worker starts; with `--compile`, also that a case does not
/// compile that is not known to fail.
pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    let suite = plan::Suite::load(&options.data(settings))?;
    let mut planned = suite.plan(&options.types, settings.long, options.only.as_deref())?;
    if settings.quick {
        planned = planned.into_iter().step_by(QUICK).collect();
    }
    if let Some(journal) = &options.journal {
        return worker::run(settings, options, &planned, journal);
    }
    let ended = supervisor::run(settings, options, &planned)?;
    if let Some(target) = &options.compile {
        return compiled::report(target, &planned, &ended);
    }
    outcome::report(settings, &planned, &ended, results)
}
