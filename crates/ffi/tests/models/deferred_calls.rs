//! Deferred calls, whose handler and whose completion are on two threads.

use crate::{
    Watched, check,
    settlement::{Settled, Settlement},
};
use loom::{sync::Mutex, thread};
use std::sync::Arc;

type Outcome = Result<(), &'static str>;

/// The program: the memory of a call, which is freed when the call is settled.
struct CallingProgram {
    settlement: Settlement<&'static str>,
    memory: Watched,
    settled: Mutex<Vec<Settled<&'static str>>>,
}

impl CallingProgram {
    fn tell(&self, settled: Option<Settled<&'static str>>) {
        if let Some(settled) = settled {
            // Any remaining view of the memory is a concurrent access.
            self.memory.write(0);
            self.settled.lock().expect("nobody panics").push(settled);
        }
    }
}

/// Runs a handler that passes its call to another thread and returns `handler`; the call is
/// completed with `call`, or dropped.
fn outcomes(handler: Outcome, call: Option<Outcome>) -> Vec<Settled<&'static str>> {
    let program = Arc::new(CallingProgram {
        settlement: Settlement::new(),
        memory: Watched::new(1),
        settled: Mutex::new(Vec::new()),
    });
    let deferred = Arc::clone(&program);
    let other = thread::spawn(move || {
        deferred.memory.write(2);
        deferred.tell(deferred.settlement.let_go(call));
    });
    program.tell(program.settlement.returned(handler));
    other.join().expect("it has not panicked");
    std::mem::take(&mut *program.settled.lock().expect("nobody panics"))
}

#[test]
fn a_completed_call_has_its_outcome() {
    check(|| assert_eq!(outcomes(Ok(()), Some(Ok(()))), [Settled::Told(Ok(()))]));
    check(|| assert_eq!(outcomes(Ok(()), Some(Err("late"))), [Settled::Told(Err("late"))]));
}

#[test]
fn a_failed_handler_waits_for_its_call() {
    for call in [None, Some(Ok(()))] {
        check(move || assert_eq!(outcomes(Err("handler"), call), [Settled::Told(Err("handler"))]));
    }
    check(|| {
        let outcomes = outcomes(Err("handler"), Some(Err("call")));
        // Either may be first.
        let first = [[Settled::Told(Err("handler"))], [Settled::Told(Err("call"))]];
        assert!(first.iter().any(|first| *first == outcomes[..]), "{outcomes:?}");
    });
}

#[test]
fn a_dropped_call_is_abandoned() {
    check(|| assert_eq!(outcomes(Ok(()), None), [Settled::Abandoned]));
}

#[test]
fn of_two_errors_the_first_is_told() {
    check(|| {
        let settlement = Settlement::new();
        assert_eq!(settlement.returned(Err("handler")), None);
        assert_eq!(settlement.let_go(Some(Err("call"))), Some(Settled::Told(Err("handler"))));
        let settlement = Settlement::new();
        assert_eq!(settlement.let_go(Some(Err("call"))), None);
        assert_eq!(settlement.returned(Err("handler")), Some(Settled::Told(Err("call"))));
    });
}
