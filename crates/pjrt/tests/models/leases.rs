//! Host memory that a plugin uses, and its owner.

use crate::{Watched, check, lease_slot::LeaseSlot};
use loom::{sync::Notify, thread};
use std::sync::Arc;

/// Host memory, which notes when it is freed.
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
    let memory = Memory {
        values: Arc::clone(&values),
        freed: Arc::clone(&freed),
    };
    (memory, values, freed)
}

#[test]
fn the_owner_comes_back_when_the_plugin_lets_go() {
    check(None, || {
        let (memory, values, freed) = memory();
        let (slot, lent) = LeaseSlot::lend(memory);
        let event = Arc::new(Notify::new());
        let happens = Arc::clone(&event);
        let plugin = thread::spawn(move || {
            values.write(7);
            // Waiters may wake before the callback runs.
            happens.notify();
            drop(lent);
        });
        event.wait();
        let owner = slot.wait();
        assert_eq!(owner.values.read(), 7);
        assert_eq!(freed.read(), 0);
        assert!(slot.take().is_none(), "it comes back once");
        drop(owner);
        assert_eq!(freed.read(), 1);
        plugin.join().expect("it has not panicked");
    });
}

#[test]
fn without_a_lease_the_owner_is_dropped_by_who_is_last() {
    check(None, || {
        let (memory, values, freed) = memory();
        let (slot, lent) = LeaseSlot::lend(memory);
        let plugin = thread::spawn(move || {
            values.write(7);
            drop(lent);
        });
        drop(slot);
        plugin.join().expect("it has not panicked");
        assert_eq!(freed.read(), 1);
    });
}

#[test]
fn one_look_takes_it_or_leaves_it() {
    check(None, || {
        let (memory, values, freed) = memory();
        let (slot, lent) = LeaseSlot::lend(memory);
        let plugin = thread::spawn(move || {
            values.write(7);
            drop(lent);
        });
        if let Some(owner) = slot.take() {
            assert_eq!(owner.values.read(), 7);
        }
        drop(slot);
        plugin.join().expect("it has not panicked");
        assert_eq!(freed.read(), 1);
    });
}
