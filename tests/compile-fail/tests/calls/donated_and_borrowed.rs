//! A buffer cannot be consumed and read by one call.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Exe, Result};

fn step(step: Exe<(Donated<Spec>, Spec), Tensor>, cache: Buffer) -> Result<Buffer> {
    step.call((cache, &cache))
}

fn main() {}
