//! Loading a file of safetensors to the device, next to PyTorch's.

use crate::{
    Result, Settings,
    llama::{open, weights},
    peer::Peer,
    results::{Better, Measurement, Results},
};
use hloom::{io, prelude::*};
use hloom_models::llama::{Config, Llama};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Llama 3 8B with 14 layers, 8 GB.
const LARGE: &str = r#"{
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 14, "num_attention_heads": 32, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "tie_word_embeddings": false
}"#;

const SMALL: &str = r#"{
    "model_type": "llama", "vocab_size": 512, "hidden_size": 128, "intermediate_size": 384,
    "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "tie_word_embeddings": false
}"#;

/// The loads, of which the fastest counts: the first may read from the disk.
const ROUNDS: usize = 3;
/// The time within which PyTorch answers.
const LIMIT: Duration = Duration::from_secs(60);

/// The file, removed at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that cannot be removed stays among the temporary files.
        drop(fs::remove_file(&self.0));
    }
}

pub fn run(settings: &Settings, results: &mut Results) -> Result {
    let json = if settings.quick { SMALL } else { LARGE };
    let config = Config::parse(json, Path::new("the model of the load"))?;
    let platform = open(settings)?;
    results.set_card(&platform);
    let specs = Llama::new(&config, DType::BF16);
    let original = weights::random(&platform, &specs)?;
    let name = format!("hloom-gpu-{}.safetensors", std::process::id());
    let file = Temporary(std::env::temp_dir().join(name));
    let started = Instant::now();
    io::save(&file.0, &original)?;
    let bytes = fs::metadata(&file.0)?.len() as f64;
    let speed = |seconds: f64| bytes / seconds / 1e9;
    let saved = speed(started.elapsed().as_secs_f64());
    println!("a file of {:.2} GB", bytes / 1e9);
    measure(results, "save", saved, None)?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let loaded = load(&platform, &file.0, &specs)?;
        let seconds = started.elapsed().as_secs_f64();
        println!("loaded in {seconds:.3} s");
        best = best.min(seconds);
        drop(loaded);
    }
    let read = read(&file.0)?;
    println!("read in {read:.3} s");
    measure(results, "next_to_read", speed(best), Some(speed(read)))?;
    let loaded = load(&platform, &file.0, &specs)?;
    results.check("gpu/load/equal", equal(&platform, &original, &loaded))?;
    drop((original, loaded));
    let Some(python) = &settings.python else { return Ok(()) };
    let script = settings.bundle.join("peers/load_torch.py");
    let outcome = Peer::start(python, &script, &[], &[]).and_then(|mut peer| {
        let request = format!("load {}", file.0.display());
        let mut other = f64::INFINITY;
        for _ in 0..ROUNDS {
            other = other.min(peer.number(&request, "seconds", LIMIT)?);
        }
        Ok(other)
    });
    match outcome {
        Ok(other) => measure(results, "next_to_torch", speed(best), Some(speed(other))),
        Err(error) => results.check::<(), _>("gpu/load/peer", Err(error)),
    }
}

fn measure(results: &mut Results, name: &str, value: f64, reference: Option<f64>) -> Result {
    results.measure(&Measurement {
        bench: &format!("gpu/load/{name}"),
        value,
        unit: "GB/s",
        reference,
        target: reference.map(|_| (Better::Higher, 1.0)),
    })
}

fn load(platform: &Platform, file: &Path, specs: &Llama<Spec>) -> Result<Llama<Buffer>> {
    let loaded = Checkpoint::open(file)?.load(platform, specs)?;
    let mut outcome = Ok(());
    loaded.visit(&mut |_, buffer: &Buffer| {
        if outcome.is_ok() {
            outcome = buffer.ready();
        }
    });
    outcome?;
    Ok(loaded)
}

/// Seconds to read the file once, by one thread.
fn read(file: &Path) -> Result<f64> {
    let mut part = vec![0; 1 << 24];
    let started = Instant::now();
    let mut file = File::open(file)?;
    while file.read(&mut part)? > 0 {}
    Ok(started.elapsed().as_secs_f64())
}

/// Compares all tensors on the device.
fn equal(platform: &Platform, a: &Llama<Buffer>, b: &Llama<Buffer>) -> Result {
    let mut others = Vec::new();
    b.visit(&mut |_, buffer: &Buffer| others.push(buffer));
    let mut others = others.into_iter();
    let mut programs: BTreeMap<String, Exe<(Spec, Spec), Tensor>> = BTreeMap::new();
    let mut problems = Vec::new();
    a.visit(&mut |path, buffer: &Buffer| {
        let mut compare = || -> Result<bool> {
            let other = others.next().ok_or("a tensor is missing")?;
            let shape = buffer.shape();
            let exe = match programs.entry(shape.to_string()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let spec = Spec::from(shape);
                    let all = |a: Tensor, b: Tensor| a.eq(b).all(..);
                    entry.insert(platform.compile(all, (spec.clone(), spec))?)
                }
            };
            Ok(exe.call((buffer, other))?.item::<bool>()?)
        };
        match compare() {
            Ok(true) => {}
            Ok(false) => problems.push(format!("{path} differs")),
            Err(error) => problems.push(format!("{path}: {error}")),
        }
    });
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ").into()) }
}
