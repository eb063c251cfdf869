//! Each input of `manual` has a partition of its own.

use hloom_graph::{Partition, Reduction, Tensor, manual};

fn product(x: Tensor, w: Tensor) -> Tensor {
    let split = Partition::shard("in", "model");
    manual((x, w), split, Partition::replicated(), |(x, w): (Tensor, Tensor)| {
        x.dot(w, "in").all_reduce(Reduction::Sum, "model")
    })
}

fn main() {}
