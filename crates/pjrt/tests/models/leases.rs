//! Host memory that a plugin uses, and its owner.

use crate::{Watched, check, lease_slot::LeaseSlot};
use loom::{
    sync::{Condvar, Mutex},
    thread,
};
use std::sync::Arc;

/// Host memory that records when it is freed.
struct Memory {
    values: Arc<Watched>,
    freed: Arc<Watched>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        assert_eq!(self.freed.read(), 0, "it is freed once");
        self.freed.write(1);
    }
}

fn memory() -> (Memory, Arc<Watched>, Arc<Watched>) {
    let (values, freed) = (Arc::new(Watched::new(0)), Arc::new(Watched::new(0)));
    let memory = Memory { values: Arc::clone(&values), freed: Arc::clone(&freed) };
    (memory, values, freed)
}

#[test]
fn the_owner_comes_back_once_the_plugin_let_go() {
    check(None, || {
        let (memory, values, freed) = memory();
        let (slot, share) = LeaseSlot::lend(memory);
        let event = Arc::new((Mutex::new(false), Condvar::new()));
        let happens = Arc::clone(&event);
        let plugin = thread::spawn(move || {
            values.write(7);
            // Waiters may wake before the callback drops the share.
            *happens.0.lock().unwrap() = true;
            happens.1.notify_one();
            drop(share);
        });
        let mut has_happened = event.0.lock().unwrap();
        while !*has_happened {
            has_happened = event.1.wait(has_happened).unwrap();
        }
        drop(has_happened);
        let owner = slot.take().expect("nobody took it before");
        assert_eq!(owner.values.read(), 7);
        assert_eq!(freed.read(), 0);
        assert!(slot.take().is_none(), "it comes back once");
        drop(owner);
        assert_eq!(freed.read(), 1);
        plugin.join().expect("it has not panicked");
        assert_eq!(freed.read(), 1, "the share frees nothing more");
    });
}

#[test]
fn without_a_lease_the_owner_is_dropped_by_who_is_last() {
    check(None, || {
        let (memory, values, freed) = memory();
        let (slot, share) = LeaseSlot::lend(memory);
        let plugin = thread::spawn(move || {
            values.write(7);
            drop(share);
        });
        drop(slot);
        plugin.join().expect("it has not panicked");
        assert_eq!(freed.read(), 1);
    });
}
