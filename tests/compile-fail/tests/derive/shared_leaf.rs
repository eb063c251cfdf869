#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

use std::sync::Arc;

#[derive(Tree)]
struct Shared<T = Tensor> {
    weight: Arc<T>,
}

fn main() {}
