//! Uses of a client by handlers of its own programs, on a platform that is not the CPU.

use fake_plugin::working::Session;
use hloom_pjrt::{
    CompileOptions, Error, ExecuteOptions, Program,
    extension::ffi::{HandlerThread, LaunchScope},
};
use hloom_test_support::CompileOwn;

use crate::{client, script::ADD};

/// C10: on a device, which is locked while its handlers are called, what would wait for the lock is
/// an error at once, on the thread that called the program too.
#[test]
fn a_handler_on_a_device_calls_and_compiles_nothing() {
    let session = Session::begin();
    let client = client(&session);
    let program = Program::mlir(ADD);
    let add = client.compile_own(&program, &CompileOptions::new()).expect("compiles");
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    let execute = || add.execute(&[&a, &a], &ExecuteOptions::new());
    for thread in [HandlerThread::Caller, HandlerThread::Plugin] {
        let caller = "callback `outer` of `program`".into();
        let scope = LaunchScope { client: &client, caller: &caller, devices: 1, thread };
        let (called, compiled, read) = scope.enter(|| {
            let compiled = client.compile_own(&program, &CompileOptions::new());
            (execute().map(drop), compiled.map(drop), a.to_vec::<f32>())
        });
        let error = called.expect_err("the device is locked");
        assert!(matches!(error, Error::NestedLaunch { .. }), "{error}");
        assert!(error.to_string().contains("a program locks its device"), "{error}");
        let error = compiled.expect_err("the device is locked");
        assert!(error.to_string().contains("compiling a program in callback `outer`"), "{error}");
        assert!(error.to_string().contains("a program locks its device"), "{error}");
        // A buffer that is ready can be read.
        assert_eq!(read.expect("it is ready"), [1.0, 2.0]);
    }
    let sum = execute().expect("no handler runs")[0].to_vec::<f32>();
    assert_eq!(sum.expect("reads"), [2.0, 4.0]);
    drop((a, add, client));
    session.assert_clean();
}
