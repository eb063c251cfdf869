//! Generated hostile programs: in a sandbox their caller sees results and errors; without one they
//! end or block their process.

use super::{generator::HostileKind, started};
use hloom_pjrt::{CompileOptions, ExecuteOptions, Program};
use hloom_sandbox::{Argument, Error, Limits, Session};
use hloom_test_support::{Child, CompileOwn, client};
use std::{env, os::unix::process::ExitStatusExt, time::Duration};

/// The number of programs of each kind, instead of a few.
const COUNT: &str = "HLOOM_TEST_HOSTILE_PROGRAMS";

/// The kind and the seed of the program of a child.
const PROGRAM: &str = "HLOOM_TEST_HOSTILE_PROGRAM";

const LIMITS: Limits = Limits {
    memory: 2 << 30,
    threads: 1000,
    start: Duration::from_secs(60),
    compile: Duration::from_secs(2),
    bind: Duration::from_secs(2),
    call: Duration::from_secs(2),
};

/// Compiles a program and calls it with zeros.
fn run(session: &Session, text: &str) -> Result<(), Error> {
    let program = session.compile(text.as_bytes(), &CompileOptions::new())?;
    let parameters = &program.description().parameters;
    let arguments: Vec<Vec<u8>> = parameters.iter().map(|one| vec![0; one.bytes]).collect();
    let arguments: Vec<_> = arguments.iter().map(|bytes| Argument::Bytes(bytes)).collect();
    program.call(&arguments).map(drop)
}

#[test]
fn each_returns_a_result_or_an_error() {
    let count = env::var(COUNT).map_or(4, |count| count.parse().expect("a number"));
    for kind in HostileKind::ALL {
        let mut session = started(LIMITS);
        let [mut results, mut errors, mut ended] = [0; 3];
        for seed in 0..count {
            let program = kind.program(seed);
            let mut outcome = run(&session, &program);
            if matches!(outcome, Err(Error::Dead(_))) {
                // The program before broke the memory of its child, which ended as it was freed.
                ended += 1;
                session = started(LIMITS);
                outcome = run(&session, &program);
            }
            match outcome {
                Ok(()) => results += 1,
                Err(Error::Plugin { .. } | Error::TooLarge { .. }) => errors += 1,
                Err(Error::Ended { .. } | Error::TimeLimit { .. } | Error::ThreadLimit { .. }) => {
                    ended += 1;
                    session = started(LIMITS);
                }
                Err(error) => panic!("{kind:?} {seed}: {error}"),
            }
        }
        println!("{kind:?}: {results} results, {errors} errors, {ended} children ended");
        assert!(kind != HostileKind::Feed || errors == count, "feeds are refused");
    }
}

#[test]
#[ignore = "takes minutes: cargo test -p hloom-sandbox --test it -- --ignored without_a_sandbox"]
fn without_a_sandbox_they_end_their_process() {
    let mut signals = 0;
    for kind in HostileKind::ALL {
        let count = if kind == HostileKind::Feed { 20 } else { 100 };
        let mut ended = 0;
        for seed in 0..count {
            let child = Child::ignored("generated::runs_unprotected");
            let child = child.env(PROGRAM, format!("{kind:?} {seed}")).after("ulimit -c 0");
            match child.limit(Duration::from_secs(2)).run().status {
                None => ended += 1,
                Some(status) if status.signal().is_some() => {
                    ended += 1;
                    signals += 1;
                }
                Some(_) => {}
            }
        }
        println!("{kind:?}: {ended} of {count} ended by a signal or the limit");
        assert!(ended >= 5, "{kind:?}: {ended} of {count}");
    }
    println!("{signals} by a signal");
    assert!(signals >= 50, "{signals}");
}

#[test]
#[ignore = "run by the test above"]
fn runs_unprotected() {
    let program = env::var(PROGRAM).expect("the parent set it");
    let (kind, seed) = program.split_once(' ').expect("kind and seed");
    let kind = HostileKind::ALL.into_iter().find(|one| format!("{one:?}") == kind).expect("a kind");
    let text = kind.program(seed.parse().expect("a number"));
    let client = client(1);
    let code = Program::mlir(&text);
    let Ok(program) = client.compile_own(&code, &CompileOptions::new()) else { return };
    let Some(signature) = program.signature() else { return };
    let zeros = signature.parameters().iter().map(|spec| {
        let bytes = vec![0; spec.host_bytes().expect("a size")];
        client.host_buffer(spec.dtype(), spec.dims()).copy(&bytes).expect("a buffer")
    });
    let zeros: Vec<_> = zeros.collect();
    let arguments: Vec<_> = zeros.iter().collect();
    if let Ok(results) = program.execute(&arguments, &ExecuteOptions::new()) {
        for result in results {
            let _ = result.to_bytes();
        }
    }
}
