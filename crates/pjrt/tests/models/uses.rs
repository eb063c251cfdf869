//! Executions that read memory which the host writes to.

use crate::{Watched, check, usage::Usage};
use loom::thread;
use std::sync::Arc;

#[test]
fn the_host_writes_when_all_uses_have_ended() {
    check(None, || {
        let usage: Arc<Usage> = Arc::default();
        let memory = Arc::new(Watched::new(1));
        for _ in 0..2 {
            let (begun, memory) = (usage.begin(), Arc::clone(&memory));
            thread::spawn(move || {
                assert_eq!(memory.read(), 1);
                drop(begun);
            });
        }
        usage.wait().expect("all uses end");
        memory.write(2);
    });
}

#[test]
fn two_wait_and_both_go_on() {
    check(None, || {
        let usage: Arc<Usage> = Arc::default();
        let begun = usage.begin();
        let other = Arc::clone(&usage);
        let other = thread::spawn(move || other.wait().expect("all uses end"));
        thread::spawn(move || drop(begun));
        usage.wait().expect("all uses end");
        other.join().expect("it has not panicked");
    });
}

#[test]
fn a_use_may_begin_when_another_has_ended() {
    check(None, || {
        let usage: Arc<Usage> = Arc::default();
        let memory = Arc::new(Watched::new(0));
        for step in 0..2 {
            let (begun, read) = (usage.begin(), Arc::clone(&memory));
            thread::spawn(move || {
                assert_eq!(read.read(), step);
                drop(begun);
            });
            usage.wait().expect("all uses end");
            memory.write(step + 1);
        }
    });
}

#[test]
fn a_use_without_an_end_is_told() {
    check(None, || {
        let usage: Arc<Usage> = Arc::default();
        let begun = usage.begin();
        let other = thread::spawn(move || drop(begun));
        usage.lose();
        assert!(usage.wait().is_err());
        other.join().expect("it has not panicked");
    });
}
