//! A tensor stays in the thread of its trace.

use hloom_graph::Tensor;

fn parallel(x: Tensor) {
    std::thread::spawn(move || x + 1.0);
}

fn main() {}
