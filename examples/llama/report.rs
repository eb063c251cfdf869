//! Reports of time and memory.

use crate::{
    Result,
    args::{Args, StatsFormat},
    rate,
    talker::{Spoken, Talker},
};
use serde::Serialize;

/// The figures of one run, as `--stats json` prints them. Times are in seconds.
#[derive(Serialize)]
struct Figures<'a> {
    prompt_tokens: usize,
    new_tokens: usize,
    tokens: &'a [u32],
    load_s: f64,
    compile_s: f64,
    /// The time from the start of the process to the first token.
    ttft_s: Option<f64>,
    prefill_tok_s: f64,
    /// Tokens per second, without the first token.
    decode_tok_s: f64,
    weight_bytes: usize,
    /// The bytes of weights on each device.
    device_weight_bytes: &'a [usize],
    /// Weights read per second during decoding.
    decode_gb_s: f64,
    peak_rss_bytes: Option<u64>,
    platform: &'a str,
    dtype: &'a str,
}

/// Reports on the answer of a one-shot run.
pub fn one_shot(args: &Args, talker: &Talker, spoken: &Spoken, prompt_tokens: usize) -> Result<()> {
    let (stats, timing) = (talker.stats(), spoken.timing);
    let decode = rate(timing.decode_tokens, timing.decode);
    let figures = Figures {
        prompt_tokens,
        new_tokens: spoken.tokens.len(),
        tokens: &spoken.tokens,
        load_s: stats.load.as_secs_f64(),
        compile_s: stats.compile.as_secs_f64(),
        ttft_s: spoken.first.map(|first| first.as_secs_f64()),
        prefill_tok_s: rate(timing.prefill_tokens, timing.prefill),
        decode_tok_s: decode,
        weight_bytes: stats.weight_bytes,
        device_weight_bytes: &stats.device_bytes,
        decode_gb_s: decode * stats.weight_bytes as f64 / 1e9,
        peak_rss_bytes: peak_memory(),
        platform: talker.platform.name(),
        dtype: stats.dtype.name(),
    };
    match args.stats {
        StatsFormat::None => {}
        StatsFormat::Json => println!("{}", json(&figures)),
        StatsFormat::Text => {
            eprintln!(
                "{} prompt tokens at {:.1}/s, {} new tokens at {:.1}/s ({:.1} GB/s of weights), \
                 first token after {:.2} s",
                figures.prompt_tokens,
                figures.prefill_tok_s,
                figures.new_tokens,
                figures.decode_tok_s,
                figures.decode_gb_s,
                figures.ttft_s.unwrap_or(0.0),
            );
            overview(talker);
        }
    }
    Ok(())
}

/// Reports on one answer of a conversation.
pub fn turn(args: &Args, spoken: &Spoken) {
    if args.stats == StatsFormat::Text {
        let timing = spoken.timing;
        eprintln!(
            "{} tokens read at {:.1}/s, {} made at {:.1}/s",
            timing.prefill_tokens,
            rate(timing.prefill_tokens, timing.prefill),
            spoken.tokens.len(),
            rate(timing.decode_tokens, timing.decode),
        );
    }
}

/// Reports on a conversation that has ended.
pub fn conversation(args: &Args, talker: &Talker) -> Result<()> {
    if args.stats == StatsFormat::Text {
        overview(talker);
    }
    Ok(())
}

fn overview(talker: &Talker) {
    let stats = talker.stats();
    eprintln!(
        "{:.1} MB of {} weights on {} loaded in {:.2} s, programs compiled in {:.2} s, {:.0} MB \
         of memory at most",
        stats.weight_bytes as f64 / 1e6,
        stats.dtype,
        talker.platform.name(),
        stats.load.as_secs_f64(),
        stats.compile.as_secs_f64(),
        peak_memory().unwrap_or(0) as f64 / 1e6,
    );
    if stats.device_bytes.len() > 1 {
        let each = stats.device_bytes.iter().map(|&bytes| format!("{:.2}", bytes as f64 / 1e6));
        eprintln!("MB of weights on each device: {}", each.collect::<Vec<_>>().join(", "));
    }
}

/// The peak memory of the process, where the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// A value as one line of JSON.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and texts have a JSON form")
}
