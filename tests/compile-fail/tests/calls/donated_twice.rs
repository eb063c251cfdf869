//! A donated buffer is gone after the call.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Exe, Result};

fn step_twice(step: Exe<(Donated<Spec>,), Tensor>, cache: Buffer) -> Result<(Buffer, Buffer)> {
    Ok((step.call((cache,))?, step.call((cache,))?))
}

fn main() {}
