//! Programs of linear algebra exported by JAX, which call LAPACK's routines by name.

use crate::{
    platforms::cpus,
    reference::{Values, load, ulps},
};
use hloom::{DType, Shape};
use hloom_pjrt::{Buffer, Client, CompileOptions, ExecuteOptions, Program};
use hloom_test_support::CompileOwn;

#[test]
fn programs_exported_by_jax_compute_what_jax_does() {
    let client = cpus().client();
    let tolerance = ulps(400).of_largest();
    let mut failures = Vec::new();
    let cases = load("exported");
    for case in &cases {
        let (program, inputs) = case.inputs.split_first().expect("a case has its program");
        let found = match run(client, &program.bytes, inputs) {
            Ok(found) => found,
            Err(error) => {
                failures.push(format!("{}/{}: {error}", case.row, case.name));
                continue;
            }
        };
        assert_eq!(found.len(), case.outputs.len(), "{}/{}", case.row, case.name);
        for (i, (expected, (shape, bytes))) in case.outputs.iter().zip(found).enumerate() {
            if let Err(wrong) = tolerance.check(expected, shape, &bytes) {
                failures.push(format!("{}/{}: result {i}: {wrong}", case.row, case.name));
            }
        }
    }
    assert!(cases.len() > 50, "{} programs", cases.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Compiles a program and runs it on one device.
fn run(
    client: &Client,
    program: &[u8],
    inputs: &[Values],
) -> hloom_pjrt::Result<Vec<(Shape, Vec<u8>)>> {
    let loaded = client.compile_own(&Program::mlir(program), &CompileOptions::new())?;
    let inputs = inputs.iter().map(|x| buffer(client, x)).collect::<Result<Vec<_>, _>>()?;
    let inputs: Vec<&Buffer> = inputs.iter().collect();
    let results = loaded.execute(&inputs, &ExecuteOptions::new())?;
    results.iter().map(read).collect()
}

/// The element types of the programs.
const DTYPES: [(DType, hloom_pjrt::DType); 5] = [
    (DType::F32, hloom_pjrt::DType::F32),
    (DType::F64, hloom_pjrt::DType::F64),
    (DType::C64, hloom_pjrt::DType::C64),
    (DType::C128, hloom_pjrt::DType::C128),
    (DType::I32, hloom_pjrt::DType::S32),
];

fn buffer(client: &Client, values: &Values) -> hloom_pjrt::Result<Buffer> {
    let found = DTYPES.iter().find(|(dtype, _)| *dtype == values.shape.dtype());
    let (_, dtype) = *found.expect("it is one of the element types");
    let dims: Vec<i64> = values.shape.sizes().iter().map(|&size| size as i64).collect();
    client.host_buffer(dtype, &dims).copy(&values.bytes)
}

fn read(buffer: &Buffer) -> hloom_pjrt::Result<(Shape, Vec<u8>)> {
    let host = buffer.to_host()?;
    let found = DTYPES.iter().find(|(_, dtype)| *dtype == host.dtype());
    let (dtype, _) = *found.expect("it is one of the element types");
    let sizes: Vec<usize> = host.dims().iter().map(|&dim| dim as usize).collect();
    let shape = Shape::new(dtype, sizes).expect("the plugin's shapes are shapes");
    Ok((shape, host.as_bytes().to_vec()))
}
