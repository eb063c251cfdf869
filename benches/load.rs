//! The time to load a 2 GiB checkpoint into CPU buffers.
//!
//! Aligned tensors are used in place in the mapped file: the time does not depend on their size.
//! Tensors at multiples of 8 bytes, as in files from the hub, are copied once by all cores; for
//! comparison, a plain copy of the same bytes, from memory to memory, by as many threads.
//! `HLOOM_BENCH_MIB` sets another size.

mod common;
#[path = "common/peak_memory.rs"]
mod peak_memory;

use common::{Measurement, interleaved, median};
use hloom::{io::Writer, prelude::*};
use peak_memory::peak_memory;
use std::{
    fs::File,
    hint::black_box,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    thread,
};

const TENSORS: usize = 64;

/// The folder of the files, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays among the temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes tensors whose data starts 8 bytes after a multiple of 64.
fn write_misaligned(path: &Path, each: &[u8]) -> io::Result<()> {
    let entries: Vec<String> = (0..TENSORS)
        .map(|i| {
            let (elements, start, end) = (each.len() / 4, i * each.len(), (i + 1) * each.len());
            format!(
                r#""{i}":{{"dtype":"F32","shape":[{elements}],"data_offsets":[{start},{end}]}}"#
            )
        })
        .collect();
    let mut header = format!("{{{}}}", entries.join(","));
    while header.len() % 64 != 0 {
        header.push(' ');
    }
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    (0..TENSORS).try_for_each(|_| out.write_all(each))?;
    out.flush()
}

fn write_aligned(path: &Path, each: &[u8]) -> hloom::io::Result<()> {
    let shape = Shape::new(DType::F32, [each.len() / 4]).expect("a size that memory holds");
    let mut writer = Writer::new();
    for i in 0..TENSORS {
        writer.tensor(&i.to_string(), shape, each)?;
    }
    writer.save(path)
}

fn load(platform: &Platform, checkpoint: &Checkpoint) -> Vec<Buffer> {
    let spec: Vec<Spec> = Vec::spec(&checkpoint.root()).expect("the tensors are numbered");
    checkpoint.load(platform, &spec).expect("the tensors match the file")
}

fn address(buffer: &Buffer) -> usize {
    buffer.as_pjrt().unsafe_pointer().expect("a CPU buffer has an address")
}

/// Copies memory to fresh memory with all cores.
fn parallel_copy(source: &[u8]) -> Vec<u8> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut copy = vec![0u8; source.len()];
    let part = source.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for (to, from) in copy.chunks_mut(part).zip(source.chunks(part)) {
            scope.spawn(move || to.copy_from_slice(from));
        }
    });
    copy
}

fn reset_peak_memory() -> Option<()> {
    std::fs::write("/proc/self/clear_refs", "5").ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mib: usize = std::env::var("HLOOM_BENCH_MIB").ok().map_or(Ok(2048), |mib| mib.parse())?;
    let plugin = pjrt_plugins::ensure("cpu")?;
    let platform = Platform::load(plugin)?;
    let folder =
        Folder(std::env::temp_dir().join(format!("hloom-bench-load-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let total = mib << 20;
    let each: Vec<u8> = (0..total / TENSORS / 4).flat_map(|i| (i as f32).to_le_bytes()).collect();

    let (small, large) = (folder.0.join("small.safetensors"), folder.0.join("large.safetensors"));
    write_aligned(&small, &each[..(each.len() / 64).next_multiple_of(64)])?;
    write_aligned(&large, &each)?;
    let (small, large) = (Checkpoint::open(small)?, Checkpoint::open(large)?);
    let buffers = load(&platform, &large);
    for (i, buffer) in buffers.iter().enumerate() {
        let tensor = large.get(&i.to_string()).expect("it was written");
        // SAFETY: nobody writes to the file of this program.
        let mapped = unsafe { tensor.mapped() }.map(|bytes| bytes.as_ptr().addr());
        assert_eq!(Some(address(buffer)), mapped, "tensor {i} was copied");
    }
    drop(buffers);
    let samples = 501;
    let (large_time, small_time) = interleaved(
        samples,
        || drop(black_box(load(&platform, &large))),
        || drop(black_box(load(&platform, &small))),
    );
    let (large_time, small_time) = (large_time.as_secs_f64() * 1e3, small_time.as_secs_f64() * 1e3);
    Measurement::new("load, aligned, to 1/64 of its size", large_time, "ms")
        .reference(small_time)
        .target(1.5)
        .report();
    drop((small, large));

    let path = folder.0.join("misaligned.safetensors");
    write_misaligned(&path, &each)?;
    let checkpoint = Checkpoint::open(&path)?;
    let resident = each.repeat(TENSORS);
    let (ours, plain) = interleaved(
        5,
        || drop(black_box(load(&platform, &checkpoint))),
        || drop(black_box(parallel_copy(&resident))),
    );
    let (ours, plain) = (ours.as_secs_f64() * 1e3, plain.as_secs_f64() * 1e3);
    Measurement::new("load, misaligned, to a plain parallel copy", ours, "ms")
        .reference(plain)
        .target(1.3)
        .report();
    drop(resident);

    let buffers = load(&platform, &checkpoint);
    assert_eq!(buffers[TENSORS - 1].to_bytes()?, each, "the last tensor is the file's");
    drop(buffers);
    if let (Some(()), Some(before)) = (reset_peak_memory(), peak_memory()) {
        let buffers = load(&platform, &checkpoint);
        let after = peak_memory().unwrap_or(before);
        let (grown, file) = ((after - before) as f64 / 1e6, total as f64 / 1e6);
        Measurement::new("load, misaligned, peak memory to the file's size", grown, "MB")
            .reference(file)
            .target(1.05)
            .report();
        drop(buffers);
    }
    let bf16: Vec<Spec> = Vec::spec(&checkpoint.root())?;
    let bf16 = bf16.map(&mut |_, spec| spec.with_dtype(DType::BF16));
    let converted = median(3, || {
        drop(black_box(checkpoint.load(&platform, &bf16).expect("floats are converted")))
    });
    let converted = converted.as_secs_f64() * 1e3;
    Measurement::new("load, f32 to bf16, to a plain parallel copy", converted, "ms")
        .reference(plain)
        .report();
    Ok(())
}
