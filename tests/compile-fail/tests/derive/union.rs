#![allow(dead_code)]
use hloom_graph::Tree;

#[derive(Tree)]
union Either<T: Copy> {
    a: T,
    b: T,
}

fn main() {}
