#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Stack<B, T> {
    blocks: Vec<B>,
    scale: T,
}

#[derive(Tree)]
struct Pair<A = Tensor, B = Tensor> {
    first: A,
    second: B,
}

fn main() {}
