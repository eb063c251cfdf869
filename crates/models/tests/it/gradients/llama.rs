//! Decoders of several families, over whole texts.

use super::distance;
use crate::fixture::path;
use hloom_graph::{DType, Spec, Tensor, Tree, value_and_grad};
use hloom_io::Checkpoint;
use hloom_models::llama::{Config, Llama};
use hloom_nn::Rope;
use hloom_runtime::Buffer;
use hloom_test_support::CPU;
use std::fs;

/// The mean loss over the tokens of a batch, and its gradient.
fn loss(rope: Rope, weights: Llama, tokens: Tensor, targets: Tensor) -> (Tensor, Llama) {
    value_and_grad(weights, |weights| weights.next_token_loss(tokens, targets, &rope).mean(..))
}

#[test]
fn losses_and_gradients_of_llama_are_those_of_the_reference() {
    let mut worst: f64 = 0.0;
    let mut gradients = 0;
    for file in fs::read_dir(path("llama_gradients")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let folder = path("llama").join(name);
        let config = Config::read(folder.join("config.json")).unwrap();
        let specs = Llama::new(&config, DType::F32);
        let expected = Checkpoint::open(&file).unwrap();
        let shape = expected.get("tokens").unwrap().shape();
        let length = shape.sizes()[1];
        let batch = Spec::i32([("batch", shape.sizes()[0]), ("seq", length)]);

        let arguments = (config.rope_spec(length), specs.clone(), batch.clone(), batch.clone());
        let exe = CPU.compile(loss, arguments).unwrap();
        let weights = Checkpoint::open(&folder).unwrap();
        let weights: Llama<Buffer> = weights.root().loader().load(&*CPU, &specs).unwrap();
        let rope = config.rope_buffers(&*CPU, length).unwrap();
        let [tokens, targets]: [Buffer; 2] =
            ["tokens", "targets"].map(|name| expected.at(name).load(&*CPU, &batch).unwrap());
        let (loss, gradient) = exe.call((&rope, &weights, &tokens, &targets)).unwrap();

        let [loss] = loss.to_vec::<f32>().unwrap()[..] else { panic!("a loss is one number") };
        let expected_loss = expected.get("loss").unwrap().to_vec::<f64>().unwrap()[0];
        assert!((f64::from(loss) / expected_loss - 1.0).abs() < 1e-6, "{name}: {loss}");
        gradient.visit(&mut |path, buffer| {
            let tensor = expected.get(&format!("gradient.{path}")).unwrap();
            let off = distance(&buffer.to_vec().unwrap(), &tensor.to_vec().unwrap());
            assert!(off < 1e-5, "{name}: the gradient of {path} is off by {off:.1e}");
            worst = worst.max(off);
            gradients += 1;
        });
        assert_eq!(gradient.count() + 3, expected.names().count(), "{name}");
    }
    println!("{gradients} gradients, the worst off by {worst:.1e}");
    assert!(gradients > 100, "{gradients} gradients");
}
