#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Linear<T = Tensor> {
    #[axes(out, 3)]
    weight: T,
}

fn main() {}
