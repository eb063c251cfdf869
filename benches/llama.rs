//! The speed of a random Llama at reading a prompt and at generating tokens, batch 1, compared with
//! the machine's memory read bandwidth.
//!
//! By default it writes and measures a small shape in `f32` (hidden 768, 12 layers;
//! `tools/random_checkpoint.py`, which needs a `python3` that has NumPy, or `HLOOM_PYTHON`).
//! `HLOOM_BENCH_LLAMA` names folders to measure instead, separated by `:`; `HLOOM_BENCH_DTYPE` an
//! element type other than the best for the platform.

mod common;
#[path = "common/read_bandwidth.rs"]
mod read_bandwidth;

use common::{Measurement, median_of};
use hloom::prelude::*;
use hloom_models::{
    ModelFolder,
    llama::{Dtype, Generator, Options},
};
use hloom_nn::Sampling;
use read_bandwidth::read_bandwidth;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const ITERATIONS: usize = 5;
const NEW_TOKENS: usize = 64;
const PROMPTS: [usize; 2] = [32, 512];

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    pjrt_plugins::ensure("cpu")?;
    let platform = Platform::auto()?;
    let temporary = tempfile::tempdir()?;
    let folders: Vec<PathBuf> = match std::env::var("HLOOM_BENCH_LLAMA") {
        Ok(folders) => folders.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![small(&temporary.path().join("S-f32"))?],
    };
    let dtype = match std::env::var("HLOOM_BENCH_DTYPE") {
        Ok(name) => {
            Dtype::As(DType::from_name(&name).ok_or(format!("`{name}` is not an element type"))?)
        }
        Err(_) => Dtype::Auto,
    };
    for folder in folders {
        measure(&platform, &folder, dtype)?;
    }
    Ok(())
}

fn small(folder: &Path) -> Result<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/random_checkpoint.py");
    let python = std::env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let status = Command::new(python).arg(script).args(["S", "f32"]).arg(folder).status()?;
    if status.success() {
        Ok(folder.to_owned())
    } else {
        Err("the random checkpoint could not be written".into())
    }
}

fn measure(platform: &Platform, folder: &Path, dtype: Dtype) -> Result<()> {
    let name =
        folder.file_name().map_or("model".into(), |name| name.to_string_lossy().into_owned());
    let options =
        Options { dtype, sampling: Sampling::greedy(), ignore_eos: true, ..Options::default() };
    let generator = Generator::open(platform, &ModelFolder::open(folder)?, options)?;
    let vocabulary = generator.config().vocab_size;
    let mut session = generator.session();
    for length in PROMPTS {
        let (mut prefill, mut decode, mut read) = (Vec::new(), Vec::new(), Vec::new());
        for iteration in 0..=ITERATIONS {
            // Uses another first token in each run, so that no earlier computation can be reused.
            let prompt: Vec<u32> =
                (0..length).map(|i| ((iteration + 7 * i + 1) % vocabulary) as u32).collect();
            let mut answer = session.generate(&prompt, NEW_TOKENS)?;
            for token in answer.by_ref() {
                token?;
            }
            let timing = answer.timing();
            if iteration > 0 {
                prefill.push(timing.prefill_tokens as f64 / timing.prefill.as_secs_f64());
                decode.push(timing.decode_tokens as f64 / timing.decode.as_secs_f64());
                read.push(read_bandwidth());
            }
        }
        let dtype = generator.stats().dtype;
        let bench = |what: &str| format!("llama/{name}/{dtype}/{what}");
        Measurement::new(&bench(&format!("prefill_{length}")), median_of(prefill), "tokens/s")
            .higher_is_better()
            .report();
        let decode = median_of(decode);
        Measurement::new(&bench(&format!("decode_behind_{length}")), decode, "tokens/s")
            .higher_is_better()
            .report();
        let bytes = decode * generator.stats().weight_bytes as f64 / 1e9;
        let read = Some(median_of(read));
        Measurement::new(&bench(&format!("weights_behind_{length}")), bytes, "GB/s")
            .reference(read)
            .higher_is_better()
            .report();
    }
    Ok(())
}
