//! The examples with a closed pipe, a full disk, and absurd arguments.

use crate::EXAMPLES;
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn llama() -> PathBuf {
    EXAMPLES.join("llama")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(llama()).args(arguments).output().unwrap()
}

/// The exit code, and what was written to standard error.
fn failure(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!told.contains("panicked"), "{told}");
    (output.status.code(), told)
}

#[test]
fn an_example_ends_quietly_when_its_reader_leaves() {
    let talk = "{ \"$0\" --prompt Once --temperature 0 --ignore-eos --max-new-tokens 100; echo $? \
                >&2; } | head -c 1";
    let output = Command::new("sh").args(["-c", talk]).arg(llama()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "O");
    // The exit code that a shell reports for a program ended by SIGPIPE, and nothing else.
    assert_eq!(String::from_utf8_lossy(&output.stderr), "141\n");
}

#[test]
fn absurd_arguments_are_refused_by_flag_and_bound() {
    const MAX: &str = "18446744073709551615";
    for (flag, value, expected) in [
        ("--context", MAX, "must be at most 16777216"),
        ("--context", "0", "must be from 1 to 16777216"),
        ("--context", "1e18", "a whole number up to 16777216 is expected"),
        ("--context", "99999999999999999999999", "a whole number up to 16777216 is expected"),
        ("--devices", "1000000000000000000", "must be at most 1024"),
        ("--devices", "0", "must be from 1 to 1024"),
        ("--repeat-last-n", MAX, "must be at most 1048576"),
        ("--repeat-last-n", "-1", "--repeat-last-n"),
        ("--max-new-tokens", "-1", "--max-new-tokens"),
        ("--bench-prompt", MAX, "must be at most 16777216"),
        ("--bench-new", MAX, "must be at most 16777216"),
        ("--bench-iterations", MAX, "must be at most 1000000"),
        ("--bench-warmup", MAX, "must be at most 1000000"),
        ("--temperature", "NaN", "temperature is NaN; it must be between 0 and 10000"),
        ("--temperature", "inf", "temperature is inf; it must be between 0 and 10000"),
        ("--top-p", "1.5", "top-p is 1.5; it must be between 0 and 1"),
        ("--min-p", "NaN", "min-p is NaN"),
        ("--repeat-penalty", "0", "repeat-penalty is 0; it must be between 0.0001 and 10000"),
        ("--prompt-ids", "4294967296", "--prompt-ids"),
    ] {
        let (code, told) =
            failure(&["--prompt-ids", "1", flag, value][usize::from(flag == "--prompt-ids") * 2..]);
        assert_eq!(code, Some(2), "{flag} {value}: {told}");
        assert!(told.contains(flag) && told.contains(expected), "{flag} {value}: {told}");
    }
}

#[test]
fn full_disks_are_an_error_at_the_end() {
    let (code, told) =
        failure(&["--prompt-ids", "1,2", "--max-new-tokens", "2", "--trace", "/dev/full"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("error: --trace: /dev/full: No space left on device"), "{told}");

    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    symlink("/dev/full", &full).unwrap();
    let (code, told) = failure(&["--prompt-ids", "1,2", "--logits-out", full.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("error: --logits-out: ") && told.contains("No space left on device"),
        "{told}"
    );
    assert!(full.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn weights_that_are_no_numbers_are_an_error_and_no_text() {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/llama/story");
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(story).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let weights = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    // All bits set is NaN in every floating-point type.
    bytes[8 + header..].fill(0xff);
    fs::write(&weights, bytes).unwrap();
    for temperature in ["0", "1"] {
        let model = folder.path().to_str().unwrap();
        let (code, told) =
            failure(&["--model", model, "--prompt", "Once", "--temperature", temperature]);
        assert_eq!(code, Some(1), "{told}");
        assert!(
            told.contains("error: the largest logit for token 0 of the answer, at position "),
            "{told}"
        );
        assert!(told.contains("NaN or infinite"), "{told}");
    }
}

#[test]
fn a_folder_that_is_no_model_is_named_with_what_it_must_hold() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for (folder, problem) in [
        (
            missing.as_path(),
            "there is no such folder, and it is not a name on the hub, `owner/name`",
        ),
        (folder.path(), "there is no file `config.json` in this folder"),
    ] {
        let (code, told) = failure(&["--model", folder.to_str().unwrap(), "--prompt-ids", "1"]);
        assert_eq!(code, Some(1), "{told}");
        let named = format!("error: {}: {problem}; a model folder holds ", folder.display());
        assert!(told.contains(&named), "{told}");
        for file in ["config.json", "model.safetensors", "tokenizer.json"] {
            assert!(told.contains(&format!("`{file}`")), "{told}");
        }
    }
}

/// The message that the README shows, but for the line: the README's program is not this example.
#[test]
fn main_prints_an_error_as_the_readme_shows_it() {
    let output = Command::new(EXAMPLES.join("shape_error")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stderr).unwrap();
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let shown = &readme[readme.find("Error: dot: ").expect("the README shows an error")..];
    let shown = &shown[..shown.find("\n```").expect("the block ends")];
    let message = |text: &str| text.split_once("\n  at ").map(|(message, _)| message.to_owned());
    assert_eq!(message(&printed), message(shown), "{printed}");
    assert!(printed.trim_end().ends_with("\n  at examples/shape_error/main.rs:18:24"), "{printed}");
}

#[test]
fn lazy_tensors_fit_a_table_and_draw_it() {
    let lazy = |arguments: &[&str]| {
        let output = Command::new(EXAMPLES.join("lazy")).args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (succeeded, told, errors) = lazy(&[]);
    assert!(succeeded, "{errors}");
    let errors: Vec<f64> = told
        .lines()
        .skip(1)
        .map_while(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [_, error] => error.parse().ok(),
            _ => None,
        })
        .collect();
    assert_eq!(errors.len(), 7, "{told}");
    assert!(errors.is_sorted_by(|a, b| a >= b) && errors[6] < 0.1 * errors[0], "{errors:?}");
    assert!(told.contains("the table's (across) and the model's (up)"), "{told}");
    assert!(told.lines().rev().take(24).any(|line| line.contains('│')), "{told}");

    let folder = tempfile::tempdir().unwrap();
    let bad = |text: &str| {
        let file = folder.path().join("table.csv");
        std::fs::write(&file, text).unwrap();
        let (succeeded, _, errors) = lazy(&[file.to_str().unwrap()]);
        assert!(!succeeded && !errors.contains("panicked"), "{errors}");
        errors
    };
    assert!(bad("a,b\n1,x\n").contains("line 2: `x`"));
    assert!(bad("a,b\n1,2\n3\n").contains("line 3 does not have 2 cells"));
    assert!(bad("").contains("the file is empty"));
    assert!(bad("a\n1\n").contains("two columns"));
}
