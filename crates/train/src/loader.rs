//! Batches that are prepared ahead, on threads.

use crate::{Batches, Position, batches::Order};
use std::{
    collections::BTreeMap,
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// The limit on the threads of a loader.
const MAX_THREADS: usize = 1 << 10;
/// The limit on the batches that are made ahead, which are all in memory.
const MAX_AHEAD: usize = 1 << 16;

/// An endless iterator over batches that threads prepare ahead. They come in order, however many
/// threads there are: a run does not depend on the machine.
///
/// ```
/// use hloom_train::{Batches, Position};
///
/// let batches = Batches::new(100, 10).shuffled(7);
/// let squares = |indices: &[usize]| indices.iter().map(|i| i * i).collect::<Vec<_>>();
/// let mut loader = batches.load(Position::default(), 2, 4, squares)?;
/// let first = loader.next();
/// let position = loader.position(); // stored in a checkpoint
/// let second = loader.next();
/// drop(loader);
///
/// let mut resumed = batches.load(position, 1, 1, squares)?;
/// assert_eq!(resumed.next(), second);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DataLoader<B> {
    shared: Arc<Shared<B>>,
    batches: Batches,
    position: Position,
    taken: u64,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<B> {
    state: Mutex<LoaderState<B>>,
    /// A batch was made.
    made: Condvar,
    /// A batch was taken, or the loader is dropped.
    taken: Condvar,
}

struct LoaderState<B> {
    /// The batches that were made and not taken, by their number since the start.
    ready: BTreeMap<u64, thread::Result<B>>,
    /// The number and the position of the next batch to make.
    next: (u64, Position),
    /// The order of the epoch of the last batch that was begun.
    order: Option<(u64, Order)>,
    /// Batches with numbers below this are made ahead.
    limit: u64,
    stopped: bool,
}

impl Batches {
    /// Makes batches from `start` on: `make` takes the indices of the examples of one. It runs on
    /// `threads` threads, at most `ahead` batches ahead of the one that is taken next; 0 counts as
    /// 1 for both.
    ///
    /// # Errors
    /// `start` is not a batch of an epoch, there are more than 1,024 threads or 65,536 batches
    /// ahead, or a thread cannot be created.
    pub fn load<B: Send + 'static>(
        self,
        start: Position,
        threads: usize,
        ahead: usize,
        make: impl Fn(&[usize]) -> B + Send + Sync + 'static,
    ) -> io::Result<DataLoader<B>> {
        let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidInput, problem);
        self.check(start).map_err(invalid)?;
        if threads > MAX_THREADS {
            let problem = format!("a loader of {threads} threads, expected at most {MAX_THREADS}");
            return Err(invalid(problem));
        }
        if ahead > MAX_AHEAD {
            return Err(invalid(format!("{ahead} batches ahead, expected at most {MAX_AHEAD}")));
        }
        let state = LoaderState {
            ready: BTreeMap::new(),
            next: (0, start),
            order: None,
            limit: ahead.max(1) as u64,
            stopped: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            made: Condvar::new(),
            taken: Condvar::new(),
        });
        let make = Arc::new(make);
        // Dropped at an error, it ends the threads that were created.
        let mut loader =
            DataLoader { shared, batches: self, position: start, taken: 0, threads: Vec::new() };
        for i in 0..threads.max(1) {
            let (shared, make) = (loader.shared.clone(), make.clone());
            let thread = thread::Builder::new().name(format!("data-loader-{i}"));
            loader.threads.push(thread.spawn(move || shared.work(self, &*make))?);
        }
        Ok(loader)
    }
}

impl<B> Shared<B> {
    /// The state. A panic cannot leave it incomplete: `make` runs without the lock.
    fn lock(&self) -> MutexGuard<'_, LoaderState<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes batches until the loader is dropped.
    fn work(&self, batches: Batches, make: &(impl Fn(&[usize]) -> B + ?Sized)) {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return;
            }
            if state.next.0 >= state.limit {
                state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (number, at) = state.next;
            state.next = (number + 1, batches.next(at));
            let order = match &state.order {
                Some((epoch, order)) if *epoch == at.epoch => order.clone(),
                _ => {
                    let order = batches.order(at.epoch);
                    state.order = Some((at.epoch, order.clone()));
                    order
                }
            };
            drop(state);
            let indices = batches.batch_of(&order, at);
            let batch = catch_unwind(AssertUnwindSafe(|| make(&indices)));
            state = self.lock();
            state.ready.insert(number, batch);
            self.made.notify_all();
        }
    }
}

impl<B> DataLoader<B> {
    /// The position of the batch that is taken next: a run resumes there if it has used all batches
    /// before.
    pub fn position(&self) -> Position {
        self.position
    }
}

impl<B> Iterator for DataLoader<B> {
    type Item = B;

    /// The next batch; never `None`.
    ///
    /// # Panics
    /// With the panic of the function that made this batch.
    fn next(&mut self) -> Option<B> {
        let mut state = self.shared.lock();
        let batch = loop {
            match state.ready.remove(&self.taken) {
                Some(batch) => break batch,
                None => {
                    state = self.shared.made.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        };
        state.limit += 1;
        drop(state);
        self.shared.taken.notify_all();
        self.taken += 1;
        self.position = self.batches.next(self.position);
        Some(batch.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<B> Drop for DataLoader<B> {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.taken.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of `make` are caught, and those of a value's destructor change nothing here.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    #[test]
    fn batches_come_in_order_from_any_position_for_any_number_of_threads() {
        let batches = Batches::new(23, 4).shuffled(11);
        let mut positions = vec![Position::default()];
        for _ in 0..17 {
            positions.push(batches.next(*positions.last().unwrap()));
        }
        for threads in [0, 1, 2, 5] {
            for ahead in [0, 1, 3, 16] {
                for start in [0, 1, 4, 5, 9] {
                    // Later batches are often finished earlier.
                    let make = |indices: &[usize]| {
                        thread::sleep(Duration::from_micros(20 * (indices[0] % 5) as u64));
                        indices.to_vec()
                    };
                    let mut loader = batches.load(positions[start], threads, ahead, make).unwrap();
                    for &position in &positions[start..] {
                        assert_eq!(loader.position(), position);
                        assert_eq!(loader.next().unwrap(), batches.indices(position));
                    }
                }
            }
        }
    }

    #[test]
    fn as_many_batches_are_made_ahead_as_asked_for() {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = made.clone();
        let count = move |_: &[usize]| counter.fetch_add(1, Ordering::SeqCst);
        let mut loader = Batches::new(100, 1).load(Position::default(), 2, 3, count).unwrap();
        let waited = |expected: usize| {
            for _ in 0..500 {
                if made.load(Ordering::SeqCst) >= expected {
                    break;
                }
                thread::sleep(Duration::from_millis(2));
            }
            thread::sleep(Duration::from_millis(20));
            made.load(Ordering::SeqCst)
        };
        assert_eq!(waited(3), 3);
        loader.next();
        assert_eq!(waited(4), 4);
    }

    #[test]
    fn a_panic_is_that_of_its_batch() {
        let make = |indices: &[usize]| match indices[0] {
            2 => panic!("example 2 is broken"),
            index => index,
        };
        let mut loader = Batches::new(4, 1).load(Position::default(), 2, 4, make).unwrap();
        assert_eq!((loader.next(), loader.next()), (Some(0), Some(1)));
        let panic = catch_unwind(AssertUnwindSafe(|| loader.next())).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"example 2 is broken"));
        assert_eq!(loader.next(), Some(3), "the batch after it");
    }
}
