//! Callbacks of random programs that fail on demand.

use super::{Batch, Run};
use hloom::CallbackError;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// The way in which a callback fails.
#[derive(Clone, Copy, PartialEq)]
pub enum Failure {
    Error = 1,
    Panic = 2,
}

/// The callbacks of a batch, of which one can be made to fail.
#[derive(Default)]
pub struct Callbacks {
    count: AtomicUsize,
    told: AtomicUsize,
    /// 0 while none fails.
    failure: AtomicU8,
}

impl Callbacks {
    /// Adds a callback and returns its number.
    pub fn add(&self) -> usize {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of callbacks.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The name of a callback.
    pub fn name(number: usize) -> String {
        format!("identity {number}")
    }

    /// The first step of a callback.
    ///
    /// # Errors
    /// It was selected to fail.
    pub fn run(&self, number: usize) -> Result<(), CallbackError> {
        if self.told.load(Ordering::Relaxed) != number {
            return Ok(());
        }
        match self.failure.load(Ordering::Relaxed) {
            0 => Ok(()),
            failure if failure == Failure::Panic as u8 => panic!("told to panic"),
            _ => Err(CallbackError::new("told to fail")),
        }
    }

    fn tell(&self, number: usize, failure: Option<Failure>) {
        self.told.store(number, Ordering::Relaxed);
        self.failure.store(failure.map_or(0, |failure| failure as u8), Ordering::Relaxed);
    }
}

/// Makes one of the callbacks fail, then panic, and then none: returns the wrong errors, or wrong
/// results afterwards.
pub fn problems(batch: &Batch, run: &Run, expected: &[Vec<u8>], pick: usize) -> Vec<String> {
    let callbacks = &batch.callbacks;
    let number = match callbacks.count() {
        0 => return Vec::new(),
        count => pick % count,
    };
    let name = Callbacks::name(number);
    let mut problems = Vec::new();
    for (failure, verb) in [(Failure::Error, "failed"), (Failure::Panic, "panicked")] {
        callbacks.tell(number, Some(failure));
        match run.call() {
            Err(error) if error.to_string().contains(&format!("callback `{name}` {verb}")) => {}
            Err(error) => problems.push(format!("callback `{name}` {verb}: the error is {error}")),
            Ok(_) => problems.push(format!("callback `{name}` {verb}: there is no error")),
        }
    }
    callbacks.tell(number, None);
    match run.call() {
        Ok(results) if results == expected => {}
        Ok(_) => problems.push(format!("after callback `{name}` failed there are other results")),
        Err(error) => problems.push(format!("after callback `{name}` failed: {error}")),
    }
    problems
}
