//! Cases that would end the process if they went wrong: they run in a process of their own, with a
//! time limit.

use crate::client;
use hloom_pjrt::Client;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A name, and the test.
pub(crate) type Case<R = ()> = (&'static str, fn(&Client) -> R);

/// The longest that all cases of a table may take together.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the ignored `test`, which calls [`run`], in a process of its own.
pub(crate) fn expect_all<R>(test: &str, cases: &[Case<R>]) {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    let output = tempfile::tempfile().expect("a temporary file");
    let same = || output.try_clone().expect("a descriptor");
    command.stdout(Stdio::from(same())).stderr(Stdio::from(same()));
    let mut child = command.spawn().expect("the child runs");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is there") {
            break status.to_string();
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("the child runs");
            child.wait().expect("the child was killed");
            break format!("no end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = written(output);
    let done = text.lines().filter(|line| line.starts_with("done: ")).count();
    let passed = text.contains("1 passed");
    assert!(
        passed && done == cases.len(),
        "{status} after {done} cases of {}:\n{text}",
        cases.len()
    );
}

/// Runs the cases, one after the other, and checks their results.
pub(crate) fn run<R>(cases: &[Case<R>], check: impl Fn(R)) {
    let client = client();
    for (name, case) in cases {
        println!("case: {name}");
        // Printed even if the case ends the process.
        std::io::stdout().flush().expect("it is written");
        check(case(&client));
        println!("done: {name}");
    }
}

fn written(mut file: std::fs::File) -> String {
    use std::io::{Read, Seek};
    file.rewind().expect("a file can be rewound");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("it is read");
    String::from_utf8_lossy(&bytes).into_owned()
}
