//! The process that runs the cases.

use super::{
    Options,
    journal::{Ended, Journal},
    judge::judge,
    outcome::Outcome,
    plan::Planned,
    queue::{Queue, Together},
};
use crate::{Result, Settings};
use hloom::{Platform, Topology, runtime::ModuleForm};
use hloom_op_suite::{Found, Program, Trial, compile_for, programs};
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process,
    sync::{Mutex, PoisonError},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

/// The exit status of a worker whose device no longer works: every later call would fail.
pub const LOST_DEVICE: i32 = 75;

/// Parts of the messages of errors after which a CUDA context fails every call.
const LOST: [&str; 6] = [
    "CUDA_ERROR_ILLEGAL_ADDRESS",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "CUDA_ERROR_MISALIGNED_ADDRESS",
    "CUDA_ERROR_LAUNCH_FAILED",
    "CUDA_ERROR_ASSERT",
    "CUDA_ERROR_LAUNCH_TIMEOUT",
];

/// Kernels are not measured while compiling.
const WITHOUT_AUTOTUNING: &[(&str, &str)] = &[("xla_gpu_autotune_level", "0")];

enum Device {
    Here(Platform),
    Elsewhere(Topology),
}

struct Worker<'a> {
    device: &'a Device,
    journal: &'a Journal,
    options: &'a Options,
    /// Held during a call: a call that ends the process is then the only one.
    calls: Mutex<()>,
}

/// Runs all cases that did not end before.
///
/// # Errors
/// The plugin does not load, or the journal cannot be written.
pub fn run(
    settings: &Settings,
    options: &Options,
    planned: &[Planned<'_>],
    journal: &Path,
) -> Result {
    end_with_input();
    let ended = Ended::read(journal)?;
    let journal = &Journal::append(journal)?;
    let device = &match &options.compile {
        Some(target) => Device::Elsewhere(settings.topology(target)?),
        None => Device::Here(settings.open()?),
    };
    journal.start(&device.name())?;
    let worker = Worker { device, journal, options, calls: Mutex::new(()) };
    let todo = planned.iter().filter(|case| !ended.cases.contains_key(&case.id));
    let is_suspect = |case: &&Planned<'_>| ended.suspects.contains(&case.id);
    let (suspects, others): (Vec<_>, Vec<_>) = todo.partition(is_suspect);
    let threads = options.threads();
    let alone = Queue::new(suspects.iter().map(|&case| vec![case]));
    // Few suspects run one after another, so that the one that ends the process is found.
    worker.work(&alone, if suspects.len() <= threads { 1 } else { threads })?;
    worker.work(&Queue::new(chunks(&others, options.together)), threads)
}

/// Ends this process when its input does, which the supervisor holds.
fn end_with_input() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        process::exit(0);
    });
}

/// The programs: cases of one label, those of products by themselves.
fn chunks<'p>(cases: &[&'p Planned<'p>], together: usize) -> Vec<Together<'p>> {
    let is_dot = |case: &Planned<'_>| case.family == "dot";
    let labels = cases.chunk_by(|a, b| a.label == b.label);
    let mut all = Vec::new();
    for label in labels {
        for dot in [false, true] {
            let of: Vec<&Planned<'p>> =
                label.iter().copied().filter(|case| is_dot(case) == dot).collect();
            let trials: Vec<Trial<'_>> = of.iter().map(|case| case.trial).collect();
            let mut of = of.into_iter();
            let family = if dot { "dot" } else { "" };
            let sizes = programs(family, &trials, together.max(1)).map(<[Trial<'_>]>::len);
            all.extend(sizes.map(|size| of.by_ref().take(size).collect::<Vec<_>>()));
        }
    }
    all
}

impl Worker<'_> {
    fn work(&self, queue: &Queue<'_>, threads: usize) -> Result {
        thread::scope(|scope| {
            let start = |_| scope.spawn(|| queue.work(|program| self.run_program(program)));
            let threads: Vec<_> = (0..threads).map(start).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, Result>| {
                thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))
            };
            threads.into_iter().try_for_each(join)
        })
    }

    /// Runs a program; returns the smaller ones to run instead.
    fn run_program<'p>(&self, program: Together<'p>) -> Result<Vec<Together<'p>>> {
        if self.options.until.is_some_and(|until| now() >= until) {
            return Ok(Vec::new());
        }
        let ids: Vec<&str> = program.iter().map(|case| case.id.as_str()).collect();
        let trials: Vec<Trial<'_>> = program.iter().map(|case| self.trial(case)).collect();
        self.journal.compile(&ids)?;
        match (self.results(&ids, &trials), &program[..]) {
            (Ok(results), _) => {
                self.write(&program, &results)?;
                Ok(Vec::new())
            }
            (Err((outcome, why)), [case]) => {
                self.journal.end(&case.id, outcome, &why)?;
                Ok(Vec::new())
            }
            (Err(_), _) => {
                self.journal.split(&ids)?;
                let (left, right) = program.split_at(program.len() / 2);
                Ok(vec![left.to_vec(), right.to_vec()])
            }
        }
    }

    fn trial<'p>(&self, case: &Planned<'p>) -> Trial<'p> {
        if self.device.is_cuda() && !self.options.autotune {
            Trial { options: WITHOUT_AUTOTUNING, ..case.trial }
        } else {
            case.trial
        }
    }

    /// The results of each trial; none if it is only compiled.
    fn results(
        &self,
        ids: &[&str],
        trials: &[Trial<'_>],
    ) -> Result<Vec<Vec<Found>>, (Outcome, String)> {
        let outcome = |error: hloom::Error| match error {
            error @ hloom::Error::NoLinearAlgebra { .. } => (Outcome::Refused, error.to_string()),
            error => (Outcome::Fails, error.to_string()),
        };
        let platform = match self.device {
            Device::Elsewhere(topology) => {
                let compiled = catch(|| compile_for(topology, "ops", trials))?;
                return compiled.map(|_| Vec::new()).map_err(outcome);
            }
            Device::Here(platform) => platform,
        };
        let form = ModuleForm::default();
        let compile = || Program::compile(platform.into(), form, "ops", trials);
        let program = catch(compile)?.map_err(outcome)?;
        let alone = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let failed =
            |error: Box<dyn std::error::Error + Send + Sync>| (Outcome::Fails, error.to_string());
        self.journal.call(ids).map_err(failed)?;
        let results = catch(|| program.call(platform.into()))?.map_err(outcome);
        if let Err((_, why)) = &results
            && LOST.iter().any(|lost| why.contains(lost))
        {
            if let [id] = ids {
                self.journal.end(id, Outcome::Ends, why).map_err(failed)?;
            }
            process::exit(LOST_DEVICE);
        }
        drop(alone);
        results
    }

    fn write(&self, program: &[&Planned<'_>], results: &[Vec<Found>]) -> Result {
        if let Device::Elsewhere(_) = self.device {
            let mut cases = program.iter();
            return cases.try_for_each(|case| self.journal.end(&case.id, Outcome::Holds, ""));
        }
        for (case, results) in program.iter().zip(results) {
            let (outcome, why) = judge(&case.trial, results, self.device.is_cuda());
            self.journal.end(&case.id, outcome, &why)?;
        }
        Ok(())
    }
}

impl Device {
    fn name(&self) -> String {
        match self {
            Device::Here(platform) => {
                platform.devices().first().map(|device| device.kind().to_owned())
            }
            Device::Elsewhere(topology) => topology.devices().first().cloned(),
        }
        .unwrap_or_default()
    }

    fn is_cuda(&self) -> bool {
        match self {
            Device::Here(platform) => platform.name() == "cuda",
            Device::Elsewhere(topology) => topology.platform() == "cuda",
        }
    }
}

/// The message of a panic is an error.
fn catch<T>(run: impl FnOnce() -> T) -> Result<T, (Outcome, String)> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        (Outcome::Fails, format!("a panic: {}", text.unwrap_or("without a message")))
    })
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
