#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Linear<T = Tensor> {
    #[tree(name = "w")]
    weight: T,
}

fn main() {}
