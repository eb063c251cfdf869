//! The function table: its version, its size, its pointers.

use crate::copy;
use fake_plugin::Lies;
use hloom_pjrt::{ErrorCode, PluginProblem, sys};

#[test]
fn a_null_table_is_refused() {
    let copy = copy(Lies { no_table: true, ..Lies::default() });
    assert_eq!(copy.problem(), PluginProblem::NullApi);
    // A refused plugin is refused again.
    assert_eq!(copy.problem(), PluginProblem::NullApi);
}

#[test]
fn another_major_version_is_refused() {
    for major in [1, -1, i32::MAX] {
        let copy = copy(Lies { major: Some(major), minor: Some(3), ..Lies::default() });
        assert_eq!(copy.problem(), PluginProblem::Major { major, minor: 3, expected: 0 });
        let message = copy.load().expect_err("refused").to_string();
        assert!(
            message.contains(&format!("{major}.3")) && message.contains("expected major version 0"),
            "{message}"
        );
    }
}

#[test]
fn minor_versions_that_cannot_be_trusted_are_refused() {
    for minor in [-1, 0, 40, 53, 56] {
        let copy = copy(Lies { minor: Some(minor), ..Lies::default() });
        assert!(
            matches!(copy.problem(), PluginProblem::Minor { minor: found, .. } if found == minor),
            "{minor}"
        );
    }
    for minor in [54, 55, 57, 81, 115, 116, 117, 1000] {
        let copy = copy(Lies { minor: Some(minor), ..Lies::default() });
        assert_eq!(copy.load().expect("supported").version(), (0, minor));
    }
}

#[test]
fn a_table_smaller_than_its_version_is_refused() {
    for size in [0, 8, 24, 39, 40, 48, 500, 807] {
        let copy = copy(Lies { table_size: Some(size), minor: Some(54), ..Lies::default() });
        let problem = copy.problem();
        assert!(
            matches!(
                problem,
                PluginProblem::ApiTooSmall { found, least } if found == size && least > size
            ),
            "{size}: {problem:?}"
        );
    }
}

#[test]
fn a_table_that_ends_early_lacks_what_is_beyond_its_end() {
    // Says 0.116 but is as long as one of 0.89: the size is what counts.
    let copy = copy(Lies { table_size: Some(1064), ..Lies::default() });
    let plugin = copy.load().expect("old enough functions are there");
    assert!(plugin.api().has::<sys::PJRT_Event_Set_Args>());
    assert!(!plugin.api().has::<sys::PJRT_Device_GetAttributes_Args>());
    assert_eq!(plugin.api().functions().count(), 128);
}

#[test]
fn a_table_of_the_future_is_accepted_and_one_beyond_reason_is_not() {
    let future = copy(Lies { minor: Some(130), ..Lies::default() });
    let plugin = future.load().expect("newer plugins only add");
    assert_eq!(plugin.version(), (0, 130));
    assert_eq!(plugin.api().functions().count(), 138);
    let huge = copy(Lies { table_size: Some(usize::MAX), ..Lies::default() });
    assert!(matches!(huge.problem(), PluginProblem::ApiTooLarge { found: usize::MAX, .. }));
}

#[test]
fn a_version_that_does_not_cover_itself_is_refused() {
    for size in [0, 23] {
        let copy = copy(Lies { version_size: Some(size), ..Lies::default() });
        assert_eq!(copy.problem(), PluginProblem::VersionTooSmall { found: size, least: 24 });
    }
}

#[test]
fn a_null_function_is_an_error_that_names_it() {
    let essential = [
        "PJRT_Error_Destroy",
        "PJRT_Error_Message",
        "PJRT_Client_Create",
        "PJRT_LoadedExecutable_Execute",
    ];
    for name in essential {
        let copy = copy(Lies { null: Some(name.to_owned()), ..Lies::default() });
        assert_eq!(copy.problem(), PluginProblem::NullFunction(name));
    }
}

#[test]
fn an_optional_function_that_is_null_or_too_new_is_unsupported_when_it_is_called() {
    let lies = Lies { null: Some("PJRT_Buffer_Bitcast".to_owned()), ..Lies::default() };
    let copies = [
        (copy(lies), "leaves it out"),
        (copy(Lies { minor: Some(97), ..Lies::default() }), "newer plugin"),
    ];
    for (copy, advice) in copies {
        let api = copy.load().expect("the function is optional").api();
        assert!(!api.has::<sys::PJRT_Buffer_Bitcast_Args>());
        let mut args = api.zeroed::<sys::PJRT_Buffer_Bitcast_Args>();
        // SAFETY: the function is not there.
        let error = unsafe { api.call(&mut args) }.expect_err("it is not there");
        let message = error.to_string();
        assert!(message.contains("PJRT_Buffer_Bitcast") && message.contains("0.98"), "{message}");
        assert!(message.contains(advice), "{message}");
        assert_eq!(error.code(), ErrorCode::Unimplemented);
    }
}
