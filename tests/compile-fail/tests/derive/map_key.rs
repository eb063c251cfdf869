#![allow(dead_code)]
use hloom_graph::{Tensor, Tree};

use std::collections::BTreeMap;

#[derive(Tree)]
struct Tables<T = Tensor> {
    tables: BTreeMap<u32, T>,
}

fn main() {}
