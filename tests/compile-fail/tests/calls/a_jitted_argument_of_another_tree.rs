//! A jitted function is called with the trees that it takes.

use hloom_graph::Tensor;
use hloom_runtime::{Buffer, Jit, Result};

fn call(add: Jit<(Vec<Tensor>,), Tensor>, x: Buffer) -> Result<Buffer> {
    add.call((&x,))
}

fn main() {}
