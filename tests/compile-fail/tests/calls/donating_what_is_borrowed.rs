//! A borrowed buffer cannot be donated.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Exe, Result};

fn step(step: Exe<(Donated<Spec>,), Tensor>, cache: &Buffer) -> Result<Buffer> {
    step.call((cache,))
}

fn main() {}
