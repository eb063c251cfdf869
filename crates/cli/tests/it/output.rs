use crate::hloom::{hloom, json, stdout};
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_io::Writer;
use hloom_runtime::Buffer;
use hloom_test_support::CPU;
use std::{
    io::Read,
    process::{Command, Stdio},
};

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.safetensors");
    let mut writer = Writer::new();
    let shape = Shape::new(DType::U8, [1]).unwrap();
    for i in 0..20_000 {
        writer.tensor(&format!("a.tensor.of.many.{i}"), shape, &[0][..]).unwrap();
    }
    writer.save(&path).unwrap();
    let path = path.to_str().unwrap();
    let commands = [
        vec!["inspect", path],
        vec!["inspect", "--json", path],
        vec!["plugin", "list"],
        vec!["completions", "bash"],
        vec!["doctor"],
    ];
    for arguments in commands {
        let mut command = hloom(&arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = [0; 1];
        let mut pipe = child.stdout.take().unwrap();
        if arguments[0] == "inspect" {
            pipe.read_exact(&mut first).unwrap();
        }
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = hloom(["completions", "bash"]).stdout(full).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.starts_with("error: cannot write the output: "), "{stderr}");
}

#[test]
fn names_do_not_control_the_terminal() {
    let evil = "evil\u{1b}[2J\u{9b}31m\u{202e}\u{7f}\u{2028}";
    let folder = tempfile::tempdir().unwrap();
    let tensors = folder.path().join("evil.safetensors");
    let shape = Shape::new(DType::U8, [1]).unwrap();
    let mut writer = Writer::new();
    writer.tensor(evil, shape, &[0][..]).unwrap().metadata(evil, evil);
    writer.save(&tensors).unwrap();
    let arrays = folder.path().join("evil.npz");
    let x = Buffer::from_slice(&CPU, &[1u8], [1]).unwrap();
    hloom_io::npy::save_all(&arrays, [(evil, &x)]).unwrap();
    let program = folder.path().join("evil.hloom");
    let exe =
        CPU.compiler().name(evil).inputs([evil]).compile(|x: Tensor| x + x, (Spec::f32([2]),));
    exe.unwrap().save(&program).unwrap();
    let is_harmful =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{2028}');
    for path in [&tensors, &arrays, &program] {
        for arguments in [&["inspect"][..], &["inspect", "--json"]] {
            let text = stdout(hloom(arguments).arg(path));
            assert!(!text.contains(is_harmful) && text.contains("evil"), "{text:?}");
        }
    }
    assert_eq!(json(hloom(["inspect", "--json"]).arg(&program))["name"], evil);
    let output = hloom(["inspect"]).arg(folder.path().join(evil)).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains(is_harmful) && stderr.contains("evil"), "{stderr:?}");
}

#[test]
fn usage_errors_end_with_2() {
    for arguments in [
        vec![],
        vec!["unknown"],
        vec!["inspect"],
        vec!["cache"],
        vec!["completions", "tcsh-like"],
        vec!["doctor", "--what"],
    ] {
        let output = hloom(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("Usage: hloom") || stderr.contains("possible values"), "{stderr}");
    }
}

#[test]
fn help_and_version_are_printed() {
    let help = stdout(&mut hloom(["--help"]));
    for command in ["doctor", "plugin", "cache", "inspect", "completions"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
    }
    let version = stdout(&mut hloom(["--version"]));
    assert_eq!(version, format!("hloom {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_are_those_of_each_shell() {
    for (shell, part) in [
        ("bash", "complete -F _hloom"),
        ("zsh", "#compdef hloom"),
        ("fish", "complete -c hloom"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = stdout(&mut hloom(["completions", shell]));
        assert!(script.contains(part) && script.contains("inspect"), "{shell}");
    }
    // The shell takes its script, and completes by it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hloom.bash");
    std::fs::write(&path, stdout(&mut hloom(["completions", "bash"]))).unwrap();
    let script = ". \"$0\"; COMP_WORDS=(hloom in); COMP_CWORD=1; _hloom hloom in hloom; \
                  echo \"${COMPREPLY[*]}\"";
    let completed = Command::new("bash").args(["-c", script]).arg(&path).output();
    // Not every machine has it.
    if let Ok(completed) = completed {
        assert_eq!(String::from_utf8_lossy(&completed.stdout), "inspect\n");
    }
}
