//! Cases that would end the process if they went wrong: they run in a process of their own, with a
//! time limit.

use crate::client;
use hloom_pjrt::Client;
use hloom_test_support::Child;
use std::{io::Write, time::Duration};

/// A name, and the test.
pub(crate) type Case<R = ()> = (&'static str, fn(&Client) -> R);

/// The longest that all cases of a table may take together.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the ignored `test`, which calls [`run`], in a process of its own.
pub(crate) fn expect_all<R>(test: &str, cases: &[Case<R>]) {
    let ended = Child::ignored(test).limit(LIMIT).run();
    let (status, text) = (ended.outcome(), ended.text());
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
