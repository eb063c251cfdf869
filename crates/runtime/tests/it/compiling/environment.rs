//! XLA options from the environment.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::Buffer;
use hloom_test_support::{CPU, Child};
use std::path::PathBuf;

const FOLDER: &str = "HLOOM_TEST_FOLDER";

/// E20: options of `HLOOM_XLA_OPTIONS` are used by every compile, also in place of the program's
/// own; dumps show them, and errors name the variable.
#[test]
fn xla_options_of_the_environment_are_used_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let xla = folder.path().join("of xla".replace(' ', "_"));
    let child = |options: String| {
        let child =
            Child::ignored("compiling::environment::child_compiles").env_remove("XLA_FLAGS");
        child.env(FOLDER, folder.path()).env("HLOOM_XLA_OPTIONS", options).run()
    };
    let options = format!("--xla_dump_to={} xla_cpu_enable_fast_math=false", xla.display());
    child(options).passed();
    // The plugin's own dump: the option had its effect.
    let files: Vec<_> = std::fs::read_dir(&xla).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.iter().any(|file| file.to_string_lossy().contains("named")), "{files:?}");
    let dump = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let dump = dump.into_iter().find(|path| path.to_string_lossy().ends_with("xla_options.txt"));
    let text = std::fs::read_to_string(dump.unwrap()).unwrap();
    let expected = format!(
        "xla_cpu_enable_fast_math=False (HLOOM_XLA_OPTIONS)\nxla_cpu_enable_fast_min_max=False\n\
         xla_dump_to={} (HLOOM_XLA_OPTIONS)\n",
        xla.display()
    );
    assert_eq!(text, expected);

    let unknown = child("xla_no_such_option=1".into()).text();
    assert!(
        unknown.contains("`named` does not compile with xla_no_such_option of HLOOM_XLA_OPTIONS"),
        "{unknown}"
    );
    let invalid = child("=1".into()).text();
    assert!(invalid.contains("HLOOM_XLA_OPTIONS: `=1` is not `name=value`"), "{invalid}");
}

#[test]
#[ignore = "run by the test above, with options in the environment"]
fn child_compiles() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("the parent sets it"));
    let compiler = CPU.compiler().name("named").dump(folder);
    let compiler = compiler.xla_option("xla_cpu_enable_fast_math", true);
    let exe = compiler.compile(|x: Tensor| x + 1, (Spec::f32([2]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [2.0, 3.0]);
}
