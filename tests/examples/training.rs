//! The examples of training: they learn, resume bit for bit, and learn the same on several devices.

use crate::EXAMPLES;
use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

const STEPS: usize = 8;

/// Compiled programs are kept for the whole test.
fn command(example: &str, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(EXAMPLES.join(example));
    command.args(arguments).env("HLOOM_CACHE", cache);
    command
}

fn run(example: &str, cache: &Path, arguments: &[&str]) -> Output {
    command(example, cache, arguments).output().unwrap()
}

fn training<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["--platform", "cpu", "--steps", "8", "--batch", "4", "--context"];
    arguments.extend(["64", "--out", out.to_str().unwrap()]);
    arguments.extend(more);
    arguments
}

fn trained(cache: &Path, out: &Path, more: &[&str]) -> Output {
    let output = run("train", cache, &training(out, more));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    output
}

/// The losses in a log.
fn losses(out: &Path) -> Vec<f64> {
    let log = fs::read_to_string(out.join("loss.csv")).unwrap();
    let loss = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
    log.lines().skip(1).map(loss).collect()
}

/// X8: a model is trained by a compiled step, on one device and on several, and resumed.
#[test]
fn training_learns_resumes_and_is_the_same_on_several_devices() {
    let folder = tempfile::tempdir().unwrap();
    let [cache, whole, parts, two, four] =
        ["cache", "whole", "parts", "two", "four"].map(|name| folder.path().join(name));

    let output = trained(&cache, &whole, &["--every", "100", "--held-out", "1"]);
    let expected = losses(&whole);
    assert_eq!(expected.len(), STEPS);
    // Before the first step all tokens are about equally likely.
    assert!((expected[0] - 1536f64.ln()).abs() < 0.2, "{expected:?}");
    assert!(expected[STEPS - 1] < expected[0] - 1.0, "{expected:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("step 8: held-out loss "), "{told}");
    assert!(told.contains("  Once upon a time"), "{told}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("⠒") && told.contains("the model is in "), "{told}");

    // Stopped twice, in the middle of what is between two checkpoints too.
    for until in [&["--until", "3", "--no-samples"][..], &["--until", "6"], &[]] {
        trained(&cache, &parts, &[until, &["--every", "2", "--held-out", "0"]].concat());
    }
    for file in ["loss.csv", "run.safetensors", "model/model.safetensors"] {
        let [whole, parts] = [&whole, &parts].map(|out| fs::read(out.join(file)).unwrap());
        assert!(whole == parts, "{file} is of another run");
    }

    // The order of sums differs, nothing else.
    for (devices, out) in [("2", &two), ("4", &four)] {
        trained(&cache, out, &["--devices", devices, "--no-samples", "--held-out", "0"]);
        for (step, (found, expected)) in losses(out).iter().zip(&expected).enumerate() {
            let off = (found / expected - 1.0).abs();
            assert!(off < 1e-4, "{devices} devices, step {step}: {found}, not {expected}");
        }
    }

    let out = whole.to_str().unwrap();
    let other = run("train", &cache, &["--platform", "cpu", "--steps", "9", "--out", out]);
    let told = String::from_utf8_lossy(&other.stderr);
    assert!(!other.status.success() && told.contains("is of a run with Settings"), "{told}");
}

/// Ctrl-C ends a run after its step with a checkpoint, from which the next one goes on.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [cache, whole, parts] = ["cache", "whole", "parts"].map(|name| folder.path().join(name));
    let more = ["--every", "100", "--no-samples", "--held-out", "0"];
    trained(&cache, &whole, &more);
    let mut interrupted = command("train", &cache, &training(&parts, &more));
    let mut child = interrupted.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let rows = || fs::read_to_string(parts.join("loss.csv")).map_or(0, |log| log.lines().count());
    while rows() < 2 && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    let steps = losses(&parts).len();
    assert!((1..STEPS).contains(&steps), "it ended after {steps} steps");
    trained(&cache, &parts, &more);
    for file in ["loss.csv", "run.safetensors", "model/model.safetensors"] {
        let [whole, parts] = [&whole, &parts].map(|out| fs::read(out.join(file)).unwrap());
        assert!(whole == parts, "{file} is of another run");
    }
}

/// The shipped model was trained on the same stories by another program: its loss on texts of the
/// example is that on its own held-out texts, 0.301 for single turns and 0.324 for conversations;
/// 0.342 for rows that are full.
#[test]
fn the_texts_are_those_that_the_shipped_model_was_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        "train",
        folder.path(),
        &["--platform", "cpu", "--evaluate", "--batch", "8", "--held-out", "2"],
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let numbers = told.split([' ', '\n']).filter_map(|word| word.parse::<f64>().ok());
    let [single, documents] = numbers.collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert!((0.24..0.36).contains(&single), "{told}");
    assert!((0.26..0.40).contains(&documents), "{told}");
}

#[test]
fn adapters_learn_a_text_that_the_model_then_tells() {
    let folder = tempfile::tempdir().unwrap();
    let [cache, out] = ["cache", "adapter"].map(|name| folder.path().join(name));
    let out = out.to_str().unwrap();
    let arguments = ["--steps", "120", "--out", out, "--context", "48"];
    let output = run("finetune", &cache, &arguments);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let losses: Vec<f64> =
        told.lines().filter_map(|line| line.split("loss ").nth(1)?.parse().ok()).collect();
    let [first, last] = losses[..] else { panic!("{told}") };
    assert!(last < 0.2 * first, "{told}");

    let ask =
        ["--platform", "cpu", "--prompt", "Ahoy!", "--no-chat-template", "--temperature", "0"];
    let tell = |more: &[&str]| {
        let arguments = [&ask[..], &["--max-new-tokens", "24"], more].concat();
        let output = run("llama", &cache, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (adapted, plain) = (tell(&["--adapter", out]), tell(&[]));
    assert!(adapted.contains("sailed a ship"), "{adapted}");
    assert!(!plain.contains("sailed a ship"), "{plain}");
}
