//! Every test of the workspace, from a machine that may have nothing yet.

use std::{
    io::{BufRead, BufReader, IsTerminal, Write},
    process::{Command, Stdio},
};

use crate::{Result, browser, cargo, mount, setup};

/// The packages and features of the tests. Other features would build them anew.
pub const SET: [&str; 1] = ["--workspace"];

/// The options of `cargo test` that select targets, and the one that `--doc` refuses.
const SELECTIONS: [&str; 12] = [
    "--all-targets",
    "--bench",
    "--benches",
    "--bin",
    "--bins",
    "--doc",
    "--example",
    "--examples",
    "--lib",
    "--no-run",
    "--test",
    "--tests",
];

/// Sets up, installs `plugins`, and runs `cargo test` with `arguments`, then the tests that need
/// one of `plugins`, a browser if there is one, or disks if this process may mount them, which are
/// otherwise ignored: those of the packages that `arguments` name, or of the workspace.
///
/// # Errors
/// The set-up's; a test failed; or no test needs the plugins, the browser and the disks.
pub fn run(plugins: &[String], arguments: &[String]) -> Result {
    run_before(plugins, arguments, &String::new)
}

/// As [`run`], and prints `closing` once the tests have ended, before the sum of their counts.
///
/// # Errors
/// As for [`run`].
pub fn run_before(
    plugins: &[String],
    arguments: &[String],
    closing: &dyn Fn() -> String,
) -> Result {
    setup::run()?;
    for plugin in plugins {
        setup::ensure(plugin)?;
    }
    let packages = packages(arguments);
    let all = all(&packages, arguments);
    let has = |package| packages.is_empty() || packages.contains(&package);
    let mut needs: Vec<_> = plugins.iter().map(|plugin| format!("plugin_{plugin}_")).collect();
    if has(browser::PACKAGE) && browser::is_installed() {
        needs.push(browser::TESTS.to_owned());
    }
    if has(mount::PACKAGE) && mount::is_allowed() {
        needs.push(mount::TESTS.to_owned());
    }
    let ignored = ignored(needs, &packages);
    if !std::io::stdout().is_terminal() {
        return run_counted(all, ignored, closing, &mut std::io::stdout().lock());
    }
    let outcome = all.into_iter().chain(ignored).try_for_each(cargo::run);
    print!("\n{}", closing());
    outcome
}

/// The commands that run the tests of `packages`, or of the workspace.
fn all(packages: &[&str], arguments: &[String]) -> Vec<Command> {
    // All targets run, so that one log shows all failures of a machine that may be out of reach.
    let command = |targets: &[&str]| {
        let mut command = cargo::command(&["test", "--no-fail-fast"]);
        if packages.is_empty() {
            command.args(SET);
        }
        command.args(targets).args(arguments);
        command
    };
    // Without a selection cargo links every example as well, though no test program needs one that
    // it does not build itself.
    let selects = |word: &str| {
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        SELECTIONS.contains(&option)
    };
    if !packages.is_empty() || words(arguments).any(selects) {
        return vec![command(&[])];
    }
    vec![command(&["--tests"]), command(&["--doc"])]
}

/// The words of cargo, without those of the test programs, which follow `--`.
fn words(arguments: &[String]) -> impl Iterator<Item = &str> {
    arguments.iter().map(String::as_str).take_while(|word| *word != "--")
}

/// The packages that arguments of `cargo test` select.
fn packages(arguments: &[String]) -> Vec<&str> {
    let mut words = words(arguments);
    let mut packages = Vec::new();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--package").or_else(|| word.strip_prefix("-p"));
        match name {
            Some("") => packages.extend(words.next()),
            Some(name) => packages.push(name.trim_start_matches('=')),
            None => {}
        }
    }
    packages
}

/// The tests of `packages`, or of the workspace, that need a plugin, a browser or disks, which
/// their names contain: `plugin_tpu_compiles_for_devices_that_are_not_here`.
fn ignored(names: Vec<String>, packages: &[&str]) -> Option<Command> {
    if names.is_empty() {
        return None;
    }
    let mut command = cargo::command(&["test", "--no-fail-fast"]);
    if packages.is_empty() {
        command.args(SET);
    }
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(["--test", "*", "--", "--ignored"]).args(names);
    if std::env::var_os("TPU_SKIP_MDS_QUERY").is_none() {
        // Elsewhere than on a TPU machine, libtpu searches minutes for a metadata server.
        command.env("TPU_SKIP_MDS_QUERY", "1");
    }
    Some(command)
}

/// Passes the output on as it arrives, followed by the sum of its summaries, since the last lines
/// of a log are read first. `ignored` runs tests that `all` ignored.
fn run_counted(
    all: Vec<Command>,
    ignored: Option<Command>,
    closing: &dyn Fn() -> String,
    out: &mut dyn Write,
) -> Result {
    let mut total = Total::default();
    let mut outcome = Ok(());
    for command in all {
        outcome = outcome.and(pass_on(command, &mut total, out)?);
    }
    if let (Ok(()), Some(command)) = (&outcome, ignored) {
        let line = cargo::line(&command);
        let mut own = Total::default();
        outcome = pass_on(command, &mut own, out)?;
        if outcome.is_ok() && own.passed == 0 {
            outcome = Err(format!("`{line}` ran no test: none needs these"));
        }
        total.passed += own.passed;
        total.failed += own.failed;
        total.ignored = total.ignored.saturating_sub(own.passed + own.failed);
    }
    let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
    let Total { programs, passed, failed, ignored } = total;
    writeln!(
        out,
        "\n{}all {programs} test programs\ntest result: {verdict}. {passed} passed; {failed} \
         failed; {ignored} ignored",
        closing()
    )
    .map_err(|error| format!("cannot write the sum: {error}"))?;
    outcome
}

/// Passes the output of a command on, and sums its summaries. The inner result is the command's
/// own.
fn pass_on(mut command: Command, total: &mut Total, out: &mut dyn Write) -> Result<Result> {
    let line = cargo::line(&command);
    let failed = |error| format!("cannot run `{line}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    for text in child.stdout.take().into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n')) {
        let text = text.map_err(failed)?;
        total.add(&String::from_utf8_lossy(&text));
        out.write_all(&text).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
    }
    let status = child.wait().map_err(failed)?;
    Ok(if status.success() { Ok(()) } else { Err(format!("`{line}` ended with {status}")) })
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
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
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
            "test result: ok. 7 passed; 0 failed; 2 ignored; 0 measured; 1 filtered out; finished \
             in 0.00s",
            "test a::b ... ok",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; \
             finished in 1.00s",
            "a line that quotes test result: ok. 100 passed; 0 failed",
        ] {
            total.add(line);
        }
        assert_eq!(total, Total { programs: 2, passed: 10, failed: 1, ignored: 2 });
    }

    #[test]
    fn output_is_passed_on_and_a_failure_stays_one() {
        let (result, out) = counted(&["echo 'test result: ok. 1 passed; 0 failed'"], None);
        assert_eq!(result, Ok(()));
        assert_eq!(
            out,
            "test result: ok. 1 passed; 0 failed\n\nclosing\nall 1 test programs\ntest result: ok. 1 \
             passed; 0 failed; 0 ignored\n"
        );
        let (result, out) = counted(&["echo a; exit 3", "echo c"], Some("echo b"));
        assert!(result.unwrap_err().contains("exit status: 3"));
        assert!(
            out.starts_with("a\nc\n\n") && out.contains("test result: FAILED. 0 passed"),
            "{out}"
        );
    }

    #[test]
    fn tests_that_were_ignored_count_once_they_have_run() {
        let all = &["echo 'test result: ok. 5 passed; 0 failed; 4 ignored'"];
        let (result, out) =
            counted(all, Some("echo 'test result: ok. 3 passed; 0 failed; 0 ignored'"));
        assert_eq!(result, Ok(()));
        assert!(
            out.ends_with("all 1 test programs\ntest result: ok. 8 passed; 0 failed; 1 ignored\n"),
            "{out}"
        );
        let (result, out) =
            counted(all, Some("echo 'test result: FAILED. 2 passed; 1 failed'; exit 1"));
        assert!(result.is_err() && out.contains("FAILED. 7 passed; 1 failed; 1 ignored"), "{out}");
        let (result, out) = counted(all, Some("echo 'test result: ok. 0 passed; 0 failed'"));
        assert!(result.unwrap_err().contains("ran no test"));
        assert!(out.contains("FAILED. 5 passed"), "{out}");
    }

    #[test]
    fn tests_of_plugins_and_browsers_are_asked_for_by_their_names() {
        let line = |names: &[&str], packages: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            ignored(names, packages).map(|command| cargo::line(&command))
        };
        let both = line(&["plugin_cuda13_", "plugin_tpu_"], &[]).unwrap();
        let expected = "--workspace --test * -- --ignored plugin_cuda13_ plugin_tpu_";
        assert!(both.ends_with(expected), "{both}");
        let some = line(&["plugin_tpu_", browser::TESTS], &["a", "b"]).unwrap();
        let expected = "--package a --package b --test * -- --ignored plugin_tpu_ browser_";
        assert!(some.ends_with(expected), "{some}");
        assert_eq!(line(&[], &[]), None);
    }

    fn arguments(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn examples_are_linked_only_where_they_are_selected() {
        let lines = |text: &str| {
            let arguments = arguments(text);
            let commands = all(&packages(&arguments), &arguments);
            commands.iter().map(cargo::line).collect::<Vec<_>>().join("; ")
        };
        let begin = "cargo test --no-fail-fast";
        assert_eq!(
            lines("name"),
            format!("{begin} --workspace --tests name; {begin} --workspace --doc name")
        );
        assert_eq!(lines("-p a name"), format!("{begin} -p a name"));
        assert_eq!(lines("--test=it -- --lib"), format!("{begin} --workspace --test=it -- --lib"));
        assert_eq!(lines("-- --lib").matches("--tests -- --lib").count(), 1);
        assert_eq!(lines("--no-run"), format!("{begin} --workspace --no-run"));
    }

    #[test]
    fn packages_are_named_as_cargo_takes_them() {
        let named = |line: &str| packages(&arguments(line)).join(" ");
        assert_eq!(named("-p a --package b -pc --package=d -p=e --test it"), "a b c d e");
        assert_eq!(named("--test it -- -p a"), "");
        assert_eq!(named("--profile release name"), "");
    }

    fn counted(all: &[&str], ignored: Option<&str>) -> (Result, String) {
        let sh = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let mut out = Vec::new();
        let result = run_counted(
            all.iter().map(|all| sh(all)).collect(),
            ignored.map(sh),
            &|| "closing\n".into(),
            &mut out,
        );
        (result, String::from_utf8(out).unwrap())
    }
}
