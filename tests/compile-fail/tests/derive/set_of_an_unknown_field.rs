#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Norm<T = Tensor> {
    weight: T,
    #[tree(value = 1e-5)]
    epsilon: f64,
}

#[derive(Tree)]
struct Block<T = Tensor> {
    #[tree(set(eps = 1e-6))]
    first: Norm<T>,
    #[tree(set(epsilon = "small"))]
    second: Option<Norm<T>>,
}

fn main() {}
