#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Borrowed<'a, T = Tensor> {
    weight: &'a T,
}

fn main() {}
