//! All arguments that are not bound are passed.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Exe};

fn call(exe: Exe<(Spec, Spec), Tensor>, x: Buffer) {
    let _ = exe.call((&x,));
}

fn main() {}
