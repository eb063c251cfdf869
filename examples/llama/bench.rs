//! Benchmark of one model: prefill and decode, batch 1.

use crate::{
    Result,
    args::{Args, StatsFormat},
    rate, report,
    talker::Talker,
};
use serde::Serialize;

/// The medians of the measured runs, and the runs.
#[derive(Serialize)]
struct Figures<'a> {
    prompt_tokens: usize,
    new_tokens: usize,
    iterations: usize,
    prefill_tok_s: f64,
    decode_tok_s: f64,
    decode_gb_s: f64,
    runs: &'a [(f64, f64)],
    load_s: f64,
    compile_s: f64,
    weight_bytes: usize,
    peak_rss_bytes: Option<u64>,
    platform: &'a str,
    dtype: &'a str,
}

/// Runs the benchmark and reports the medians.
pub fn run(args: &Args, talker: &mut Talker) -> Result<()> {
    let vocabulary = talker.generator.config().vocab_size;
    let mut runs = Vec::new();
    for iteration in 0..args.bench_warmup + args.bench_iterations {
        // Uses another first token in each run, so that no earlier computation can be reused.
        let prompt: Vec<u32> =
            (0..args.bench_prompt).map(|i| ((iteration + 7 * i + 1) % vocabulary) as u32).collect();
        let mut answer = talker.session.generate(&prompt, args.bench_new)?;
        for token in answer.by_ref() {
            token?;
        }
        let timing = answer.timing();
        if iteration >= args.bench_warmup {
            let prefill = rate(timing.prefill_tokens, timing.prefill);
            runs.push((prefill, rate(timing.decode_tokens, timing.decode)));
        }
    }
    let stats = talker.stats();
    let prefill = median(runs.iter().map(|run| run.0));
    let decode = median(runs.iter().map(|run| run.1));
    let figures = Figures {
        prompt_tokens: args.bench_prompt,
        new_tokens: args.bench_new,
        iterations: runs.len(),
        prefill_tok_s: prefill,
        decode_tok_s: decode,
        decode_gb_s: decode * stats.weight_bytes as f64 / 1e9,
        runs: &runs,
        load_s: stats.load.as_secs_f64(),
        compile_s: stats.compile.as_secs_f64(),
        weight_bytes: stats.weight_bytes,
        peak_rss_bytes: report::peak_memory(),
        platform: talker.platform.name(),
        dtype: stats.dtype.name(),
    };
    match args.stats {
        StatsFormat::Json => println!("{}", report::json(&figures)),
        _ => println!(
            "prefill of {}: {:.1} tokens/s, decode of {}: {:.2} tokens/s ({:.1} GB/s), {} on {}",
            figures.prompt_tokens,
            figures.prefill_tok_s,
            figures.new_tokens,
            figures.decode_tok_s,
            figures.decode_gb_s,
            figures.dtype,
            figures.platform
        ),
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
