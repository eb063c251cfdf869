#![allow(dead_code)]
use hloom_graph::Tree;

#[derive(Tree)]
struct Config {
    layers: usize,
}

fn main() {}
