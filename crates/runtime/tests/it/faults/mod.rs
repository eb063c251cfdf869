//! Fails the n-th call of the plugin, for every n, on a plugin that is linked into the test.

use fake_plugin::working::{Fault, Session, may_be_silent};
use hloom_graph::{Spec, Tensor};
use hloom_pjrt::{Client, Plugin};
use hloom_runtime::{Buffer, Donated, Error, Platform, Result};

fn client(session: &Session) -> hloom_pjrt::Result<Client> {
    // SAFETY: the table lives as long as the process.
    unsafe { Plugin::register(&session.name(), session.table()) }?.client()
}

/// Transfers, compiles, binds, calls and reads back, on both devices.
fn run(session: &Session) -> Result<Vec<f32>> {
    let client = client(session)
        .map_err(|source| Error::Plugin { context: "a client".into(), source: Box::new(source) })?;
    let platform = Platform::from_client(client);
    // The plugin compiles any StableHLO to this program.
    session.program("add(f32[2], f32[2]) -> f32[2] alias 0");
    let add = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = platform.compile(add, (Donated(Spec::f32([2])), Spec::f32([2])))?;
    let x = Buffer::from_slice(&platform, &[1f32, 2.0], [2])?;
    let mut cache = Buffer::zeros(&platform, x.shape())?;
    cache = exe.call((cache, &x))?;
    cache = exe.call((cache, &x))?;
    let kept = exe.keep_donated().call((&cache, &x))?;
    session.program("add(f32[2], f32[2]) -> f32[2]");
    let plus = platform.compile(|a: Tensor, b: Tensor| a + b, (Spec::f32([2]), Spec::f32([2])))?;
    let plus = plus.bind(&x)?;
    let mut sum = plus.call((&kept,))?;
    plus.call_into((&cache,), &mut sum)?;
    let copy = sum.duplicate(&platform)?;
    copy.ready()?;
    copy.to_vec::<f32>()
}

/// Runs, and checks that nothing leaks.
fn run_clean(session: &Session) -> Result<Vec<f32>> {
    let outcome = run(session);
    session.destroy_spared();
    session.assert_clean();
    outcome
}

#[test]
fn whichever_call_fails_it_is_an_error_and_nothing_leaks() {
    let session = Session::begin();
    assert_eq!(run_clean(&session).expect("nothing goes wrong"), [3.0, 6.0]);
    let calls = session.calls_of(|| run(&session));
    let mut problems = Vec::new();
    for fault in [Fault::Error, Fault::NothingMade, Fault::EventsFail] {
        for (nth, name) in calls.iter().enumerate().filter(|(_, name)| fault.suits(name)) {
            let outcome = session.run_with(&[(nth, fault)], || run_clean(&session));
            let is_expected = match &outcome {
                Ok(Err(error)) => error.to_string().contains(name),
                // A buffer does not report an error that only the event of another call carries,
                // and the event of a launch reports no more than those of its results. Statistics
                // are optional.
                Ok(Ok(values)) => {
                    let is_silent = fault == Fault::EventsFail
                        && (session.faulted().is_empty()
                            || *name == "PJRT_LoadedExecutable_Execute")
                        || *name == "PJRT_Executable_GetCompiledMemoryStats"
                        || may_be_silent(name);
                    is_silent && *values == [3.0, 6.0]
                }
                Err(_) => false,
            };
            if !is_expected {
                problems.push(format!("{nth} {name} {fault:?}: {outcome:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn whichever_two_calls_fail_nothing_leaks() {
    let session = Session::begin();
    session.run_with_pairs(|| {
        if let Ok(values) = run_clean(&session) {
            assert_eq!(values, [3.0, 6.0]);
        }
    });
}

#[test]
fn a_program_with_other_results_than_its_graph_is_an_error() {
    let session = Session::begin();
    let client = client(&session).expect("nothing goes wrong");
    let platform = Platform::from_client(client);
    for (program, found) in [
        ("identity(f32[2], f32[2]) -> ", "0 results"),
        ("identity(f32[2], f32[2]) -> f32[2], f32[2]", "2 results"),
        ("identity(f32[2], f32[2]) -> f32[3]", "f32[3]"),
        ("identity(f32[2], f32[2]) -> s32[2]", "s32[2]"),
    ] {
        session.program(program);
        let compiled =
            platform.compile(|a: Tensor, b: Tensor| a + b, (Spec::f32([2]), Spec::f32([2])));
        let error = compiled.map(|_| ()).expect_err("the plugin lies").to_string();
        assert!(error.contains(found), "{program}: {error}");
    }
    drop(platform);
    session.assert_clean();
}
