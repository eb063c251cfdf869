//! What is registered, and what is not.

use crate::arrays::Double;
use crate::{Outcome, call, client, ffi, plugin};
use hloom_pjrt::Error;
use hloom_pjrt::extension::ffi::{CallFrame, Handler, Handlers};

struct Other;

impl Handler for Other {
    fn call(_: &mut CallFrame<'_>) -> Outcome {
        Err("never called".into())
    }
}

#[test]
fn two_handlers_cannot_share_a_name() {
    ffi()
        .register("test.taken", &Handlers::new::<Double>())
        .expect("a new name");
    let error = ffi()
        .register("test.taken", &Handlers::new::<Other>())
        .expect_err("the name is taken");
    assert!(error.to_string().contains("test.taken"), "{error}");
    assert!(
        matches!(
            error,
            Error::Call {
                function: "XLA_FFI_Handler_Register",
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn an_unknown_target_is_an_error_of_the_compiler() {
    let error = call(&client(), "test.unknown", &["tensor<f32>"], "tensor<f32>", "").expect_err("it is not there");
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
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(all.iter().all(|version| *version == (major, minor)));
}
