//! Scratch memory of calls.
//!
//! New pages are expensive, so calls reuse the memory of earlier ones; as many pieces are kept as
//! calls ran concurrently.

use std::sync::{Mutex, PoisonError};

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "it is memory")] [u8; 64]);

/// Aligned memory for any type.
pub(crate) struct Scratch(Vec<Line>);

static KEPT: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

/// Pieces beyond this number are freed.
const MAX_KEPT: usize = 256;

impl Scratch {
    /// At least `bytes` bytes.
    pub fn take(bytes: usize) -> Scratch {
        let mut scratch = {
            let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            // The smallest piece that is large enough, else the largest.
            let size = |scratch: &Scratch| {
                (scratch.0.len() * 64 < bytes, usize::abs_diff(scratch.0.len() * 64, bytes))
            };
            let best = (0..kept.len()).min_by_key(|&i| size(&kept[i]));
            best.map(|best| kept.swap_remove(best))
        };
        let lines = bytes.div_ceil(64);
        match scratch.take() {
            Some(scratch) if scratch.0.len() >= lines => scratch,
            Some(mut small) => {
                small.0 = vec![Line([0; 64]); lines];
                small
            }
            None => Scratch(vec![Line([0; 64]); lines]),
        }
    }

    /// Its start, aligned to 64 bytes.
    pub fn as_mut_ptr<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0);
        if memory.is_empty() {
            return;
        }
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.push(Scratch(memory));
        }
    }
}
