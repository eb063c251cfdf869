//! Error messages of calls of jitted functions.

use super::buffer;
use hloom_graph::Tensor;
use hloom_runtime::{Buffer, Jit};
use hloom_test_support::CPU;
use std::sync::{Arc, OnceLock};

#[test]
fn errors_name_the_users_lines_and_are_not_kept() {
    let line = line!() + 1;
    let jit = CPU.jit(|x: Tensor, y: Tensor| x + y);
    let (two, three) = (buffer(&[1.0, 2.0]), buffer(&[1.0, 2.0, 3.0]));
    for count in 1..=2 {
        let error = jit.call((&two, &three)).unwrap_err().to_string();
        let expected = format!(
            "add: axis -1 has size 2 on the left and 3 on the right\n  left:  f32[2]   (arg0)\n  \
             right: f32[3]   (arg1)\n  at {}:{line}:46",
            file!()
        );
        assert_eq!(error, expected);
        assert_eq!((jit.compilations(), jit.hits(), jit.len()), (count, 0, 0));
    }
    assert_eq!(jit.call((&two, &two)).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0]);
}

#[test]
fn a_function_that_calls_itself_is_an_error() {
    static JIT: OnceLock<Arc<Jit<(Tensor,), Tensor>>> = OnceLock::new();
    static INNER: OnceLock<String> = OnceLock::new();
    let line = line!() + 1;
    let jit = CPU.jit(|x: Tensor| {
        let call: hloom_runtime::Result<Buffer> = JIT.get().unwrap().call((&buffer(&[1.0]),));
        INNER.set(call.unwrap_err().to_string()).unwrap();
        x
    });
    assert!(JIT.set(Arc::new(jit)).is_ok(), "it is set once");
    JIT.get().unwrap().call((&buffer(&[2.0]),)).unwrap();
    let expected = format!(
        "jit: `messages::a_function_that_calls_itself_is_an_error` calls itself while it is \
         traced\n  at {}:{line}:19",
        file!()
    );
    assert_eq!(INNER.get().unwrap(), &expected);
}
