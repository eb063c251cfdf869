//! Losses and the gradients of all weights against PyTorch's autograd in float64.

mod bert;
mod llama;
mod resnet;
mod whisper;

use crate::fixture::path;
use hloom_graph::{DType, IntoDims, Spec, Tree};
use hloom_io::Checkpoint;
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

/// The results of one case of `tests/oracle/model_gradients.py`.
struct Expected {
    name: String,
    results: Checkpoint,
    /// The largest distance of a gradient.
    tolerance: f64,
}

impl Expected {
    fn open(name: &str) -> Expected {
        let file = path("model_gradients").join(format!("{name}.safetensors"));
        let results = Checkpoint::open(file).unwrap();
        Expected { name: name.to_owned(), results, tolerance: 1e-5 }
    }

    /// A tensor of the file, under named axes.
    fn load(&self, name: &str, dtype: DType, dims: impl IntoDims) -> Buffer {
        let spec = Spec::new(dtype, dims);
        self.results.at(name).load(&*CPU, &spec).unwrap()
    }

    /// The sizes of a tensor of the file.
    fn sizes(&self, name: &str) -> Vec<usize> {
        self.results.get(name).unwrap().shape().sizes().to_vec()
    }

    /// Asserts that loss and gradients are those of the reference: all that it has, and no others.
    fn check<G: Tree<Leaf = Buffer>>(&self, loss: &Buffer, gradient: &G) {
        let name = &self.name;
        let [loss] = loss.to_vec::<f32>().unwrap()[..] else { panic!("a loss is one number") };
        let expected = self.results.get("loss").unwrap().to_vec::<f64>().unwrap()[0];
        assert!((f64::from(loss) / expected - 1.0).abs() < 1e-6, "{name}: {loss}, {expected}");
        let (mut count, mut worst) = (0, 0f64);
        gradient.visit(&mut |path, buffer| {
            // Statistics are no weights.
            let Some(tensor) = self.results.get(&format!("gradient.{path}")) else {
                if buffer.shape().dtype().is_float() {
                    let is_zero = |value: &f32| *value == 0.0;
                    let zeros = buffer.to_vec::<f32>().unwrap().iter().all(is_zero);
                    assert!(zeros, "{name}: the reference has no gradient of {path}");
                }
                return;
            };
            let (found, expected) = (buffer.to_vec().unwrap(), tensor.to_vec().unwrap());
            count += 1;
            // A softmax cancels what is added to all keys; what is left is rounding.
            if path.to_string().ends_with("key.bias") {
                let norms = [&found, &expected].map(|values| length(values));
                assert!(norms[0] < 1e-7 && norms[1] < 1e-14, "{name}: {path}: {norms:?}");
                return;
            }
            let off = distance(&found, &expected);
            assert!(off < self.tolerance, "{name}: the gradient of {path} is off by {off:.1e}");
            worst = worst.max(off);
        });
        let names = self.results.names().filter(|name| name.starts_with("gradient."));
        assert_eq!(count, names.count(), "{name}");
        println!("{name}: {count} gradients, the worst off by {worst:.1e}");
    }
}

/// The norm of the difference over the norm of what is expected.
fn distance(found: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let difference = found.iter().zip(expected).map(|(&f, &e)| f64::from(f) - f64::from(e));
    norm(difference) / length(expected)
}

fn length(values: &[f32]) -> f64 {
    norm(values.iter().map(|&value| f64::from(value)))
}

fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|number| number * number).sum::<f64>().sqrt()
}

/// The specs with all floats as `f32`.
fn wide<S: Tree<Leaf = Spec, With<Spec> = S>>(specs: S) -> S {
    specs.map(&mut |_, spec| match spec.shape().dtype().is_float() {
        true => spec.with_dtype(DType::F32),
        false => spec,
    })
}
