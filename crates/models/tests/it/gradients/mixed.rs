//! Steps in mixed precision: the forward pass in `bf16`, weights and gradients in `f32`.

use super::{distance, numbers, stored};
use crate::fixture::path;
use hloom_graph::{DType, Spec, Tensor, Tree, value_and_grad};
use hloom_io::Checkpoint;
use hloom_models::llama::{Config, Llama};
use hloom_nn::Rope;
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

/// The loss, the gradient, and the weights after a step along it.
fn step(rope: Rope, weights: Llama, tokens: Tensor, targets: Tensor) -> (Tensor, Llama, Llama) {
    let (loss, gradient) = value_and_grad(weights.clone(), |weights| {
        let narrow = weights.map(&mut |_, weight: Tensor| weight.convert(DType::BF16));
        narrow.next_token_loss(tokens, targets, &rope).mean(..)
    });
    let mut slopes = Vec::new();
    gradient.visit(&mut |_, &slope| slopes.push(slope));
    let mut slopes = slopes.into_iter();
    let next = weights.map(&mut |_, weight: Tensor| {
        weight - slopes.next().expect("every weight has a gradient") * 0.5
    });
    (loss, gradient, next)
}

#[test]
fn a_llama_learns_in_mixed_precision() {
    let expected = Checkpoint::open(path("llama_gradients").join("grouped.safetensors")).unwrap();
    let folder = path("llama").join("grouped");
    let config = Config::read(folder.join("config.json")).unwrap();
    let shape = expected.get("tokens").unwrap().shape();
    let length = shape.sizes()[1];
    let batch = Spec::i32([("batch", shape.sizes()[0]), ("seq", length)]);
    let specs = Llama::new(&config, DType::F32);
    let arguments = (config.rope_spec(length), specs.clone(), batch.clone(), batch.clone());
    let exe = CPU.compile(step, arguments).unwrap();
    let checkpoint = Checkpoint::open(&folder).unwrap();
    let mut weights: Llama<Buffer> = checkpoint.root().loader().load(&*CPU, &specs).unwrap();
    let rope = config.rope_buffers(&*CPU, length).unwrap();
    let [tokens, targets]: [Buffer; 2] =
        ["tokens", "targets"].map(|name| expected.at(name).load(&*CPU, &batch).unwrap());
    let mut losses = Vec::new();
    for at in 0..8 {
        let (loss, gradient, next) = exe.call((&rope, &weights, &tokens, &targets)).unwrap();
        losses.push(numbers(&loss)[0]);
        if at == 0 {
            let mut worst = 0f64;
            gradient.visit(&mut |path, buffer| {
                assert_eq!(buffer.shape().dtype(), DType::F32, "{path}");
                let tensor = expected.get(&format!("gradient.{path}")).unwrap();
                worst = worst.max(distance(&numbers(buffer), &stored(&tensor)));
            });
            println!("gradients in bf16 are off by {worst:.1e}");
            // Numbers of `bf16` have 8 bits.
            assert!((1e-4..0.05).contains(&worst), "gradients are off by {worst:.1e}");
        }
        weights = next;
    }
    let first = expected.get("loss").unwrap().to_vec::<f64>().unwrap()[0];
    assert!((losses[0] / first - 1.0).abs() < 5e-3, "{losses:?}, not {first}");
    assert!(losses[7] < 0.9 * losses[0], "{losses:?}");
}
