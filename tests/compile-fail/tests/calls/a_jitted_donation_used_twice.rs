//! A buffer that is donated to a jitted function is gone after the call.

use hloom_graph::Tensor;
use hloom_runtime::{Buffer, Donated, Jit, Result};

fn step_twice(step: Jit<(Tensor,), Tensor>, cache: Buffer) -> Result<(Buffer, Buffer)> {
    Ok((step.call((Donated(cache),))?, step.call((&cache,))?))
}

fn main() {}
