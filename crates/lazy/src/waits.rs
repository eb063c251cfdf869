//! Threads that wait for values which others compute.
//!
//! A realization may wait for another one, and the program that it runs may call a function of the
//! host that realizes tensors itself. Such a function must not wait, directly or indirectly, for
//! values of the program that calls it: the wait would not end. So realizations have numbers, a
//! function of the host knows the number of its owner, and a wait that closes a cycle is an error.

use hloom_runtime::{Error, Result, call_owner};
use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// The graph of waits between realizations.
pub(crate) struct Waits {
    /// Realizations in functions of the host, each with the one that calls the function.
    owners: Vec<(u64, u64)>,
    /// Realizations that need another one to end.
    needs: Vec<(u64, u64)>,
}

/// The lock that protects the states of all nodes: held while nodes are selected and claimed, and
/// while their values are stored.
pub(crate) type Selecting = MutexGuard<'static, Waits>;

static SELECTING: Mutex<Waits> = Mutex::new(Waits { owners: Vec::new(), needs: Vec::new() });
/// Signals that claimed nodes have a value or an error, or are pending again.
static DONE: Condvar = Condvar::new();
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Holds the lock.
pub(crate) fn selecting() -> Selecting {
    SELECTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes the threads that wait.
pub(crate) fn notify(_: &Selecting) {
    DONE.notify_all();
}

/// Waits until some realization ends, since this thread needs realization `owner`.
///
/// # Errors
/// Realization `owner` itself waits for this thread.
pub(crate) fn wait(mut waits: Selecting, owner: u64) -> Result<Selecting> {
    let own = waits.chain(call_owner());
    if waits.is_needed_by(owner, &own) {
        let why: Box<dyn std::error::Error + Send + Sync> =
            "a function of the host needs a lazy tensor that is computed by the program which \
             calls the function: pass the tensor to the function as an input"
                .into();
        return Err(Error::Above(why));
    }
    waits.needs.extend(own.iter().map(|&own| (own, owner)));
    let mut waits = DONE.wait(waits).unwrap_or_else(PoisonError::into_inner);
    for own in own {
        let place = waits.needs.iter().position(|need| *need == (own, owner));
        place.map(|place| waits.needs.swap_remove(place));
    }
    Ok(waits)
}

impl Waits {
    /// The number of a realization that begins on this thread.
    pub fn begin(&mut self) -> u64 {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let owner = call_owner();
        if owner != 0 {
            self.owners.push((number, owner));
        }
        number
    }

    /// Ends a realization.
    pub fn end(&mut self, number: u64) {
        self.owners.retain(|(own, _)| *own != number);
    }

    /// The realization of this number, and those whose host functions it runs in.
    fn chain(&self, number: u64) -> Vec<u64> {
        let next = |&of: &u64| Some(self.owners.iter().find(|(own, _)| *own == of)?.1);
        std::iter::successors(Some(number).filter(|&number| number != 0), next).collect()
    }

    /// Whether a realization cannot end before one of these.
    fn is_needed_by(&self, owner: u64, own: &[u64]) -> bool {
        let (mut seen, mut stack) = (Vec::new(), vec![owner]);
        while let Some(next) = stack.pop() {
            if own.contains(&next) {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                stack.extend(self.needs.iter().filter(|(from, _)| *from == next).map(|n| n.1));
            }
        }
        false
    }
}
