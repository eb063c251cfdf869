//! Decoders of several families, over whole texts.

use super::{ROUNDED, check_loss, distance, numbers, stored, with_floats};
use crate::fixture::path;
use hloom_graph::{DType, Spec, Tensor, Tree, value_and_grad};
use hloom_io::Checkpoint;
use hloom_models::llama::{Config, Llama};
use hloom_nn::Rope;
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use std::fs;

/// The mean loss over the tokens of a batch, and its gradient.
fn loss(rope: Rope, weights: Llama, tokens: Tensor, targets: Tensor) -> (Tensor, Llama) {
    value_and_grad(weights, |weights| weights.next_token_loss(tokens, targets, &rope).mean(..))
}

/// The tables of the angles; those of `f64` are not rounded.
fn rope_buffers(config: &Config, dtype: DType, length: usize) -> Rope<Buffer> {
    if dtype == DType::F32 {
        return config.rope_buffers(&*CPU, length).unwrap();
    }
    let (cos, sin) = config.rope.wide_tables(length);
    let sizes = [length, config.rope.dim / 2];
    let [cos, sin] = [cos, sin].map(|table| Buffer::from_slice(&*CPU, &table, sizes).unwrap());
    Rope::Table { cos, sin }
}

#[test]
fn losses_and_gradients_of_llama_are_those_of_the_reference() {
    let mut worst = [0f64; 2];
    let mut gradients = 0;
    for file in fs::read_dir(path("llama_gradients")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let folder = path("llama").join(name);
        let config = Config::read(folder.join("config.json")).unwrap();
        let expected = Checkpoint::open(&file).unwrap();
        let shape = expected.get("tokens").unwrap().shape();
        let length = shape.sizes()[1];
        let batch = Spec::i32([("batch", shape.sizes()[0]), ("seq", length)]);

        let weights = Checkpoint::open(&folder).unwrap();
        let [tokens, targets]: [Buffer; 2] =
            ["tokens", "targets"].map(|name| expected.at(name).load(&*CPU, &batch).unwrap());
        for (at, (dtype, tolerance)) in
            [(DType::F32, 1e-5), (DType::F64, ROUNDED)].into_iter().enumerate()
        {
            let specs = Llama::new(&config, dtype);
            let rope = with_floats(config.rope_spec(length), dtype);
            let arguments = (rope, specs.clone(), batch.clone(), batch.clone());
            let exe = CPU.compile(loss, arguments).unwrap();
            let weights: Llama<Buffer> = weights.root().loader().load(&*CPU, &specs).unwrap();
            let rope = rope_buffers(&config, dtype, length);
            let (loss, gradient) = exe.call((&rope, &weights, &tokens, &targets)).unwrap();
            check_loss(name, &loss, &expected);
            gradient.visit(&mut |path, buffer| {
                let tensor = expected.get(&format!("gradient.{path}")).unwrap();
                let off = distance(&numbers(buffer), &stored(&tensor));
                assert!(
                    off < tolerance,
                    "{name}: the {dtype} gradient of {path} is off by {off:.1e}"
                );
                worst[at] = worst[at].max(off);
                gradients += 1;
            });
            assert_eq!(gradient.count() + 3, expected.names().count(), "{name}");
        }
    }
    println!(
        "{gradients} gradients, the worst off by {:.1e} in f32, {:.1e} in f64",
        worst[0], worst[1]
    );
    assert!(gradients > 100, "{gradients} gradients");
}
