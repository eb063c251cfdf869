//! candle's Llama: a folder in the Hugging Face layout, greedy. Prints the same JSON line as the
//! other peers.

use candle_core::{D, DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig};
use std::{collections::HashMap, path::PathBuf, time::Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options: HashMap<&str, &str> = words
        .chunks_exact(2)
        .map(|pair| (pair[0].trim_start_matches("--"), pair[1].as_str()))
        .collect();
    let number = |name: &str, default: usize| -> Result<usize> {
        Ok(options.get(name).map_or(Ok(default), |value| value.parse())?)
    };
    let (prompt, new) = (number("prompt", 32)?, number("new", 64)?);
    let (warmup, iterations) = (number("warmup", 1)?, number("iterations", 2)?);
    let dtype = match options["dtype"] {
        "f32" => DType::F32,
        // candle has no matmul of `bf16` on the CPU.
        "bf16" => DType::F16,
        other => return Err(format!("`{other}` is not measured").into()),
    };
    let folder = PathBuf::from(options["model"]);
    let config: LlamaConfig = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
    let vocabulary = config.vocab_size;
    let config = config.into_config(false);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
        .collect();
    files.sort();
    let device = Device::Cpu;
    // SAFETY: nothing writes to the files while they are mapped.
    let weights = unsafe { VarBuilder::from_mmaped_safetensors(&files, dtype, &device)? };
    let model = Llama::load(weights, &config)?;

    let (mut runs, mut tokens) = (Vec::new(), Vec::new());
    for iteration in 0..warmup + iterations {
        let ids: Vec<u32> =
            (0..prompt).map(|i| ((iteration + 7 * i + 1) % vocabulary) as u32).collect();
        let mut cache = Cache::new(true, dtype, &config, &device)?;
        let mut step = |ids: &[u32], position| -> Result<u32> {
            let logits =
                model.forward(&Tensor::new(ids, &device)?.unsqueeze(0)?, position, &mut cache)?;
            Ok(logits.argmax(D::Minus1)?.squeeze(0)?.to_scalar()?)
        };
        let start = Instant::now();
        tokens = vec![step(&ids, 0)?];
        let prefill = start.elapsed().as_secs_f64();
        let start = Instant::now();
        for position in prompt..prompt + new - 1 {
            tokens.push(step(&[tokens[tokens.len() - 1]], position)?);
        }
        let decode = start.elapsed().as_secs_f64();
        if iteration >= warmup {
            runs.push((prompt as f64 / prefill, (new - 1) as f64 / decode));
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
    };
    let line = serde_json::json!({
        "prefill_tok_s": median(runs.iter().map(|run| run.0).collect()),
        "decode_tok_s": median(runs.iter().map(|run| run.1).collect()),
        "peak_rss_bytes": peak_memory(),
        "tokens": tokens,
    });
    println!("{line}");
    Ok(())
}

fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
