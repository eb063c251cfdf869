#![allow(dead_code)]
use hloom_graph::{Mismatch, Spec, SpecSource, SpecTree, Tensor, Tree};

#[derive(Tree)]
struct Norm<T = Tensor> {
    weight: T,
    epsilon: f64,
}

#[derive(Tree)]
struct Block<T = Tensor> {
    norm: Norm<T>,
}

fn norm(source: &dyn SpecSource) -> Result<Norm<Spec>, Mismatch> {
    SpecTree::spec(source)
}

fn block(source: &dyn SpecSource) -> Result<Block<Spec>, Mismatch> {
    Block::spec(source)
}

fn main() {}
