#![allow(dead_code)]
use hloom_graph::{Mismatch, Spec, SpecSource, Tensor, Tree};

struct Config {
    heads: usize,
}

#[derive(Tree)]
#[tree(config = Config)]
struct Attention<T = Tensor> {
    weight: T,
    #[tree(value = config.heads)]
    heads: usize,
}

#[derive(Tree)]
struct Block<T = Tensor> {
    attention: Attention<T>,
}

fn without(source: &dyn SpecSource) -> Result<Block<Spec>, Mismatch> {
    Block::spec(source)
}

fn another(source: &dyn SpecSource) -> Result<Attention<Spec>, Mismatch> {
    Attention::spec_with(source, &"config.json")
}

fn main() {}
