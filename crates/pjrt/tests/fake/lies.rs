//! Contradictory results of the plugin: each is an error, or is ignored.

use fake_plugin::working::{Lie, Session};
use hloom_pjrt::{
    AlignedVec, Client, CompileOptions, Donation, Error, ExecuteOptions, Program, Result,
};
use hloom_test_support::CompileOwn;

use crate::{
    client,
    script::{ADD, STEPS},
};

/// Runs a test with a plugin that returns wrong results, and checks that nothing leaks.
fn with_lie(lie: Lie, test: impl FnOnce(Client)) {
    let session = Session::begin();
    let client = client(&session);
    session.lie(lie);
    test(client);
    session.assert_clean();
}

/// The message of an error that names the function.
fn assert_names<T: std::fmt::Debug>(outcome: Result<T>, function: &str) {
    let error = outcome.expect_err("the plugin lies");
    assert!(
        matches!(&error, Error::Call { function: named, .. } if *named == function),
        "{error:?}"
    );
}

#[test]
fn a_program_that_grows_while_it_is_read_ends_where_the_room_ends() {
    with_lie(Lie::ProgramGrows, |client| {
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        let first = add.executable().optimized_program().expect("it can be read");
        let second = add.executable().optimized_program().expect("it can be read");
        assert_eq!(
            second.code().len(),
            first.code().len() + 2,
            "each reads as much as the first call said"
        );
    });
}

#[test]
fn a_program_too_large_for_the_host_is_an_error_and_the_executable_runs() {
    with_lie(Lie::ProgramTooLarge, |client| {
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        let error = add.executable().optimized_program().expect_err("no host has that memory");
        assert!(error.to_string().contains(&usize::MAX.to_string()), "{error}");
        assert!(add.signature().is_none());
        let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
        let sum = add.execute(&[&a, &a], &ExecuteOptions::new()).expect("executes");
        assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [2.0, 4.0]);
    });
}

#[test]
fn results_that_are_described_wrongly_are_errors_of_the_compilation() {
    for (lie, message) in [
        (Lie::OutputTypesTooFew, "types of the results of a program: expected 1, found 0"),
        (Lie::OutputDimensionsNull, "dimensions of the results"),
        (Lie::OutputRanksOverflow, "dimensions of the results"),
    ] {
        with_lie(lie, |client| {
            let results = if lie == Lie::OutputRanksOverflow { "f32[2], f32[2]" } else { "f32[2]" };
            let program = format!("identity(f32[2], f32[2]) -> {results}");
            let error = client.compile_own(&Program::mlir(&program), &CompileOptions::new());
            let error = error.expect_err("the plugin lies").to_string();
            assert!(error.contains(message), "{lie:?}: {error}");
        });
    }
}

#[test]
fn results_that_are_null_are_an_error_that_names_the_function() {
    with_lie(Lie::ResultsNull, |client| {
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        let (a, b) = (client.buffer(&[1f32; 2], &[2]), client.buffer(&[1f32; 2], &[2]));
        let (a, b) = (a.expect("a buffer"), b.expect("a buffer"));
        let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
        assert_names(add.execute(&[&a, &b], &options), "PJRT_LoadedExecutable_Execute");
        assert!(a.is_donated(), "the execution took place");
        assert_eq!(b.to_vec::<f32>().expect("still there"), [1.0; 2]);
        assert_names(
            add.execute(&[&b, &b], &ExecuteOptions::new()),
            "PJRT_LoadedExecutable_Execute",
        );
    });
}

#[test]
fn completion_that_is_null_is_an_error_and_shared_memory_stays_in_use() {
    with_lie(Lie::CompletionNull, |client| {
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        let a = client.buffer(&[1f32; 2], &[2]).expect("a buffer");
        let outcome = add.execute_sharded(&[&[&a, &a]], &ExecuteOptions::new());
        assert_names(outcome, "PJRT_LoadedExecutable_Execute");
        let memory = AlignedVec::from_slice(&[1f32; 2]).expect("memory");
        let mut shared = client.shared_buffer(memory, &[2], None).expect("a buffer");
        assert_names(
            add.execute(&[shared.buffer(), &a], &ExecuteOptions::new()),
            "PJRT_LoadedExecutable_Execute",
        );
        let error = shared.write().expect_err("the execution may never end").to_string();
        assert!(error.contains("did not report"), "{error}");
        assert_eq!(*shared.read().expect("reading does no harm"), [1.0; 2]);
        assert!(shared.into_memory().is_err());
    });
}

#[test]
fn a_serialized_executable_without_bytes_is_an_error() {
    with_lie(Lie::SerializedNull, |client| {
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        assert_names(add.executable().serialize(), "PJRT_Executable_Serialize");
    });
}

#[test]
fn older_plugins_get_structs_of_their_size() {
    for minor in [54, 60, 66, 77, 83, 90, 104] {
        let session = Session::with_minor(minor);
        let client = client(&session);
        for (name, step) in STEPS {
            match step(&client) {
                Ok(()) => {}
                Err(Error::Unsupported { since, .. }) => {
                    assert!(since > u32::from(minor), "{minor} {name}")
                }
                Err(error) => panic!("{minor} {name}: {error}"),
            }
        }
        drop(client);
        session.assert_clean();
    }
}
