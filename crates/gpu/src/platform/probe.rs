//! Processes of this program with other client options: a process holds one client of the CUDA
//! plugin.
//!
//! The first process also compiles a program for a cache on disk, and the second one loads it. Two
//! more run out of memory, next to the others: the plugin waits 10 seconds for memory to be freed.

use super::{
    Options,
    memory::{first, stats},
    out_of_memory,
};
use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    cuda_driver::Driver,
    results::{Better, Measurement, Results},
};
use hloom::{Buffer, CompilationCache, Platform, Shape, Spec, Tensor};
use hloom_pjrt::NamedValue;
use std::{
    fs,
    path::Path,
    process::{Child, Command},
    time::Instant,
};

/// The options, in the order in which their processes run.
const OPTIONS: [&str; 2] = ["memory_fraction=0.05", "preallocate=false"];

/// The size of a pool that was not allocated in advance.
const MAX_GROWN: i64 = 1 << 30;

/// A process in the background, and the name of its check.
pub struct Background {
    bench: String,
    process: Child,
}

/// Runs this program once for each option, and starts the processes that run out of memory.
pub fn start_all(settings: &Settings, results: &mut Results) -> Result<Vec<Background>> {
    let mut background = Vec::new();
    for kind in ["buffer", "program"] {
        let bench = format!("gpu/platform/probe/out_of_memory/{kind}");
        let process = attempt(results, &format!("{bench}/start"), || {
            Ok(command(settings, OPTIONS[0])?.args(["--out-of-memory", kind]).spawn()?)
        })?;
        background.extend(process.map(|process| Background { bench, process }));
    }
    let cache = std::env::temp_dir().join(format!("hloom-gpu-cache-{}", std::process::id()));
    for option in OPTIONS {
        let name = option.split('=').next().unwrap_or(option);
        attempt(results, &format!("gpu/platform/probe/{name}"), || {
            let status = command(settings, option)?.arg("--cache").arg(&cache).status()?;
            ensure(status.success(), || format!("its process ended with {status}"))
        })?;
    }
    // It is this process's own folder, which may be missing.
    let _ = fs::remove_dir_all(cache);
    Ok(background)
}

impl Background {
    /// Waits for the process.
    pub fn finish(mut self, results: &mut Results) -> Result {
        attempt(results, &self.bench, || {
            let status = self.process.wait()?;
            ensure(status.success(), || format!("its process ended with {status}"))
        })?;
        Ok(())
    }
}

fn command(settings: &Settings, option: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--platform", &settings.platform]).arg("--results").arg(&settings.results);
    command.arg("--bundle").arg(&settings.bundle);
    if settings.quick {
        command.arg("--quick");
    }
    command.args(["platform", "--probe", option]);
    Ok(command)
}

/// The checks of one option, in a process that has no other client.
pub fn run(settings: &Settings, option: &str, options: &Options, results: &mut Results) -> Result {
    let (name, text) = option.split_once('=').ok_or("an option has the form NAME=VALUE")?;
    let value = match text.parse::<bool>() {
        Ok(value) => NamedValue::Bool(value),
        Err(_) => NamedValue::Float(text.parse().map_err(|e| format!("{option}: {e}"))?),
    };
    let is_cpu = settings.platform == "cpu";
    let mut builder = Platform::builder().plugin(&settings.platform);
    if !is_cpu {
        builder = builder.client_option(name, value.clone());
    }
    let platform = builder.build()?;
    results.set_card(&platform);
    if let Some(kind) = options.out_of_memory {
        return out_of_memory::run(&platform, kind, results);
    }
    let bench = format!("gpu/platform/{name}");
    if is_cpu {
        skip(&bench, "the plugin has no such option");
    } else {
        let fraction = value.as_f32().map(f64::from);
        let is_preallocated = value.as_bool() != Some(false);
        attempt(results, &bench, || options_hold(&platform, fraction, is_preallocated))?;
    }
    match &options.cache {
        Some(folder) => cached(&platform, option == OPTIONS[0], folder, results),
        None => Ok(()),
    }
}

/// The limit is the fraction of the memory, and the pool is allocated in advance or not.
fn options_hold(platform: &Platform, fraction: Option<f64>, is_preallocated: bool) -> Result {
    let device = first(platform)?;
    let buffer = Buffer::zeros(platform, Spec::u8([1 << 20]))?;
    buffer.ready()?;
    let stats = stats(&device)?;
    let limit = stats.bytes_limit.ok_or("there is no bytes_limit")?;
    let ordinal = device.local_hardware_id().unwrap_or(0);
    let total = Driver::open()?.total_memory(i32::try_from(ordinal)?)?;
    println!("limit {limit}, pool {:?}, total {total}", stats.pool_bytes);
    if let Some(fraction) = fraction {
        let found = limit as f64 / total as f64;
        ensure((found / fraction - 1.0).abs() <= 0.02, || {
            format!("bytes_limit {limit} is {found:.4} of {total} bytes, not {fraction}")
        })?;
    }
    let pool = stats.pool_bytes.ok_or("there is no pool_bytes")?;
    let holds = if is_preallocated { pool >= limit / 100 * 98 } else { pool <= MAX_GROWN };
    ensure(holds, || {
        let expected = if is_preallocated { "all of" } else { "a small part of" };
        format!("after 1 MiB, {pool} bytes are allocated: {expected} {limit} expected")
    })
}

/// The size of the axes of [`deep`].
const SIZE: usize = 64;

/// A program that takes a while to compile.
pub fn deep(weights: Vec<Tensor>, x: Tensor) -> Tensor {
    weights.into_iter().fold(x, |x, weight| x.dot(weight, "in").tanh().rename("out", "in"))
}

/// The arguments of [`deep`].
pub fn specs() -> (Vec<Spec>, Spec) {
    let weight = || Spec::f32([("out", SIZE), ("in", SIZE)]);
    (vec![weight(); 4], Spec::f32([("batch", SIZE), ("in", SIZE)]))
}

/// A program is compiled by the first process, and loaded by the second.
fn cached(platform: &Platform, is_first: bool, folder: &Path, results: &mut Results) -> Result {
    let cache = CompilationCache::at(folder);
    platform.set_cache(cache.clone());
    let (weights, x) = specs();
    let file = folder.join("seconds");
    let bench = if is_first { "gpu/platform/cache/first" } else { "gpu/platform/cache/second" };
    let compiled = attempt(results, bench, || {
        let start = Instant::now();
        let exe = platform.compile(deep, specs())?;
        let seconds = start.elapsed().as_secs_f64();
        let stats = cache.stats();
        let expected = if is_first { (1, 0) } else { (0, 1) };
        ensure((stats.misses, stats.folder_hits) == expected && stats.failures == 0, || {
            format!("{stats:?}; {}", cache.explain_miss().unwrap_or_default())
        })?;
        let scaled = |shape: Shape| {
            let values = (0..shape.element_count()).map(|i| ((i * 7 % 23) as f32 - 11.0) / 64.0);
            values.collect::<Vec<f32>>()
        };
        let weights = Buffer::tree(platform, weights, |_, spec| scaled(spec.shape()))?;
        let x = Buffer::from_slice(platform, &scaled(x.shape()), x.shape().axes())?;
        let y = exe.call((&weights, &x))?.to_bytes()?;
        let values = folder.join("values");
        if is_first {
            fs::write(values, &y)?;
        } else {
            ensure(fs::read(values)? == y, || "the loaded program computes other values".into())?;
        }
        Ok(seconds)
    })?;
    let Some(value) = compiled else { return Ok(()) };
    let reference = if is_first { None } else { fs::read_to_string(&file)?.parse().ok() };
    if is_first {
        fs::write(&file, value.to_string())?;
    }
    results.measure(&Measurement {
        bench: if is_first { "gpu/platform/cache/compile" } else { "gpu/platform/cache/load" },
        value,
        unit: "s",
        reference,
        target: reference.map(|_| (Better::Lower, 1.0)),
    })
}
