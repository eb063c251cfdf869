#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
#[tree(leaf = L)]
struct Linear<T = Tensor> {
    weight: T,
}

fn main() {}
