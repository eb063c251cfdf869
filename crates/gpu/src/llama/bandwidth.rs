//! The bandwidth of the device's memory, as a compiled copy reaches it.

use crate::Result;
use hloom::prelude::*;
use std::time::Instant;

/// A program that reads and writes an array.
pub struct Copy {
    exe: Exe<(Spec,), Tensor>,
    source: Buffer,
}

/// The copies of one measurement, whose results are queued together.
const COPIES: usize = 8;
const ROUNDS: usize = 5;

/// The program: a copy alone would be the argument itself, or be done without a kernel.
pub fn copy(x: Tensor) -> Tensor {
    x + 1.0
}

/// The array: 2 GiB, or 16 MiB for a rehearsal.
pub fn array(quick: bool) -> Spec {
    Spec::f32([("index", if quick { 1 << 22 } else { 1 << 29 })])
}

impl Copy {
    /// Compiles the program and allocates the array.
    ///
    /// # Errors
    /// The program does not compile, or the plugin is out of memory.
    pub fn new(platform: &Platform, quick: bool) -> Result<Copy> {
        let spec = array(quick);
        let exe = platform.compiler().name("copy").compile(copy, (spec.clone(),))?;
        Ok(Copy { exe, source: made(platform, &spec)? })
    }

    /// Bytes per second, read and written: the best of several measurements.
    ///
    /// # Errors
    /// A call fails.
    pub fn measure(&self) -> Result<f64> {
        let bytes = 2.0 * self.source.shape().byte_size() as f64;
        let mut result = self.exe.call((&self.source,))?;
        result.ready()?;
        let mut best = 0.0_f64;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..COPIES {
                self.exe.call_into((&self.source,), &mut result)?;
            }
            result.ready()?;
            best = best.max(bytes * COPIES as f64 / start.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}

/// Zeros that are made on the device.
fn made(platform: &Platform, spec: &Spec) -> Result<Buffer> {
    let shape = spec.shape();
    let zeros = move || Tensor::zeros(shape.dtype(), shape.axes());
    Ok(platform.compiler().name("zeros").compile(zeros, ())?.call(())?)
}
