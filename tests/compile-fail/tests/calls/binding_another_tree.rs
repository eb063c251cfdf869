//! Bound buffers have the structure that the function was compiled for.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Exe};

fn bound(exe: Exe<((Spec, Spec), Spec), Tensor>, weight: Buffer) {
    let _ = exe.bind(&weight);
}

fn main() {}
