//! The Llama example, for newcomers.

use std::{path::Path, process::Command};

use crate::{Result, cargo, setup};

/// Installs the CPU plugin where it is missing, then runs the Llama example with `arguments`.
///
/// The example is built by the package `hloom-llama`: building it needs only Rust.
///
/// # Errors
/// The plugin cannot be installed, or the example failed.
pub fn run(arguments: &[String]) -> Result {
    setup::plugin()?;
    cargo::run(command(&cargo::workspace(), arguments))
}

/// The command that builds and runs the example, in the folder `root`.
fn command(root: &Path, arguments: &[String]) -> Command {
    let mut command = cargo::command(&["run", "--release", "--package", "hloom-llama"]);
    if model(arguments).is_some_and(|model| is_name(root, model)) {
        command.args(["--features", "hub"]);
    }
    command.arg("--");
    match arguments {
        // Without arguments, the example writes a story.
        [] => command.args(["--prompt", "Tell me a story.", "--stats", "text"]),
        arguments => command.args(arguments),
    };
    command
}

/// The value of `--model`.
fn model(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--model" {
            return arguments.next().map(String::as_str);
        }
        if let Some(model) = argument.strip_prefix("--model=") {
            return Some(model);
        }
    }
    None
}

/// Whether `model` is a name on a hub, `owner/name`, rather than a folder: only then must the
/// example be able to download.
fn is_name(root: &Path, model: &str) -> bool {
    let has_owner = model.split_once('/').is_some_and(|(owner, name)| {
        !owner.is_empty() && !owner.starts_with('.') && !name.is_empty()
    });
    has_owner && !root.join(model).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        cargo::line(&command(&cargo::workspace(), &arguments))
    }

    #[test]
    fn only_a_model_by_name_is_built_with_downloads() {
        const FOLDER: &str = "run --release --package hloom-llama -- ";
        const NAME: &str = "run --release --package hloom-llama --features hub -- ";
        for (arguments, expected) in [
            (&["--prompt", "a/b"][..], FOLDER),
            (&["--model", "examples/llama/story"], FOLDER),
            (&["--model=./gone/model"], FOLDER),
            (&["--model", "/gone/model"], FOLDER),
            (&["--model", "gone"], FOLDER),
            (&["--model"], FOLDER),
            (&["--model", "owner/name"], NAME),
            (&["--prompt", "Once", "--model=owner/name@main"], NAME),
        ] {
            let line = line(arguments);
            let told = format!("{expected}{}", arguments.join(" "));
            assert!(line.ends_with(&told), "{line}\n{told}");
        }
        assert!(line(&[]).contains(FOLDER), "{}", line(&[]));
    }
}
