//! Tests in a process of their own: tests that may end the process, change it, or measure it.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{Read, Seek},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The variable that marks a process as the child of a test.
const ALONE: &str = "HLOOM_TEST_ALONE";

/// The default time limit of a child.
const LIMIT: Duration = Duration::from_secs(120);

/// Whether this process is the child of a test.
pub fn is_child() -> bool {
    std::env::var_os(ALONE).is_some()
}

/// Runs the calling test alone in a process of its own, where this returns true; elsewhere it
/// returns false after that process passed.
///
/// # Panics
/// The test fails there, or takes more than two minutes.
#[track_caller]
pub fn is_alone(test: &str) -> bool {
    if !is_child() {
        Child::test(test).run().passed();
        return false;
    }
    true
}

/// A test of this program, to be run alone in a process of its own.
#[derive(Debug)]
pub struct Child {
    arguments: Vec<String>,
    /// A shell command that is run before the test.
    setting: Option<String>,
    /// Variables to set, or with `None` to remove.
    variables: Vec<(OsString, Option<OsString>)>,
    limit: Duration,
}

/// A child that ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` if it was killed at its time limit.
    pub status: Option<ExitStatus>,
    /// The child's standard output.
    pub stdout: String,
    /// The child's standard error.
    pub stderr: String,
}

impl Child {
    /// A child that runs a test, by the path that `--exact` takes.
    pub fn test(test: &str) -> Child {
        let arguments = ["--exact", test, "--nocapture", "--test-threads=1"];
        let arguments = arguments.map(str::to_owned).to_vec();
        Child { arguments, setting: None, variables: Vec::new(), limit: LIMIT }
    }

    /// A child that runs a test marked as ignored.
    pub fn ignored(test: &str) -> Child {
        let mut child = Child::test(test);
        child.arguments.push("--ignored".to_owned());
        child
    }

    /// Runs this shell command before the test, such as `ulimit -c 0`.
    pub fn after(mut self, setting: &str) -> Child {
        self.setting = Some(setting.to_owned());
        self
    }

    /// Sets a variable in the child's environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Child {
        self.variables.push((name.into(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes a variable from the child's environment.
    pub fn env_remove(mut self, name: &str) -> Child {
        self.variables.push((name.into(), None));
        self
    }

    /// Sets the time limit, two minutes by default.
    pub fn limit(mut self, limit: Duration) -> Child {
        self.limit = limit;
        self
    }

    /// Runs it, and kills it at its time limit.
    ///
    /// # Panics
    /// No process can be started.
    #[track_caller]
    pub fn run(self) -> Ended {
        let program = std::env::current_exe().expect("the system knows this program");
        let mut command = match &self.setting {
            None => Command::new(program),
            Some(setting) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("{setting} && exec \"$0\" \"$@\"")]).arg(program);
                shell
            }
        };
        command.args(&self.arguments).env(ALONE, "1");
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Output goes to files, since a pipe that is not read would fill up.
        let [stdout, stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
        let same = |file: &File| Stdio::from(file.try_clone().expect("a descriptor"));
        command.stdout(same(&stdout)).stderr(same(&stderr));
        let mut child = command.spawn().expect("this program can be run");
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("the child is there") {
                Some(status) => break Some(status),
                None if start.elapsed() > self.limit => {
                    child.kill().expect("the child is there");
                    child.wait().expect("the child was killed");
                    break None;
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        Ended { status, stdout: written(stdout), stderr: written(stderr) }
    }
}

impl Ended {
    /// The standard output and the standard error.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// The outputs of a test that passed.
    ///
    /// # Panics
    /// The test failed.
    #[track_caller]
    pub fn passed(self) -> Ended {
        let passed = self.status.is_some_and(|status| status.success());
        // A misspelt name selects no test, which succeeds.
        assert!(passed && self.stdout.contains("1 passed"), "{}:\n{}", self.outcome(), self.text());
        self
    }

    /// The outcome, as text.
    pub fn outcome(&self) -> String {
        match self.status {
            Some(status) => status.to_string(),
            None => "no end within its time limit".to_owned(),
        }
    }
}

fn written(mut file: File) -> String {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("it is read");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_runs_once_more_alone() {
        if is_alone("child::tests::a_test_runs_once_more_alone") {
            assert!(is_child());
            assert_eq!(std::env::args().filter(|argument| argument == "--exact").count(), 1);
        }
    }

    #[test]
    fn output_and_environment_are_those_of_the_child() {
        let child = Child::ignored("child::tests::child_writes");
        let ended = child.after("echo first").env("HLOOM_TEST_FOLDER", "b").run().passed();
        assert!(ended.stdout.starts_with("first\n"), "{ended:?}");
        assert!(ended.stdout.contains(&"b".repeat(1 << 20)), "a pipe would have filled up");
        assert!(ended.stderr.contains("written"), "{ended:?}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn child_writes() {
        println!(
            "{}",
            std::env::var("HLOOM_TEST_FOLDER").expect("the parent set it").repeat(1 << 20)
        );
        eprintln!("written");
    }

    #[test]
    fn a_child_that_hangs_is_killed() {
        let child = Child::ignored("child::tests::child_hangs").limit(Duration::from_millis(300));
        let ended = child.run();
        assert_eq!((ended.status, &*ended.outcome()), (None, "no end within its time limit"));
        assert!(ended.stdout.contains("it begins"), "{ended:?}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn child_hangs() {
        println!("it begins");
        thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn failures_and_misspelt_names_do_not_pass() {
        for test in ["child::tests::child_fails", "child::tests::no_such_test"] {
            let passed = std::panic::catch_unwind(|| Child::ignored(test).run().passed());
            let message = passed.map(drop).expect_err(test);
            let message = message.downcast_ref::<String>().expect("a message");
            assert!(message.contains("exit status: "), "{message}");
        }
    }

    #[test]
    #[ignore = "run by the test above"]
    fn child_fails() {
        panic!("it fails");
    }
}
