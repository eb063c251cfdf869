//! Runs with injected faults, one or two at a time.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::fault::Fault;
use super::session::{Session, last_calls};

impl Session {
    /// The calls of a run without faults. It runs twice, since some functions are called once per
    /// process.
    pub fn calls_of<R>(&self, run: impl Fn() -> R) -> Vec<&'static str> {
        for _ in 0..2 {
            self.reset();
            run();
        }
        self.calls()
    }

    /// Resets the state and runs a function with faults in these calls, counted from 0. Aborts the
    /// process if that takes half a minute.
    ///
    /// # Errors
    /// The message of a panic.
    pub fn run_with<R>(
        &self,
        faults: &[(usize, Fault)],
        run: impl FnOnce() -> R,
    ) -> Result<R, String> {
        self.reset();
        for &(nth, fault) in faults {
            self.fail(nth, fault);
        }
        let (over, is_over) = channel::<()>();
        let what = format!("{faults:?}");
        std::thread::spawn(move || watch(&is_over, &what));
        let outcome = catch_unwind(AssertUnwindSafe(run)).map_err(|panic| message(&*panic));
        drop(over);
        outcome
    }

    /// Resets the state for every pair of faults, of each kind that is not about text, and runs a
    /// function that panics if it finds a defect. The second fault is in any of the calls that
    /// follow the first one after its fault, including calls that only that error leads to.
    ///
    /// # Panics
    /// A defect was found.
    pub fn run_with_pairs(&self, run: impl Fn()) {
        const KINDS: [Fault; 3] = [Fault::Error, Fault::NothingMade, Fault::EventsFail];
        let calls = self.calls_of(&run);
        let (mut makes_events, mut runs) = (BTreeSet::new(), 0);
        let mut problems = BTreeMap::new();
        let mut firsts = Vec::new();
        for (first, name) in calls.iter().enumerate() {
            for kind in KINDS.into_iter().filter(|kind| kind.suits(name)) {
                let outcome = self.run_with(&[(first, kind)], &run);
                runs += 1;
                match outcome {
                    Err(panic) => {
                        drop(problems.insert(self.faulted(), format!("{first} {kind:?}: {panic}")))
                    }
                    // No event was created, so no fault occurred.
                    Ok(()) if self.faulted().is_empty() => {}
                    Ok(()) => {
                        let after = self.calls().into_iter().enumerate().skip(first + 1);
                        firsts.push((first, kind, after.collect::<Vec<_>>()));
                        if kind == Fault::EventsFail {
                            makes_events.insert(*name);
                        }
                    }
                }
            }
        }
        let faults = firsts.len();
        let mut pairs = 0;
        for (first, kind, after) in firsts {
            for (second, name) in after {
                let suits = |other: &Fault| {
                    other.suits(name)
                        && (*other != Fault::EventsFail || makes_events.contains(name))
                };
                for other in KINDS.into_iter().filter(suits) {
                    pairs += 1;
                    if let Err(panic) = self.run_with(&[(first, kind), (second, other)], &run) {
                        let at = format!("{first} {kind:?}, {second} {other:?}: {panic}");
                        problems.insert(self.faulted(), at);
                    }
                }
            }
        }
        println!(
            "{} calls, {runs} runs with one fault ({faults} seen), {pairs} with two",
            calls.len()
        );
        assert!(problems.is_empty(), "{problems:#?}");
    }
}

fn watch(is_over: &Receiver<()>, what: &str) {
    let limit = Duration::from_secs(if cfg!(miri) { 600 } else { 30 });
    if is_over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
        eprintln!("a run with {what} hangs after {:?}", last_calls());
        std::process::abort();
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
