//! Handlers compiled elsewhere, and targets that are not registered.

use super::compile;
use crate::CPU;
use hloom_graph::{Effect, Spec, Tensor, custom_call};
use hloom_pjrt::{ErrorCode, extension::ffi::HandlerTraits};
use hloom_runtime::{Buffer, Error};
use std::{ffi::c_void, process::Command, ptr::NonNull};

/// The handler in `scale.c`, compiled by the compiler that links Rust.
fn compiled_handler() -> NonNull<c_void> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("libscale.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/callbacks/scale.c");
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
        NonNull::new(function).expect("a function has an address")
    }
}

#[test]
fn a_handler_written_in_c_is_called() {
    let (plugin, handler, traits) =
        (CPU.client().plugin(), compiled_handler(), HandlerTraits::default());
    // SAFETY: a handler of this type, which is never unloaded and does what the programs below
    // expect.
    let register =
        |name, handler| unsafe { plugin.register_ffi_target(name, "Host", handler, traits) };
    register("test.c_scale", handler).unwrap();
    register("test.c_scale", handler).expect("the same again changes nothing");

    let scaled = |factor: f32| {
        move |x: Tensor| {
            custom_call("test.c_scale", x, Spec::of(x.shape())).attribute("factor", factor).call()
        }
    };
    let x = Buffer::from_slice(&CPU, &[1f32, -2.0, 0.5, 4.0], [("row", 2), ("column", 2)]).unwrap();
    let spec = || Spec::of(x.shape());
    let y = compile(scaled(2.5), (spec(),)).call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [2.5, -5.0, 1.25, 10.0]);
    assert_eq!(y.shape(), x.shape());

    let error = compile(scaled(-1.0), (spec(),))
        .call((&x,))
        .and_then(|y| y.ready())
        .expect_err("it refuses");
    let Error::Plugin { source, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(source.code(), ErrorCode::InvalidArgument);
    assert!(source.to_string().contains("the factor is negative"), "{source}");

    // In the memory of the input.
    let in_place = |x: Tensor| {
        let x = x + 1;
        custom_call("test.c_scale", x, Spec::of(x.shape()))
            .attribute("factor", 2f32)
            .alias(0, 0)
            .effect(Effect::Unordered)
            .call()
    };
    let y = compile(in_place, (spec(),)).call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [4.0, -2.0, 3.0, 10.0]);
}

#[test]
fn a_target_that_nobody_registered_is_an_error_of_compile() {
    let lost = |x: Tensor| custom_call("test.nobody", x, Spec::of(x.shape())).call();
    let error = CPU
        .compile(lost, (Spec::f32([1]),))
        .map(drop)
        .expect_err("nobody registered it")
        .to_string();
    assert!(error.contains("does not compile") && error.contains("test.nobody"), "{error}");
}
