//! Serialized programs with kernels.

use crate::CPU;
use hloom_graph::{Spec, Tensor};
use hloom_test_support::Child;
use std::path::PathBuf;

/// The file with the program, for a separate process: handlers are already registered in this one.
const SAVED: &str = "HLOOM_TEST_SAVED";

#[test]
fn a_saved_program_says_which_kernel_is_not_linked_and_loads_where_it_is() {
    if let Some(path) = std::env::var_os(SAVED) {
        return load(path.into());
    }
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    let specs = (Spec::bf16([("row", 2), ("in", 16)]), Spec::bf16([("out", 8), ("in", 16)]));
    let exe = CPU.compile(product, specs).expect("it compiles");
    assert_eq!(exe.kernels()[0].name, "hloom.linear.v1");
    let bytes = exe.any().as_pjrt().executable().serialize().expect("it is saved");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program");
    std::fs::write(&path, bytes).expect("it is written");
    let test =
        "kernels::saved::a_saved_program_says_which_kernel_is_not_linked_and_loads_where_it_is";
    Child::test(test).env(SAVED, path).run().passed();
}

fn load(path: PathBuf) {
    let bytes = std::fs::read(path).expect("it was written");
    let client = CPU.client();
    // SAFETY: the test that runs this one made the bytes, in a folder of its own.
    let deserialized = || unsafe { client.deserialize(&bytes, None) };
    let error = deserialized().map(drop).expect_err("nobody registered the kernel");
    assert!(error.to_string().contains("hloom.linear.v1"), "{error}");

    let ffi = client.plugin().ffi().expect("the CPU plugin calls code of others");
    for (target, handlers) in hloom_kernels::handlers::all() {
        ffi.register(target, &handlers).expect("it is registered");
    }
    let program = deserialized().expect("the kernel is there now");
    assert_eq!(program.num_outputs(), 1);
}
