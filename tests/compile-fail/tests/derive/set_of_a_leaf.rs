#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Norm<T = Tensor> {
    #[tree(set(epsilon = 1e-6))]
    weight: Vec<T>,
}

#[derive(Tree)]
struct Count<T = Tensor> {
    #[tree(count = 3)]
    weight: Option<T>,
}

#[derive(Tree)]
struct Value<T = Tensor> {
    weight: T,
    #[tree(value = 3, set(epsilon = 1e-6))]
    count: usize,
}

#[derive(Tree)]
struct Other<T = Tensor> {
    #[tree(config = &3)]
    weight: T,
}

fn main() {}
