//! The time from the beginning of a process to a model's first token: without a cache, with an
//! empty one (as a ratio to the former), and with the compiled programs of an earlier process in
//! it; the first two also next to one busy process. Of the first and the last also the stages.
//!
//! The story model, and a random Llama of the small shape in `bf16`, with a prompt of 32 tokens.
//! Each start is a process of its own. Where `benches/peers/setup.sh` has installed the peers,
//! llama.cpp starts alternate with these, timed without the Python interpreter that calls it.

mod common;
#[path = "common/stages.rs"]
mod stages;

use common::{Measurement, median_of};
use hloom::prelude::*;
use hloom_models::{
    ModelFolder,
    llama::{Generator, Options},
};
use hloom_nn::Sampling;
use stages::Stages;
use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Instant,
};

const STARTS: usize = 7;
/// The prompt.
const TOKENS: u32 = 32;
/// The argument of a process that starts once, before the model's folder.
const ONCE: &str = "once";
/// The argument of a process that keeps a processor busy until it is killed.
const BUSY: &str = "busy";

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [once, folder] = &arguments[..]
        && once == ONCE
    {
        return start_once(Path::new(folder));
    }
    if arguments == [BUSY] {
        loop {
            std::hint::spin_loop();
        }
    }
    pjrt_plugins::ensure("cpu")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = tempfile::tempdir()?;
    let small = temporary.path().join("S-bf16");
    let script = root.join("tools/random_checkpoint.py");
    let python = env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let written = Command::new(python).arg(script).args(["S", "bf16"]).arg(&small).status()?;
    if !written.success() {
        return Err("the random checkpoint could not be written".into());
    }
    measure("story", &root.join("examples/llama/story"), None, 0.20, temporary.path())?;
    let peer = LlamaCpp::installed(&small, temporary.path())?;
    measure("S-bf16", &small, peer.as_ref(), 0.25, temporary.path())
}

/// llama.cpp, with the model in its own format.
struct LlamaCpp {
    python: PathBuf,
    script: PathBuf,
    model: PathBuf,
}

impl LlamaCpp {
    /// The peer, if it is installed.
    fn installed(checkpoint: &Path, temporary: &Path) -> Result<Option<LlamaCpp>> {
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
        let (python, model) = (peers.join(".venv/bin/python"), temporary.join("S-bf16.gguf"));
        let has_peer = Command::new(&python).args(["-c", "import llama_cpp"]).output();
        if !has_peer.is_ok_and(|found| found.status.success()) {
            return Ok(None);
        }
        let write = peers.join("write_gguf.py");
        let written = Command::new(&python).arg(write).args([checkpoint, &model]).output()?;
        if written.status.success() {
            Ok(Some(LlamaCpp { python, script: peers.join("llama_cpp_start.py"), model }))
        } else {
            Err(String::from_utf8_lossy(&written.stderr).into())
        }
    }

    /// Seconds until the first token.
    fn first_token(&self) -> Result<f64> {
        let threads = std::thread::available_parallelism()?.to_string();
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg("--model").arg(&self.model);
        let output =
            command.args(["--prompt", &TOKENS.to_string(), "--threads", &threads]).output()?;
        if output.status.success() {
            Ok(String::from_utf8(output.stdout)?.trim().parse()?)
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into())
        }
    }
}

/// The bound of a start without a cache, in seconds.
const WITHOUT_CACHE: f64 = 0.5;
/// The bound of a start with an empty cache, as a ratio to one without a cache.
const EMPTY_CACHE: f64 = 1.15;

/// `target`: seconds of a start with the cache.
fn measure(
    name: &str,
    folder: &Path,
    peer: Option<&LlamaCpp>,
    target: f64,
    temporary: &Path,
) -> Result<()> {
    let cache = temporary.join(format!("{name}-programs"));
    let (mut compiled, mut first, mut loaded) = (Vec::new(), Vec::new(), Vec::new());
    let mut peers = Vec::new();
    for _ in 0..STARTS {
        let [without, empty] = first_starts(folder, &cache)?;
        compiled.push(without);
        first.push(empty);
        loaded.push(start(folder, &cache)?);
        peers.extend(peer.map(LlamaCpp::first_token).transpose()?);
    }
    if peer.is_some() {
        Measurement::new(&format!("start/{name}/llama.cpp"), median_of(peers), "s").report();
    }
    let cases = [
        ("without a cache", &compiled, None, Some(WITHOUT_CACHE)),
        ("with an empty cache", &first, Some(&compiled), Some(EMPTY_CACHE)),
        ("with a cache", &loaded, None, Some(target)),
    ];
    for (case, starts, reference, target) in cases {
        let bench = format!("start/{name}/{case}");
        let reference = reference.map(|starts| seconds(starts));
        Measurement::new(&bench, seconds(starts), "s").reference(reference).target(target).report();
    }
    let busy = Busy::begin()?;
    let (mut compiled_busy, mut first_busy) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let [without, empty] = first_starts(folder, &cache)?;
        compiled_busy.push(without);
        first_busy.push(empty);
    }
    drop(busy);
    let cases_busy = [
        ("without a cache", &compiled_busy, None, None),
        ("with an empty cache", &first_busy, Some(seconds(&compiled_busy)), Some(EMPTY_CACHE)),
    ];
    for (case, starts, reference, target) in cases_busy {
        let bench = format!("start/{name}/next to a busy process/{case}");
        Measurement::new(&bench, seconds(starts), "s").reference(reference).target(target).report();
    }
    for (case, starts) in [("without a cache", &compiled), ("with a cache", &loaded)] {
        let names: Vec<&String> = starts[0].stages.iter().map(|(stage, _)| stage).collect();
        for stage in names {
            let of = |start: &Start| {
                start.stages.iter().find(|(name, _)| name == stage).map_or(0.0, |(_, time)| *time)
            };
            let bench = format!("start/{name}/{case}/{stage}");
            let seconds = median_of(starts.iter().map(of).collect());
            Measurement::new(&bench, seconds, "s").report();
        }
    }
    Ok(())
}

/// A start without a cache, and one with an empty one.
fn first_starts(folder: &Path, cache: &Path) -> Result<[Start; 2]> {
    drop(std::fs::remove_dir_all(cache));
    Ok([start(folder, Path::new("off"))?, start(folder, cache)?])
}

/// A process that keeps a processor busy, killed when it is dropped.
struct Busy(Child);

impl Busy {
    fn begin() -> Result<Busy> {
        Ok(Busy(Command::new(env::current_exe()?).arg(BUSY).spawn()?))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A start of another process.
struct Start {
    /// Seconds until its first token.
    seconds: f64,
    /// Seconds of each stage; those of `trace`, `lower`, `compile` and `load` are summed over the
    /// programs, which are compiled in parallel.
    stages: Vec<(String, f64)>,
}

fn start(folder: &Path, cache: &Path) -> Result<Start> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(ONCE).arg(folder).env("HLOOM_CACHE", cache).stdout(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("there is no output")?).lines();
    let first = lines.next().ok_or("there is no token")??;
    let seconds = begin.elapsed().as_secs_f64();
    let stages = lines.map(|line| {
        let line = line?;
        let (stage, time) = line.rsplit_once(' ').ok_or("a stage has no time")?;
        Ok((stage.to_owned(), time.parse()?))
    });
    let stages = stages.collect::<Result<_>>()?;
    if child.wait()?.success() && first.starts_with("token") {
        Ok(Start { seconds, stages })
    } else {
        Err("the start failed".into())
    }
}

/// Starts, makes a token, prints the stages, and ends.
fn start_once(folder: &Path) -> Result<()> {
    let spans = Stages::of(["trace", "lower", "compile", "load"]);
    let mut stages = Vec::new();
    let mut since = Instant::now();
    let mut stage = |name: &'static str| {
        stages.push((name, since.elapsed().as_secs_f64()));
        since = Instant::now();
    };
    let platform = Platform::cpu()?;
    stage("plugin and client");
    let model = ModelFolder::open(folder)?;
    let options = Options { sampling: Sampling::greedy(), ignore_eos: true, ..Options::default() };
    let generator = Generator::open(&platform, &model, options)?;
    stage("files and weights");
    let mut session = generator.session();
    let prompt: Vec<u32> = (1..=TOKENS).collect();
    let mut answer = session.generate(&prompt, 1)?;
    let token = answer.next().ok_or("there is no token")??;
    println!("token {token}");
    stage("programs and first token");
    for (name, seconds) in stages.into_iter().chain(spans.seconds()) {
        println!("{name} {seconds:.6}");
    }
    Ok(())
}

/// The median of the seconds.
fn seconds(starts: &[Start]) -> f64 {
    median_of(starts.iter().map(|start| start.seconds).collect())
}
