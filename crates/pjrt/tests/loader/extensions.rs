//! Extensions, and the versions of handler registration.

use crate::copy;
use fake_plugin::{Count, FfiForm, Lies};
use hloom_pjrt::{
    Error, ExtensionType,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers},
};

#[test]
fn a_circle_of_extensions_ends_and_a_stunted_one_is_skipped() {
    let circle = copy(Lies { circle: true, ..Lies::default() });
    let plugin = circle.load().expect("extensions are optional");
    assert!(plugin.api().extensions().len() <= 256);
    let stunted = copy(Lies { stunted: true, ..Lies::default() });
    assert!(stunted.load().expect("extensions are optional").api().extensions().is_empty());
    // Long enough for its header, too short for any function.
    let layouts = plugin.api().extension(ExtensionType::Layouts).expect("it is in the list");
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
    // The longer struct was removed before 0.81: from 0.73 on, plugins before that may have either.
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
        let copy = copy(Lies { ffi: Some(form), minor: Some(minor), ..Lies::default() });
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
        let copy = copy(Lies { ffi, minor: Some(minor), ..Lies::default() });
        let error = copy.load().and_then(|plugin| plugin.ffi()).expect_err("it takes none");
        assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
        assert!(error.to_string().contains("Register"), "{error}");
    }
}
