#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

struct Config;

#[derive(Tree)]
#[tree(config = Config)]
struct Attention<T = Tensor> {
    weight: T,
    heads: usize,
}

fn main() {}
