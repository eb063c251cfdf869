#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Linear<T = Tensor> {
    weight: T,
}

#[derive(Tree)]
struct Mlp<T = Tensor> {
    #[axes(out, in)]
    fc1: Linear<T>,
}

fn main() {}
