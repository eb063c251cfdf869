#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
union Either<T: Copy> {
    a: T,
    b: T,
}

fn main() {}
