//! A jitted function compares the fields of its trees that are not tensors.

use hloom_graph::{Tensor, Tree};
use hloom_runtime::Platform;

struct Incomparable;

#[derive(Tree)]
struct Model<T = Tensor> {
    weight: T,
    kind: Incomparable,
}

fn jit(platform: &Platform) {
    platform.jit(|model: Model| model.weight);
}

fn main() {}
