#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Attention<T = Tensor> {
    weight: T,
    #[tree(value = config.heads + 1)]
    heads: usize,
}

fn main() {}
