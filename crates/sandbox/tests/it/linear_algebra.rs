//! Programs that call handlers of linear algebra, which the child registers.

use super::{numbers, sandbox};
use hloom_pjrt::CompileOptions;
use hloom_sandbox::Argument;
use hloom_test_support::plugin_path;
use safetensors::SafeTensors;
use std::{fs, path::PathBuf};

fn fixture(file: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/stablehlo/jax/linalg");
    fs::read(PathBuf::from(folder).join(file)).expect("the fixture is there")
}

/// The bytecode in a file of `jax.export`, a FlatBuffer: vectors of bytes follow their length.
fn bytecode(file: &[u8]) -> &[u8] {
    let start = file.windows(4).position(|bytes| bytes == b"ML\xefR").expect("a module");
    let length = file[start - 4..start].try_into().expect("four bytes");
    &file[start..][..u32::from_le_bytes(length) as usize]
}

#[test]
fn decompositions_of_jax_compute_what_jax_does() {
    let session = sandbox().start(plugin_path(), 1).expect("the child starts");
    let program = fixture("program.jax");
    let program = session.compile(bytecode(&program), &CompileOptions::new());
    let program = program.expect("the program compiles");
    let description = program.description();
    let calls_lapack = |target: &String| target.starts_with("lapack_");
    assert!(description.custom_calls.iter().any(calls_lapack), "{:?}", description.custom_calls);
    let (inputs, outputs) = (fixture("inputs.safetensors"), fixture("outputs.safetensors"));
    let inputs = SafeTensors::deserialize(&inputs).expect("tensors");
    let outputs = SafeTensors::deserialize(&outputs).expect("tensors");
    let tensor = |name: &str| Argument::Bytes(inputs.tensor(name).expect("an input").data());
    let results = program.call(&[tensor("a"), tensor("b")]).expect("the call returns");
    assert_eq!(results.len(), 2);
    for (name, result) in ["0", "1"].iter().zip(&results) {
        let expected = numbers(outputs.tensor(name).expect("an output").data());
        let found = numbers(result);
        assert_eq!(found.len(), expected.len());
        let largest = expected.iter().fold(0.0f32, |most, number| most.max(number.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-5 * largest, "{found} and {expected}");
        }
    }
}
