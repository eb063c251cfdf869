//! Every test of the workspace, from a machine that may have nothing yet.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::{Result, cargo, setup};

/// Sets up, installs `plugins`, and runs `cargo test` with `arguments`.
///
/// # Errors
/// The set-up's, or a test failed.
pub fn run(plugins: &[String], arguments: &[String]) -> Result {
    setup::run()?;
    for plugin in plugins {
        setup::ensure(plugin)?;
    }
    let mut command = cargo::command(&["test", "--workspace"]);
    command.args(arguments);
    if !plugins.is_empty() {
        command.env("HLOOM_TEST_PLUGINS", plugins.join(","));
        if std::env::var_os("TPU_SKIP_MDS_QUERY").is_none() {
            // Elsewhere than on a TPU machine, libtpu asks minutes for a metadata server.
            command.env("TPU_SKIP_MDS_QUERY", "1");
        }
    }
    match std::io::stdout().is_terminal() {
        true => cargo::run(command),
        false => run_counted(command, &mut std::io::stdout().lock()),
    }
}

/// Passes the output on as it comes, and closes it with the sum of its summaries: in a log the
/// last lines are what is read.
fn run_counted(mut command: Command, out: &mut dyn Write) -> Result {
    let line = cargo::line(&command);
    let failed = |error| format!("cannot run `{line}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut total = Total::default();
    for text in child
        .stdout
        .take()
        .into_iter()
        .flat_map(|pipe| BufReader::new(pipe).split(b'\n'))
    {
        let text = text.map_err(failed)?;
        total.add(&String::from_utf8_lossy(&text));
        out.write_all(&text)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(failed)?;
    }
    let status = child.wait().map_err(failed)?;
    let verdict = if status.success() { "ok" } else { "FAILED" };
    let Total {
        programs,
        passed,
        failed: broken,
        ignored,
    } = total;
    writeln!(
        out,
        "\nall {programs} test programs\ntest result: {verdict}. {passed} passed; {broken} failed; {ignored} ignored"
    )
    .map_err(failed)?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{line}` ended with {status}")),
    }
}

/// Sum of the summaries that test programs print.
#[derive(Debug, Default, PartialEq, Eq)]
struct Total {
    programs: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Total {
    /// Adds a line of output, if it is a summary.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.programs += 1;
        for count in counts.split(';') {
            let mut words = count.split_whitespace();
            let number: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            match words.next() {
                Some("passed") => self.passed += number,
                Some("failed") => self.failed += number,
                Some("ignored") => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_added_up_and_other_lines_are_not() {
        let mut total = Total::default();
        for line in [
            "test result: ok. 7 passed; 0 failed; 2 ignored; 0 measured; 1 filtered out; finished in 0.00s",
            "test a::b ... ok",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "a line that quotes test result: ok. 100 passed; 0 failed",
        ] {
            total.add(line);
        }
        assert_eq!(
            total,
            Total {
                programs: 2,
                passed: 10,
                failed: 1,
                ignored: 2
            }
        );
    }

    #[test]
    fn output_is_passed_on_and_a_failure_stays_one() {
        let sh = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let mut out = Vec::new();
            let result = run_counted(command, &mut out);
            (result, String::from_utf8(out).unwrap())
        };
        let (result, out) = sh("echo 'test result: ok. 1 passed; 0 failed'");
        assert_eq!(result, Ok(()));
        assert_eq!(
            out,
            "test result: ok. 1 passed; 0 failed\n\nall 1 test programs\ntest result: ok. 1 passed; 0 failed; 0 ignored\n"
        );
        let (result, out) = sh("echo a; exit 3");
        assert!(result.unwrap_err().contains("exit status: 3"));
        assert!(
            out.starts_with("a\n") && out.contains("test result: FAILED. 0 passed"),
            "{out}"
        );
    }
}
