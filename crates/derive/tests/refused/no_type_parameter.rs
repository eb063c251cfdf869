#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Config {
    layers: usize,
}

fn main() {}
