//! A handler of the typed XLA FFI that was not written in Rust.

use hloom_pjrt::{Plugin, extension::ffi::HandlerTraits};
use std::{ffi::c_void, process::Command, ptr::NonNull, sync::LazyLock};

/// The address of the function of `scale.c`, compiled by the compiler that links Rust.
static SCALE: LazyLock<usize> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("libscale.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/scale.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(&compiler)
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
        .args([library.as_os_str(), source.as_ref()])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{compiler} compiles C");
    // SAFETY: the library is the one above, which does nothing when it is loaded; it is never
    // unloaded.
    unsafe {
        let library = libloading::Library::new(&library).expect("it loads");
        let function: *mut c_void = *library.get(b"scale").expect("it has the function");
        std::mem::forget(library);
        function as usize
    }
});

/// Registers a handler compiled from C as the target `test.c_scale` of the host: it multiplies
/// `f32` elements by the attribute `factor`, and refuses a negative one with "the factor is
/// negative".
///
/// # Panics
/// No C compiler is found, or the plugin does not take the handler.
pub fn register_foreign_handler(plugin: &Plugin) {
    let handler = NonNull::new(*SCALE as *mut c_void).expect("a function has an address");
    // SAFETY: the handler has this type, is never unloaded, and checks its arguments.
    let registered = unsafe {
        plugin.register_ffi_target("test.c_scale", "Host", handler, HandlerTraits::default())
    };
    registered.expect("the target is free, or registered with the same handler");
}
