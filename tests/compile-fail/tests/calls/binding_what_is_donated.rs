//! A donated argument is consumed by each call, so it cannot be bound.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Exe};

fn bound(step: Exe<(Donated<Spec>,), Tensor>, cache: Buffer) {
    let _ = step.bind(cache);
}

fn main() {}
