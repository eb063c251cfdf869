use hloom_graph::{Tensor, Tree};

#[derive(Tree)]
struct Norm<T = Tensor> {
    weight: T,
    #[tree(buffer)]
    epsilon: f64,
}

fn main() {}
