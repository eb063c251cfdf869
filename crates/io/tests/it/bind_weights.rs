//! Weights of programs by the names of their inputs.

use hloom_io::{bind_weights, npy};
use hloom_runtime::{AnyExe, Argument, Buffer, StableHlo};
use hloom_test_support::{CPU, CPUS, LoadOwn};
use std::collections::BTreeMap;

const LINEAR: &str = "
func.func @main(
    %x: tensor<2x3xf32>, %weight: tensor<3x2xf32>, %bias: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %weight, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}";

fn linear() -> AnyExe {
    let names = ["x", "fc.weight", "fc.bias"].map(|name| Some(name.to_owned()));
    CPU.compiler().load_own(&StableHlo::from_text(LINEAR).with_input_names(names)).unwrap()
}

/// The weights of [`linear`], and a tensor that it does not have.
fn weights() -> BTreeMap<String, Buffer> {
    let weight = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2]).unwrap();
    let bias = Buffer::from_slice(&CPU, &[10f32, 20.0], [2]).unwrap();
    let other = Buffer::from_slice(&CPU, &[0i32], [1]).unwrap();
    let named = [("fc.weight", weight), ("fc.bias", bias), ("other", other)];
    named.map(|(name, buffer)| (name.to_owned(), buffer)).into()
}

fn check(bound: &AnyExe) {
    assert_eq!(bound.free_inputs().map(|input| &*input.name).collect::<Vec<_>>(), ["x"]);
    let x = Buffer::from_slice(&CPU, &[1f32, 0.0, 0.0, 0.0, 1.0, 1.0], [2, 3]).unwrap();
    let results = bound.call(vec![Argument::Borrowed(&x)]).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0, 18.0, 30.0]);
}

#[test]
fn weights_of_both_formats_are_bound_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let [checkpoint, archive] = ["w.safetensors", "w.npz"].map(|name| folder.path().join(name));
    hloom_io::save(&checkpoint, &weights()).unwrap();
    npy::save_all(&archive, &weights()).unwrap();
    for file in [checkpoint, archive] {
        check(&bind_weights(&linear(), &file).unwrap());
    }
}

#[test]
fn some_weights_may_come_from_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = weights();
    let second: BTreeMap<_, _> = first.remove_entry("fc.bias").into_iter().collect();
    let [a, b] = ["a.safetensors", "b.npz"].map(|name| folder.path().join(name));
    hloom_io::save(&a, &first).unwrap();
    npy::save_all(&b, &second).unwrap();
    check(&bind_weights(&bind_weights(&linear(), &a).unwrap(), &b).unwrap());
    // All that the second has is bound already.
    let bound = bind_weights(&linear(), &b).unwrap();
    let error = bind_weights(&bound, &b).unwrap_err().to_string();
    assert!(error.ends_with("b.npz: no tensor is named as an input: x, fc.weight"), "{error}");
}

#[test]
fn weights_of_another_shape_or_type_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = weights();
    let narrow = Buffer::from_slice(&CPU, &[1f32; 4], [2, 2]).unwrap();
    let integers = Buffer::from_slice(&CPU, &[1i32, 2], [2]).unwrap();
    wrong.insert("fc.weight".into(), narrow);
    wrong.insert("fc.bias".into(), integers);
    let [a, b] = ["a.safetensors", "b.npz"].map(|name| folder.path().join(name));
    hloom_io::save(&a, &wrong).unwrap();
    npy::save_all(&b, &wrong).unwrap();
    for file in [a, b] {
        let error = bind_weights(&linear(), &file).unwrap_err().to_string();
        assert!(error.contains("fc.weight") && error.contains("fc.bias"), "{error}");
        assert!(!error.contains("other"), "{error}");
    }
    let missing = folder.path().join("missing.npz");
    let error = bind_weights(&linear(), missing).unwrap_err().to_string();
    assert!(error.contains("missing.npz"), "{error}");
}

#[test]
fn weights_are_split_as_the_program_says() {
    let text = "
sdy.mesh @mesh = <[\"d\"=2]>
func.func @main(
    %x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
    %w: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}]>}) {
  %0 = stablehlo.add %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}";
    let names = ["x", "w"].map(|name| Some(name.to_owned()));
    let mesh = hloom_runtime::Mesh::new(&CPUS, [("d", 2)]).unwrap();
    let program = StableHlo::from_text(text).with_input_names(names);
    let program = mesh.compiler().load_own(&program).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a.safetensors", "b.npz"].map(|name| folder.path().join(name));
    let w = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, 4.0], [4]).unwrap();
    let weights: BTreeMap<String, Buffer> = [("w".to_owned(), w)].into();
    hloom_io::save(&a, &weights).unwrap();
    npy::save_all(&b, &weights).unwrap();
    for file in [a, b] {
        let bound = bind_weights(&program, &file).unwrap();
        let sharding = bound.signature().inputs[0].sharding.clone().unwrap();
        let x = Buffer::from_slice(&sharding, &[10f32; 4], [4]).unwrap();
        let results = bound.call(vec![Argument::Borrowed(&x)]).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 12.0, 13.0, 14.0]);
    }
}
