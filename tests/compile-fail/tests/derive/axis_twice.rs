#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Linear<T = Tensor> {
    #[axes(in, in)]
    weight: T,
}

fn main() {}
