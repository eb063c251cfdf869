//! The plugin's output on standard error.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Mesh, Platform};
use hloom_test_support::Child;

/// Runs `child_compiles_for_a_mesh` in a process of its own, and returns its standard error.
fn stderr_of_child(variables: &[(&str, &str)]) -> String {
    let mut child = Child::ignored("mesh::logs::child_compiles_for_a_mesh");
    for name in ["TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_VMODULE", "XLA_FLAGS"] {
        child = child.env_remove(name);
    }
    let child = variables.iter().fold(child, |child, (name, value)| child.env(name, value));
    child.run().passed().stderr
}

#[test]
fn a_platform_writes_nothing_below_a_warning() {
    let quiet = stderr_of_child(&[]);
    assert_eq!(quiet, "", "nothing is worth a warning");
    let verbose = stderr_of_child(&[("TF_CPP_MIN_LOG_LEVEL", "0")]);
    // The files that log something differ between plugins.
    assert!(verbose.contains(".cc:"), "the plugin is no longer verbose:\n{verbose}");
    let verbose = stderr_of_child(&[("TF_CPP_VMODULE", "shardy_xla_pass=1")]);
    assert!(verbose.contains(".cc:"), "who asks for logs has them:\n{verbose}");
}

#[test]
fn warnings_and_errors_of_a_plugin_are_written() {
    // Not a folder: the plugin cannot write its dump there.
    let text = stderr_of_child(&[("XLA_FLAGS", "--xla_dump_to=/dev/null/dump")]);
    assert!(text.contains("/dev/null/dump"), "{text}");
    assert!(!text.contains("shardy_xla_pass.cc"), "{text}");
}

#[test]
#[ignore = "run by the tests of this file, which look at its output"]
fn child_compiles_for_a_mesh() {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let builder = Platform::builder().plugin(plugin).client_option("cpu_device_count", 2);
    let platform = builder.build().expect("the CPU plugin creates a client");
    let mesh = Mesh::new(&platform, [("x", 2)]).expect("there are two devices");
    let spec = Spec::f32([("n", 4)]).shard("n", "x");
    let exe = mesh.compile(|x: Tensor| x + x.sum("n"), (spec.clone(),)).expect("it is a program");
    let x = Buffer::from_slice(
        &mesh.sharding(&spec).expect("it fits"),
        &[1f32, 2.0, 3.0, 4.0],
        [("n", 4)],
    );
    let y = exe.call((&x.expect("four values"),)).expect("it runs");
    assert_eq!(y.to_vec::<f32>().expect("it ran"), [11.0, 12.0, 13.0, 14.0]);
}
