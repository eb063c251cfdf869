//! Data enters a function as an argument, not as a buffer that it captures.

use hloom_graph::Tensor;
use hloom_runtime::Buffer;

fn shifted(x: Tensor, shift: Buffer) -> Tensor {
    x + shift
}

fn main() {}
