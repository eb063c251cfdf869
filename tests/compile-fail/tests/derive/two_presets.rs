#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Norm<T = Tensor> {
    weight: T,
    #[tree(default, value = 1e-5)]
    epsilon: f64,
}

fn main() {}
