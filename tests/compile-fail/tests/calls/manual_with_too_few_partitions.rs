//! Each input of `manual` has a partition of its own.

use hloom_graph::{PartitionSpec, Reduction, Tensor, manual};

fn product(x: Tensor, w: Tensor) -> Tensor {
    let split = PartitionSpec::shard("in", "model");
    manual((x, w), split, PartitionSpec::replicated(), |(x, w): (Tensor, Tensor)| {
        x.dot(w, "in").all_reduce(Reduction::Sum, "model")
    })
}

fn main() {}
