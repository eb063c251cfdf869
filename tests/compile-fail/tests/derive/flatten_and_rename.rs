#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Head<T = Tensor> {
    #[tree(flatten, rename = "b")]
    bias: T,
}

fn main() {}
