#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Linear<T = Tensor> {
    weight: T,
    #[axes(out)]
    size: usize,
}

fn main() {}
