//! Accepted and refused registrations.

use crate::{Outcome, arrays::Double, call, client, ffi, plugin};
use hloom_pjrt::{
    Error,
    extension::ffi::{CallFrame, Handler, Handlers, RawHandler},
    sys,
};

struct Other;

impl Handler for Other {
    fn call(_: &mut CallFrame<'_>) -> Outcome {
        Err("never called".into())
    }
}

#[test]
fn two_handlers_cannot_share_a_name() {
    ffi().register("test.taken", &Handlers::new::<Double>()).expect("a new name");
    let error =
        ffi().register("test.taken", &Handlers::new::<Other>()).expect_err("the name is taken");
    assert!(error.to_string().contains("test.taken"), "{error}");
    assert!(matches!(error, Error::Call { function: "XLA_FFI_Handler_Register", .. }), "{error:?}");
}

#[test]
fn an_unknown_target_is_an_error_of_the_compiler() {
    let error = call(&client(), "test.unknown", &["tensor<f32>"], "tensor<f32>", "")
        .expect_err("it is not there");
    assert!(error.to_string().contains("test.unknown"), "{error}");
}

#[test]
fn the_registry_says_its_version_and_is_one() {
    let (major, minor) = ffi().version();
    assert_eq!(major, 0);
    assert!(minor >= 1, "0.{minor}");
    assert_eq!(ffi().plugin(), plugin());
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| ffi().version())).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(all.iter().all(|version| *version == (major, minor)));
}

struct Replayed;

impl Handler for Replayed {
    const COMMAND_BUFFER_COMPATIBLE: bool = true;

    fn call(_: &mut CallFrame<'_>) -> Outcome {
        Err("never called".into())
    }
}

/// The metadata that a handler returns to a framework of the plugin's kind: its version and its
/// traits.
fn metadata_of<H: Handler>(api: *const sys::XLA_FFI_Api) -> ((i32, i32), u32) {
    // SAFETY: zeros are valid structs; the frame asks for metadata, which handlers return without
    // reading further.
    unsafe {
        let mut metadata: sys::XLA_FFI_Metadata = std::mem::zeroed();
        metadata.struct_size = size_of::<sys::XLA_FFI_Metadata>();
        let mut extension: sys::XLA_FFI_Metadata_Extension = std::mem::zeroed();
        extension.extension_base.type_ = sys::XLA_FFI_Extension_Metadata;
        extension.metadata = &mut metadata;
        let mut frame: sys::XLA_FFI_CallFrame = std::mem::zeroed();
        frame.extension_start = (&raw mut extension).cast();
        frame.api = api;
        let handler: unsafe extern "C" fn(*mut sys::XLA_FFI_CallFrame) -> *mut sys::XLA_FFI_Error =
            std::mem::transmute(RawHandler::new::<H>().as_ptr());
        assert!(handler(&mut frame).is_null());
        let version = metadata.api_version;
        ((version.major_version, version.minor_version), metadata.traits)
    }
}

/// C11: handlers answer the plugin's request for metadata, with the smaller of both API versions.
#[test]
fn a_handler_tells_its_traits_and_the_smaller_of_both_versions() {
    // SAFETY: zeros are valid: absent functions.
    let mut api: sys::XLA_FFI_Api = unsafe { std::mem::zeroed() };
    api.struct_size = size_of::<sys::XLA_FFI_Api>();
    let compatible = sys::XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
    let ours = (sys::XLA_FFI_API_MAJOR as i32, sys::XLA_FFI_API_MINOR as i32);
    for theirs in [(0, 0), (0, 1), ours, (0, ours.1 + 7)] {
        (api.api_version.major_version, api.api_version.minor_version) = theirs;
        assert_eq!(metadata_of::<Replayed>(&api), (theirs.min(ours), compatible));
        assert_eq!(metadata_of::<Other>(&api), (theirs.min(ours), 0));
    }
}
