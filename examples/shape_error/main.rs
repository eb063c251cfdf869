//! The message of a wrong program: an error of `compile`, with the line that made it.
//!
//! ```text
//! cargo run --example shape_error
//! ```

use hloom::{nn::Linear, prelude::*};

#[derive(Tree, Clone)]
struct Classifier<T = Tensor> {
    fc1: Linear<T>,
    fc2: Linear<T>,
}

impl Classifier {
    fn forward(self, pixels: Tensor) -> Tensor {
        let x = pixels.relu();
        let hidden = x.dot(self.fc1.weight, "in"); // the checkpoint's images are smaller
        self.fc2.forward(hidden.relu())
    }
}

fn main() -> hloom::Result<()> {
    hloom::plugins::ensure("cpu")?;
    let platform = Platform::auto()?;
    let classifier = Classifier {
        fc1: Linear::new(512, 128, false, DType::F32),
        fc2: Linear::new(128, 10, true, DType::F32),
    };
    let pixels = Spec::f32([("batch", 32), ("in", 784)]);
    platform.compile(Classifier::forward, (classifier, pixels))?;
    Ok(())
}
