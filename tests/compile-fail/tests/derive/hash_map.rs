#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

use std::collections::HashMap;

#[derive(Tree)]
struct Tables<T = Tensor> {
    tables: HashMap<String, T>,
}

fn main() {}
