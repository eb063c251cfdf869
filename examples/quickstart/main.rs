//! A small network: traced, compiled, its weights bound, and called.
//!
//! ```sh
//! cargo run --example quickstart
//! ```

use hloom::prelude::*;

#[derive(Tree, Clone)]
struct Linear<T = Tensor> {
    #[axes("out", "in")]
    weight: T,
    #[axes("out")]
    bias: Option<T>,
}

#[derive(Tree, Clone)]
struct Mlp<T = Tensor> {
    fc1: Linear<T>,
    fc2: Linear<T>,
}

impl Linear {
    fn forward(self, x: Tensor) -> Tensor {
        let y = x.dot(self.weight, "in");
        match self.bias {
            Some(bias) => y + bias,
            None => y,
        }
    }
}

impl Mlp {
    fn forward(self, x: Tensor) -> Tensor {
        // The first layer's output is the second one's input.
        let hidden = self.fc1.forward(x).relu().rename("out", "in");
        self.fc2.forward(hidden)
    }
}

impl Linear<Spec> {
    fn spec(inputs: usize, outputs: usize) -> Self {
        let weight = Spec::f32([("out", outputs), ("in", inputs)]);
        Linear { weight, bias: Some(Spec::f32([("out", outputs)])) }
    }
}

fn main() -> hloom::Result<()> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("HLOOM_LOG"))
        .init();
    let platform = Platform::auto()?;
    let spec = Mlp { fc1: Linear::spec(4, 3), fc2: Linear::spec(3, 2) };
    let exe =
        platform.compile(Mlp::forward, (spec.clone(), Spec::f32([("batch", 2), ("in", 4)])))?;

    // A checkpoint would be loaded here; these weights are just numbers.
    let mut seed = 0.0;
    let weights = Buffer::tree(&platform, spec, |_, spec| {
        let values = (0..spec.shape().element_count()).map(|_| {
            seed += 0.1;
            f32::sin(seed)
        });
        values.collect::<Vec<f32>>()
    })?;
    let exe = exe.bind(&weights)?;

    let x = Buffer::from_slice(
        &platform,
        &[1.0f32, 2.0, 3.0, 4.0, -1.0, 0.0, 1.0, 0.5],
        [("batch", 2), ("in", 4)],
    )?;
    let y = exe.call((&x,))?;
    println!("{platform}: {} =\n{y}", y.shape());
    Ok(())
}
