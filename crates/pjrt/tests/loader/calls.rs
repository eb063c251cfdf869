//! Calls that fail.

use crate::copy;
use fake_plugin::{Count, Lies};
use hloom_pjrt::{Error, ErrorCode, PluginProblem, sys};

#[test]
fn a_plugin_that_cannot_start_says_why() {
    let copy =
        copy(Lies { fail: Some(("PJRT_Plugin_Initialize".to_owned(), 14)), ..Lies::default() });
    match copy.problem() {
        PluginProblem::Initialize(message) => {
            assert!(message.contains("PJRT_Plugin_Initialize fails as configured"), "{message}");
            assert!(message.contains("UNAVAILABLE"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(copy.count(Count::Errors), 0);
}

#[test]
fn attributes_may_be_unimplemented_but_not_fail() {
    let missing =
        copy(Lies { fail: Some(("PJRT_Plugin_Attributes".to_owned(), 12)), ..Lies::default() });
    assert!(missing.load().expect("attributes are optional").attributes().is_empty());
    let failing =
        copy(Lies { fail: Some(("PJRT_Plugin_Attributes".to_owned(), 13)), ..Lies::default() });
    match failing.load() {
        Err(Error::Call {
            function: "PJRT_Plugin_Attributes", code: ErrorCode::Internal, ..
        }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(missing.count(Count::Errors) + failing.count(Count::Errors), 0);
}

/// G16: every error code of the C API is in the error, with its message.
#[test]
fn every_code_and_message_arrives_and_no_error_leaks() {
    for code in [1, 2, 3, 7, 12, 16, 17, 99, -5] {
        let copy =
            copy(Lies { fail: Some(("PJRT_Client_Create".to_owned(), code)), ..Lies::default() });
        let error = copy.load().expect("only clients fail").client().expect_err("clients fail");
        assert_eq!(i32::from(error.code()), code);
        match &error {
            Error::Call { function, message, .. } => {
                assert_eq!(*function, "PJRT_Client_Create");
                assert_eq!(message, "PJRT_Client_Create fails as configured");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(copy.count(Count::Errors), 0);
    }
}

#[test]
fn an_error_that_has_neither_code_nor_message_is_still_an_error() {
    let fail = Some(("PJRT_Client_Create".to_owned(), 3));
    let copy = copy(Lies { mute: true, fail, ..Lies::default() });
    let error = copy.load().expect("only clients fail").client().expect_err("clients fail");
    assert!(
        matches!(
            error,
            Error::Call { code: ErrorCode::Unknown, ref message, .. } if message.is_empty()
        ),
        "{error:?}"
    );
    assert_eq!(copy.count(Count::Errors), 0, "the error about the error leaks");
}

#[test]
fn success_with_a_null_client_is_an_error() {
    let copy = copy(Lies { no_client: true, ..Lies::default() });
    let error = copy.load().expect("only clients lie").client().expect_err("there is no client");
    assert!(error.to_string().contains("null"), "{error}");
}

#[test]
fn whichever_call_fails_nothing_leaks() {
    let mut failed = 0;
    for function in sys::functions() {
        let lies = Lies { fail: Some((function.name.to_owned(), 8)), ..Lies::default() };
        let copy = copy(lies);
        // The client, if one can be made, is dropped here.
        if let Err(error) = copy.load().and_then(|plugin| plugin.client().map(drop)) {
            let message = error.to_string();
            assert!(message.contains(function.name), "{}: {message}", function.name);
            assert!(message.contains("RESOURCE_EXHAUSTED"), "{}: {message}", function.name);
            failed += 1;
        }
        assert_eq!(copy.count(Count::Errors), 0, "{}: an error leaks", function.name);
        // A client that cannot be destroyed stays.
        let clients = i64::from(function.name == "PJRT_Client_Destroy");
        assert_eq!(copy.count(Count::Clients), clients, "{}: a client leaks", function.name);
    }
    // Initialization, attributes, and the properties that a client reads.
    assert!(failed >= 6, "only {failed} functions were called");
}
