//! Inputs that once ended the process: more memory than exists, and invalid settings. Each in a
//! process of its own.

use crate::CPU;
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_runtime::{Buffer, Mesh, Platform};
use hloom_test_support::Child;

/// Elements of 4 TB.
const HUGE: usize = 1 << 40;

/// Runs an ignored test of this program in a process of its own.
fn in_child(test: &str, environment: &[(&str, &str)]) {
    let child = Child::ignored(test);
    let child = environment.iter().fold(child, |child, (name, value)| child.env(name, value));
    child.run().passed();
}

#[test]
fn memory_that_the_host_has_not_is_an_error() {
    in_child("extremes::child_huge", &[]);
}

#[test]
#[ignore = "run by the test above"]
fn child_huge() {
    let shape = Shape::new(DType::F32, [HUGE]).expect("it can be addressed");
    let error = Buffer::zeros(&*CPU, shape).expect_err("there is no such memory").to_string();
    assert!(error.contains("no memory for 4398046511104 bytes"), "{error}");

    let exe = CPU
        .compile(|x: Tensor| Tensor::full(0.5, DType::F32, [HUGE]) + x, (Spec::scalar(DType::F32),))
        .expect("compiling needs no memory");
    let x = Buffer::scalar(&*CPU, 1f32).expect("four bytes");
    // Depending on the plugin, the call or the read fails.
    if let Ok(result) = exe.call((&x,)) {
        for error in [
            result.to_vec::<f32>().map(drop).expect_err("it was never computed"),
            result.to_bytes().map(drop).expect_err("it was never computed"),
            result.item::<f32>().map(drop).expect_err("it was never computed"),
            result.ready().expect_err("it was never computed"),
        ] {
            assert!(error.to_string().contains("memory"), "{error}");
        }
        assert!(result.to_string().contains("memory"), "{result}");
    }

    let mesh =
        Mesh::new(&Platform::from_client(CPU.client().clone()), [("x", 1)]).expect("one device");
    let spec = Spec::f32([("a", HUGE)]).shard("a", "x");
    let error = Buffer::zeros_tree(&mesh, spec).map(drop).expect_err("there is no such memory");
    assert!(error.to_string().contains("no memory"), "{error}");
}

#[test]
fn a_plugin_path_that_does_not_exist_is_named() {
    in_child(
        "extremes::child_settings",
        &[("PJRT_PLUGIN_LIBRARY_PATH", "/nowhere/at/all"), ("HLOOM_PLUGIN_CPU", "")],
    );
    in_child(
        "extremes::child_settings",
        &[("HLOOM_PLUGIN_CUDA", "/nowhere/at/all"), ("PJRT_PLUGIN_LIBRARY_PATH", "")],
    );
}

#[test]
#[ignore = "run by the test above, in the environment that it sets"]
fn child_settings() {
    let error = Platform::auto().map(drop).expect_err("the setting is wrong").to_string();
    let variable = ["PJRT_PLUGIN_LIBRARY_PATH", "HLOOM_PLUGIN_CUDA"]
        .into_iter()
        .find(|name| std::env::var(name).is_ok_and(|value| !value.is_empty()));
    assert!(error.contains(variable.expect("one is set")), "{error}");
    assert!(error.contains("/nowhere/at/all"), "{error}");
}
