//! From a plugin to a result.

use crate::{ADD, client, compile};
use hloom_pjrt::{DType, ExecuteOptions};

#[test]
fn a_program_is_compiled_and_executed() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let b = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let results = executable.execute(&[&a, &b], &ExecuteOptions::new()).unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    let signature = executable
        .signature()
        .expect("the CPU plugin gives its optimized program");
    assert_eq!(signature.parameters().len(), 2);
    assert_eq!(signature.parameters()[1].dtype(), DType::F32);
    assert_eq!(signature.parameters()[1].dims(), [2]);
    assert_eq!(signature.donatable_parameters(), Some(vec![]));
}
