//! The machine's memory read bandwidth.

use std::{hint::black_box, sync::LazyLock, thread, time::Instant};

/// Bytes that all cores together read from memory, in GB/s: the best of three.
pub fn read_bandwidth() -> f64 {
    static WORDS: LazyLock<Vec<u64>> = LazyLock::new(|| vec![1; 1 << 26]);
    let words = &*WORDS;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let once = || {
        let start = Instant::now();
        thread::scope(|scope| {
            for part in words.chunks(words.len().div_ceil(threads)) {
                scope.spawn(move || {
                    black_box(part.iter().fold(0u64, |sum, &word| sum.wrapping_add(word)))
                });
            }
        });
        size_of_val(words.as_slice()) as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..3).map(|_| once()).fold(0.0, f64::max)
}
