#![allow(dead_code)]
use hloom_graph::Tree;

#[derive(Tree)]
#[tree(leaf = P::Item)]
struct State<P: Tree> {
    mean: P,
}

#[derive(Tree)]
#[tree(leaf = Q::Leaf)]
struct Average<P: Tree> {
    mean: P,
}

#[derive(Tree)]
#[tree(leaf = P::Leaf)]
struct Paired<P: Tree> {
    mean: P::With<P::Leaf>,
}

fn main() {}
