//! Losses and the gradients of all weights against PyTorch's autograd in float64.

mod bert;
mod llama;
mod mixed;
mod resnet;
mod whisper;

use crate::fixture::path;
use hloom_graph::{DType, IntoDims, Spec, Tree};
use hloom_io::{Checkpoint, TensorView};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

/// The results of one case of `tests/oracle/model_gradients.py`.
struct Expected {
    name: String,
    results: Checkpoint,
}

impl Expected {
    fn open(name: &str) -> Expected {
        let file = path("model_gradients").join(format!("{name}.safetensors"));
        let results = Checkpoint::open(file).unwrap();
        Expected { name: name.to_owned(), results }
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
        let (name, dtype) = (&self.name, loss.shape().dtype());
        let tolerance = match dtype {
            DType::F64 => ROUNDED,
            _ => 1e-5,
        };
        check_loss(name, loss, &self.results);
        let (mut count, mut worst) = (0, 0f64);
        gradient.visit(&mut |path, buffer| {
            // Statistics are not weights.
            let Some(tensor) = self.results.get(&format!("gradient.{path}")) else {
                if buffer.shape().dtype().is_float() {
                    let zeros = numbers(buffer).iter().all(|value| *value == 0.0);
                    assert!(zeros, "{name}: the reference has no gradient of {path}");
                }
                return;
            };
            let (found, expected) = (numbers(buffer), stored(&tensor));
            count += 1;
            // A softmax cancels what is added to all keys: the gradient is 0, and what is left is
            // rounding, in `f64` as small as that of the reference.
            if path.to_string().ends_with("key.bias") {
                let norms = [&found, &expected].map(|values| length(values));
                let most = if dtype == DType::F64 { 1e-14 } else { 1e-7 };
                assert!(norms[0] < most && norms[1] < 1e-14, "{name}: {path}: {norms:?}");
                return;
            }
            let off = distance(&found, &expected);
            assert!(off < tolerance, "{name}: the gradient of {path} is off by {off:.1e}");
            worst = worst.max(off);
        });
        let names = self.results.names().filter(|name| name.starts_with("gradient."));
        assert_eq!(count, names.count(), "{name}");
        println!("{name} in {dtype}: {count} gradients, the worst off by {worst:.1e}");
    }
}

/// The largest distance in `f64` from a reference that is stored in `f32`.
const ROUNDED: f64 = 1e-7;

/// Asserts that a loss is that of the reference, which is stored in `f64`.
fn check_loss(name: &str, loss: &Buffer, results: &Checkpoint) {
    let tolerance = if loss.shape().dtype() == DType::F64 { 1e-12 } else { 1e-6 };
    let [loss] = numbers(loss)[..] else { panic!("a loss is one number") };
    let expected = results.get("loss").unwrap().to_vec::<f64>().unwrap()[0];
    assert!((loss / expected - 1.0).abs() < tolerance, "{name}: {loss}, {expected}");
}

/// The elements of a buffer of `f32` or `f64`.
fn numbers(buffer: &Buffer) -> Vec<f64> {
    match buffer.shape().dtype() {
        DType::F64 => buffer.to_vec().unwrap(),
        _ => buffer.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
    }
}

/// The elements of a tensor of the reference.
fn stored(tensor: &TensorView) -> Vec<f64> {
    tensor.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect()
}

/// The norm of the difference over the norm of what is expected.
fn distance(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    norm(found.iter().zip(expected).map(|(f, e)| f - e)) / length(expected)
}

fn length(values: &[f64]) -> f64 {
    norm(values.iter().copied())
}

fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|number| number * number).sum::<f64>().sqrt()
}

/// The specs with all floats of this type.
fn with_floats<S: Tree<Leaf = Spec, With<Spec> = S>>(specs: S, dtype: DType) -> S {
    specs.map(&mut |_, spec| {
        if spec.shape().dtype().is_float() { spec.with_dtype(dtype) } else { spec }
    })
}
