//! Registrations that a handler waits for while its program is compiled.

use crate::{Outcome, arrays::Double, call, client, ffi};
use hloom_pjrt::{
    Error,
    extension::ffi::{CallFrame, Handlers, StatefulHandler},
};
use hloom_test_support::is_alone;
use std::time::{Duration, Instant};

fn register(name: &str) -> Result<(), Error> {
    ffi().register(name, &Handlers::new::<Double>())
}

/// Waits, while its program is compiled, for a thread that registers.
struct Waits;

impl StatefulHandler for Waits {
    type State = ();

    fn instantiate(_: &mut CallFrame<'_>) -> Outcome {
        let waiting = std::thread::spawn(|| register("test.waits.other"));
        // Time for that thread to begin to wait: a compilation on a third thread must not wait for
        // it.
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        std::thread::spawn(|| {
            call(&client(), "test.waits.inner", &["tensor<2xf32>"], "tensor<2xf32>", "").map(drop)
        })
        .join()
        .expect("no panic")
        .map_err(|error| error.to_string())?;
        assert!(start.elapsed() < Duration::from_secs(4), "it waited for the registration");
        let refused = waiting.join().expect("no panic");
        let Err(Error::Argument(message)) = &refused else {
            panic!("it is refused: {refused:?}");
        };
        assert!(message.contains("has not returned for 5 s"), "{message}");
        Ok(())
    }

    fn call(_: &mut CallFrame<'_>, (): &()) -> Outcome {
        Ok(())
    }
}

#[test]
fn a_registration_that_a_handler_waits_for_is_refused() {
    if !is_alone("registration::a_registration_that_a_handler_waits_for_is_refused") {
        return;
    }
    register("test.waits.inner").expect("a new name");
    ffi().register("test.waits", &Handlers::stateful::<Waits>()).expect("a new name");
    call(&client(), "test.waits", &["tensor<2xf32>"], "tensor<2xf32>", "").expect("it compiles");
    register("test.waits.other").expect("nothing is compiled any more");
}
