//! The parts of a buffer go with it.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Exe, Result};

fn step(step: Exe<(Donated<Spec>,), Tensor>, cache: Buffer) -> Result<bool> {
    let part = &cache.shards()[0];
    let _next = step.call((cache,))?;
    Ok(part.is_donated())
}

fn main() {}
