//! Launches on several devices, of which a limited number may be in flight.

use crate::{
    check,
    launches::{Launches, Mark},
};
use loom::{
    sync::{Condvar, Mutex},
    thread,
};
use std::{collections::VecDeque, sync::Arc};

/// A device, which runs its launches in order.
#[derive(Default)]
struct Device {
    given: Mutex<VecDeque<Option<Arc<Mark>>>>,
    changed: Condvar,
}

impl Device {
    fn give(&self, mark: Option<Arc<Mark>>, most: usize) {
        let mut given = self.given.lock().expect("nobody panics");
        given.push_back(mark);
        assert!(given.len() <= most, "{} launches are under way", given.len());
        self.changed.notify_all();
    }

    fn run(&self, launches: usize) {
        for _ in 0..launches {
            let mut given = self.given.lock().expect("nobody panics");
            while given.is_empty() {
                given = self.changed.wait(given).expect("nobody panics");
            }
            let mark = given.pop_front().expect("it is not empty");
            drop(given);
            if let Some(mark) = mark {
                mark.count_down();
            }
        }
    }
}

fn launch<const BETWEEN: usize>(launches: &Launches<BETWEEN>, devices: &[Device]) {
    let mut state = launches.begin();
    let mark = state.is_due().then(|| state.mark(devices.len()));
    devices.iter().for_each(|device| device.give(mark.clone(), 2 * BETWEEN - 1));
}

/// Launches this many programs on each thread, each on all devices, every `BETWEEN`th of them
/// marked.
fn launch_all<const BETWEEN: usize>(threads: usize, each: usize, devices: usize) {
    let launches: Arc<Launches<BETWEEN>> = Arc::default();
    let devices: Arc<Vec<Device>> = Arc::new((0..devices).map(|_| Device::default()).collect());
    let run = |device: usize| {
        let devices = Arc::clone(&devices);
        thread::spawn(move || devices[device].run(threads * each))
    };
    let running: Vec<_> = (0..devices.len()).map(run).collect();
    let call = |_| {
        let (launches, devices) = (Arc::clone(&launches), Arc::clone(&devices));
        thread::spawn(move || (0..each).for_each(|_| launch(&launches, &devices)))
    };
    let others: Vec<_> = (1..threads).map(call).collect();
    (0..each).for_each(|_| launch(&launches, &devices));
    others
        .into_iter()
        .chain(running)
        .for_each(|thread| thread.join().expect("it has not panicked"));
}

#[test]
fn launches_of_one_thread_are_limited_and_end() {
    check(Some(5), || launch_all::<2>(1, 6, 1));
}

#[test]
fn launches_of_two_threads_are_limited_and_end() {
    check(Some(3), || launch_all::<2>(2, 3, 1));
}

#[test]
fn the_last_device_ends_the_wait() {
    check(Some(4), || launch_all::<1>(1, 3, 2));
}
