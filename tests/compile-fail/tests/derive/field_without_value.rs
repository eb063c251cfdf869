#![allow(dead_code)]
use hloom_graph::{Mismatch, Spec, SpecSource, Tensor, Tree};

#[derive(Tree)]
struct Attention<T = Tensor> {
    weight: T,
    heads: usize,
}

#[derive(Tree)]
struct Block<T = Tensor> {
    layers: Vec<Attention<T>>,
}

fn attention(source: &dyn SpecSource) -> Result<Attention<Spec>, Mismatch> {
    Attention::spec(source)
}

fn block(source: &dyn SpecSource) -> Result<Block<Spec>, Mismatch> {
    Block::spec(source)
}

fn main() {
    // Without a checkpoint it is a tree as any other.
    let tree = Attention { weight: Spec::f32([2]), heads: 2 };
    assert_eq!(tree.count(), 1);
}
