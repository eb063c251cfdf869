//! Plugins that lie: each lie is a distinct error that names the file, what was expected and found.

use std::path::{Path, PathBuf};

use fake_plugin::{Count, FfiForm, Lies};
use hloom_pjrt::extension::ffi::{CallFrame, Handler, HandlerError, Handlers};
use hloom_pjrt::{Error, ErrorCode, Plugin, PluginProblem, sys};
use tempfile::TempDir;

/// A copy of the fake plugin under the name that makes it lie.
struct Copy {
    path: PathBuf,
    _folder: TempDir,
}

/// The plugin as cargo built it: dependencies of a test lie beside the test.
fn original() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let name = format!(
        "{}fake_plugin{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    test.with_file_name(name)
}

fn copy(lies: Lies) -> Copy {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // The loader names files by their real path.
    let path = folder
        .path()
        .canonicalize()
        .expect("the folder was just made")
        .join(lies.file_name());
    std::fs::copy(original(), &path).expect("the fake plugin was built");
    Copy { path, _folder: folder }
}

impl Copy {
    fn load(&self) -> Result<Plugin, Error> {
        Plugin::load(&self.path)
    }

    /// Why the loader refuses the copy. The message must name the file.
    fn problem(&self) -> PluginProblem {
        problem(&self.path)
    }

    /// Reads a counter of the copy, which must have been loaded.
    fn count(&self, count: Count) -> i64 {
        // SAFETY: the library is loaded already; its symbol has this type.
        unsafe {
            let library = libloading::Library::new(&self.path).expect("loaded before");
            let read = library
                .get::<extern "C" fn(Count) -> i64>(b"fake_plugin_count")
                .expect("exported");
            read(count)
        }
    }
}

fn problem(path: &Path) -> PluginProblem {
    let error = Plugin::load(path).expect_err("the plugin lies");
    let message = error.to_string();
    assert!(
        message.contains(&path.display().to_string()),
        "does not name the file: {message}"
    );
    match error {
        Error::Plugin { path: named, problem } => {
            assert_eq!(named, path);
            problem
        }
        other => panic!("expected a problem of the file, found {other:?}"),
    }
}

#[test]
fn an_honest_plugin_loads() {
    let copy = copy(Lies::default());
    let plugin = copy.load().expect("it does not lie");
    assert_eq!(plugin.version(), (0, 116));
    assert_eq!(plugin.path(), Some(copy.path.as_path()));
    assert!(plugin.attributes().is_empty());
    assert_eq!(plugin.stablehlo_current_version(), None);
    assert_eq!(plugin.api().functions().count(), 138);
    assert!(plugin.api().extensions().is_empty());
}

#[test]
fn a_file_is_one_plugin_whatever_it_is_called() {
    let copy = copy(Lies::default());
    let plugin = copy.load().expect("it does not lie");
    assert_eq!(copy.load().expect("loaded before"), plugin);
    let link = copy.path.with_file_name("other.so");
    std::os::unix::fs::symlink(&copy.path, &link).expect("the folder is ours");
    assert_eq!(Plugin::load(&link).expect("the same file"), plugin);
    let hard = copy.path.with_file_name("hard.so");
    std::fs::hard_link(&copy.path, &hard).expect("the folder is ours");
    assert_eq!(Plugin::load(&hard).expect("the same file"), plugin);
}

#[test]
fn what_is_no_library_is_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    assert_eq!(problem(&folder.path().join("none.so")), PluginProblem::Missing);
    assert_eq!(problem(folder.path()), PluginProblem::NotAFile);
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").expect("the folder is ours");
    assert!(matches!(problem(&text), PluginProblem::NotALibrary(_)));
    let cut = folder.path().join("cut.so");
    let bytes = std::fs::read(original()).expect("the fake plugin was built");
    std::fs::write(&cut, &bytes[..4096.min(bytes.len() / 2)]).expect("the folder is ours");
    assert!(matches!(
        problem(&cut),
        PluginProblem::NotALibrary(_) | PluginProblem::NoSymbol | PluginProblem::Loader(_)
    ));
    assert!(matches!(
        problem(&std::env::current_exe().expect("a test has a file")),
        PluginProblem::NotALibrary(_) | PluginProblem::NoSymbol | PluginProblem::Loader(_)
    ));
}

#[test]
fn a_plugin_without_the_symbol_is_refused() {
    let copy = copy(Lies::default());
    let mut bytes = std::fs::read(&copy.path).expect("just copied");
    let places: Vec<usize> = bytes
        .windows(10)
        .enumerate()
        .filter(|(_, window)| *window == b"GetPjrtApi")
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 10].copy_from_slice(b"GetPjrtXpi");
    }
    std::fs::write(&copy.path, bytes).expect("the folder is ours");
    assert_eq!(copy.problem(), PluginProblem::NoSymbol);
}

#[test]
fn a_null_table_is_refused() {
    let copy = copy(Lies {
        no_table: true,
        ..Lies::default()
    });
    assert_eq!(copy.problem(), PluginProblem::NullApi);
    // A refused plugin is refused again.
    assert_eq!(copy.problem(), PluginProblem::NullApi);
}

#[test]
fn another_major_version_is_refused() {
    for major in [1, -1, i32::MAX] {
        let copy = copy(Lies {
            major: Some(major),
            minor: Some(3),
            ..Lies::default()
        });
        assert_eq!(
            copy.problem(),
            PluginProblem::Major {
                major,
                minor: 3,
                expected: 0
            }
        );
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
        let copy = copy(Lies {
            minor: Some(minor),
            ..Lies::default()
        });
        assert!(
            matches!(copy.problem(), PluginProblem::Minor { minor: found, .. } if found == minor),
            "{minor}"
        );
    }
    for minor in [54, 55, 57, 81, 115, 116, 117, 1000] {
        let copy = copy(Lies {
            minor: Some(minor),
            ..Lies::default()
        });
        assert_eq!(copy.load().expect("supported").version(), (0, minor));
    }
}

#[test]
fn a_table_smaller_than_its_version_is_refused() {
    for size in [0, 8, 24, 39, 40, 48, 500, 807] {
        let copy = copy(Lies {
            table_size: Some(size),
            minor: Some(54),
            ..Lies::default()
        });
        let problem = copy.problem();
        assert!(
            matches!(problem, PluginProblem::ApiTooSmall { found, least } if found == size && least > size),
            "{size}: {problem:?}"
        );
    }
}

#[test]
fn a_table_that_ends_early_lacks_what_is_beyond_its_end() {
    // Says 0.116 but is as long as one of 0.89: the size is what counts.
    let copy = copy(Lies {
        table_size: Some(1064),
        ..Lies::default()
    });
    let plugin = copy.load().expect("old enough functions are there");
    assert!(plugin.api().has::<sys::PJRT_Event_Set_Args>());
    assert!(!plugin.api().has::<sys::PJRT_Device_GetAttributes_Args>());
    assert_eq!(plugin.api().functions().count(), 128);
}

#[test]
fn a_table_of_the_future_is_accepted_and_one_beyond_reason_is_not() {
    let future = copy(Lies {
        minor: Some(130),
        ..Lies::default()
    });
    let plugin = future.load().expect("newer plugins only add");
    assert_eq!(plugin.version(), (0, 130));
    assert_eq!(plugin.api().functions().count(), 138);
    let huge = copy(Lies {
        table_size: Some(usize::MAX),
        ..Lies::default()
    });
    assert!(matches!(
        huge.problem(),
        PluginProblem::ApiTooLarge { found: usize::MAX, .. }
    ));
}

#[test]
fn a_version_that_does_not_cover_itself_is_refused() {
    for size in [0, 23] {
        let copy = copy(Lies {
            version_size: Some(size),
            ..Lies::default()
        });
        assert_eq!(
            copy.problem(),
            PluginProblem::VersionTooSmall { found: size, least: 24 }
        );
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
        let copy = copy(Lies {
            null: Some(name.to_owned()),
            ..Lies::default()
        });
        assert_eq!(copy.problem(), PluginProblem::NullFunction(name));
    }
}

#[test]
fn an_optional_function_that_is_null_or_too_new_is_unsupported_when_it_is_called() {
    let lies = Lies {
        null: Some("PJRT_Buffer_Bitcast".to_owned()),
        ..Lies::default()
    };
    let copies = [
        (copy(lies), "leaves it out"),
        (
            copy(Lies {
                minor: Some(97),
                ..Lies::default()
            }),
            "newer plugin",
        ),
    ];
    for (copy, advice) in copies {
        let api = copy.load().expect("the function is optional").api();
        assert!(!api.has::<sys::PJRT_Buffer_Bitcast_Args>());
        let mut args = api.zeroed::<sys::PJRT_Buffer_Bitcast_Args>();
        // SAFETY: the function is not there.
        let error = unsafe { api.call(&mut args) }.expect_err("it is not there");
        let message = error.to_string();
        assert!(
            message.contains("PJRT_Buffer_Bitcast") && message.contains("0.98"),
            "{message}"
        );
        assert!(message.contains(advice), "{message}");
        assert_eq!(error.code(), ErrorCode::Unimplemented);
    }
}

#[test]
fn a_plugin_that_cannot_start_says_why() {
    let copy = copy(Lies {
        fail: Some(("PJRT_Plugin_Initialize".to_owned(), 14)),
        ..Lies::default()
    });
    match copy.problem() {
        PluginProblem::Initialize(message) => {
            assert!(
                message.contains("PJRT_Plugin_Initialize fails as it was told to"),
                "{message}"
            );
            assert!(message.contains("UNAVAILABLE"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(copy.count(Count::Errors), 0);
}

#[test]
fn attributes_may_be_unimplemented_but_not_fail() {
    let missing = copy(Lies {
        fail: Some(("PJRT_Plugin_Attributes".to_owned(), 12)),
        ..Lies::default()
    });
    assert!(missing.load().expect("attributes are optional").attributes().is_empty());
    let failing = copy(Lies {
        fail: Some(("PJRT_Plugin_Attributes".to_owned(), 13)),
        ..Lies::default()
    });
    match failing.load() {
        Err(Error::Call {
            function: "PJRT_Plugin_Attributes",
            code: ErrorCode::Internal,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(missing.count(Count::Errors) + failing.count(Count::Errors), 0);
}

#[test]
fn every_code_and_message_arrives_and_no_error_leaks() {
    for code in [1, 2, 3, 7, 12, 16, 17, 99, -5] {
        let copy = copy(Lies {
            fail: Some(("PJRT_Client_Create".to_owned(), code)),
            ..Lies::default()
        });
        let error = copy
            .load()
            .expect("only clients fail")
            .client()
            .expect_err("clients fail");
        assert_eq!(i32::from(error.code()), code);
        match &error {
            Error::Call { function, message, .. } => {
                assert_eq!(*function, "PJRT_Client_Create");
                assert_eq!(message, "PJRT_Client_Create fails as it was told to");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(copy.count(Count::Errors), 0);
    }
}

#[test]
fn an_error_that_has_neither_code_nor_message_is_still_an_error() {
    let fail = Some(("PJRT_Client_Create".to_owned(), 3));
    let copy = copy(Lies {
        mute: true,
        fail,
        ..Lies::default()
    });
    let error = copy
        .load()
        .expect("only clients fail")
        .client()
        .expect_err("clients fail");
    assert!(
        matches!(error, Error::Call { code: ErrorCode::Unknown, ref message, .. } if message.is_empty()),
        "{error:?}"
    );
    assert_eq!(copy.count(Count::Errors), 0, "the error about the error leaks");
}

#[test]
fn success_with_a_null_client_is_an_error() {
    let copy = copy(Lies {
        no_client: true,
        ..Lies::default()
    });
    let error = copy
        .load()
        .expect("only clients lie")
        .client()
        .expect_err("there is no client");
    assert!(error.to_string().contains("null"), "{error}");
}

#[test]
fn whichever_call_fails_nothing_leaks() {
    let mut failed = 0;
    for function in sys::functions() {
        let lies = Lies {
            fail: Some((function.name.to_owned(), 8)),
            ..Lies::default()
        };
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
    // Initializing, attributes, and what a client needs to know of itself.
    assert!(failed >= 6, "only {failed} functions were called");
}

#[test]
fn a_circle_of_extensions_ends_and_a_stunted_one_is_skipped() {
    let circle = copy(Lies {
        circle: true,
        ..Lies::default()
    });
    let plugin = circle.load().expect("extensions are optional");
    assert!(plugin.api().extensions().len() <= 256);
    let stunted = copy(Lies {
        stunted: true,
        ..Lies::default()
    });
    assert!(
        stunted
            .load()
            .expect("extensions are optional")
            .api()
            .extensions()
            .is_empty()
    );
    // Long enough for its head, too short for any function.
    let layouts = plugin
        .api()
        .extension(sys::PJRT_Extension_Type_Layouts)
        .expect("it is in the list");
    assert!(layouts.slot(24).is_none());
}

struct Never;

impl Handler for Never {
    fn call(_: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        Err("never called".into())
    }
}

#[test]
fn handlers_are_registered_in_every_form_that_plugins_have() {
    // The longer struct went away somewhere before 0.81: from 0.73 to there either may be met.
    let forms = [
        (FfiForm::Gpu, 60),
        (FfiForm::Gpu, 116),
        (FfiForm::V2, 73),
        (FfiForm::V2, 80),
        (FfiForm::V3, 73),
        (FfiForm::V3, 81),
        (FfiForm::V3, 116),
    ];
    for (form, minor) in forms {
        let copy = copy(Lies {
            ffi: Some(form),
            minor: Some(minor),
            ..Lies::default()
        });
        let ffi = copy.load().and_then(|plugin| plugin.ffi());
        let ffi = ffi.unwrap_or_else(|error| panic!("{form:?} {minor}: {error}"));
        assert_eq!(ffi.version(), (0, 2));
        ffi.register("never", &Handlers::new::<Never>()).expect("a new name");
        assert_eq!(copy.count(Count::Handlers), 1, "{form:?} {minor}");
        assert_eq!(copy.count(Count::Errors), 0, "{form:?} {minor}: an error leaks");
    }
}

#[test]
fn a_plugin_that_takes_no_handlers_is_unsupported() {
    let without = Some(FfiForm::WithoutHandlers);
    for (ffi, minor) in [(None, 116), (without, 60), (without, 116)] {
        let copy = copy(Lies {
            ffi,
            minor: Some(minor),
            ..Lies::default()
        });
        let error = copy.load().and_then(|plugin| plugin.ffi()).expect_err("it takes none");
        assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
        assert!(error.to_string().contains("Register"), "{error}");
    }
}
