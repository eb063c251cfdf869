//! The time from the beginning of a process to a model's first token: with nothing kept, and with
//! the compiled programs of an earlier process in a cache.
//!
//! The story model, and a random Llama of the small shape in `bf16`, with a prompt of 32 tokens.
//! Each start is a process of its own. Where `benches/peers/setup.sh` has installed the peers,
//! llama.cpp starts in turn, timed without the Python interpreter that calls it.

mod common;

use common::{Better, report};
use hloom::{CompilationCache, prelude::*};
use hloom_models::{
    ModelFolder,
    llama::{Generator, Options},
};
use hloom_nn::Sampling;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

const STARTS: usize = 7;
/// The prompt.
const TOKENS: u32 = 32;
/// The argument of a process that starts once, before the model's folder.
const ONCE: &str = "once";

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [once, folder] = &arguments[..]
        && once == ONCE
    {
        return start_once(Path::new(folder));
    }
    pjrt_plugins::ensure("cpu")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = tempfile::tempdir()?;
    let small = temporary.path().join("S-bf16");
    let script = root.join("tools/random_checkpoint.py");
    let written = Command::new("python3").arg(script).args(["S", "bf16"]).arg(&small).status()?;
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
        match written.status.success() {
            true => Ok(Some(LlamaCpp { python, script: peers.join("llama_cpp_start.py"), model })),
            false => Err(String::from_utf8_lossy(&written.stderr).into()),
        }
    }

    /// Seconds until the first token.
    fn first_token(&self) -> Result<f64> {
        let threads = std::thread::available_parallelism()?.to_string();
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg("--model").arg(&self.model);
        let told =
            command.args(["--prompt", &TOKENS.to_string(), "--threads", &threads]).output()?;
        match told.status.success() {
            true => Ok(String::from_utf8(told.stdout)?.trim().parse()?),
            false => Err(String::from_utf8_lossy(&told.stderr).into()),
        }
    }
}

/// `target`: seconds of a start with the cache.
fn measure(
    name: &str,
    folder: &Path,
    peer: Option<&LlamaCpp>,
    target: f64,
    temporary: &Path,
) -> Result<()> {
    let cache = temporary.join(format!("{name}-programs"));
    let (mut compiled, mut loaded, mut peers) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        drop(std::fs::remove_dir_all(&cache));
        compiled.push(first_token(folder, &cache)?);
        loaded.push(first_token(folder, &cache)?);
        peers.extend(peer.map(LlamaCpp::first_token).transpose()?);
    }
    let (compiled, loaded) = (median(compiled), median(loaded));
    if peer.is_some() {
        report(&format!("start/{name}/llama.cpp"), median(peers), "s", None, None, Better::Lower);
    }
    report(&format!("start/{name}/compiled"), compiled, "s", None, None, Better::Lower);
    report(&format!("start/{name}/loaded"), loaded, "s", None, Some(target), Better::Lower);
    Ok(())
}

/// Seconds until another process tells its first token.
fn first_token(folder: &Path, cache: &Path) -> Result<f64> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(ONCE).arg(folder).env("HLOOM_CACHE", cache).stdout(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line)?;
    }
    let time = begin.elapsed();
    match child.wait()?.success() && line.starts_with("token") {
        true => Ok(time.as_secs_f64()),
        false => Err("the start failed".into()),
    }
}

/// Starts, makes a token, and ends.
fn start_once(folder: &Path) -> Result<()> {
    let platform = Platform::cpu()?;
    if platform.cache().as_ref().and_then(CompilationCache::folder).is_none() {
        return Err("there is no cache".into());
    }
    let options = Options { sampling: Sampling::greedy(), ignore_eos: true, ..Options::default() };
    let generator = Generator::open(&platform, &ModelFolder::open(folder)?, options)?;
    let mut session = generator.session();
    let prompt: Vec<u32> = (1..=TOKENS).collect();
    let mut answer = session.generate(&prompt, 1)?;
    let token = answer.next().ok_or("there is no token")??;
    println!("token {token}");
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
