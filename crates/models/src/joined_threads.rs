//! Threads that are joined before their owner is dropped.

use crate::once::lock;
use std::{
    sync::Mutex,
    thread::{self, JoinHandle},
};

/// Threads that are joined on drop. A process that exits while a plugin compiles on another thread
/// crashes: the plugin's static objects are destroyed under its compiler.
#[derive(Default)]
pub(crate) struct JoinedThreads(Mutex<Vec<JoinHandle<()>>>);

impl JoinedThreads {
    /// Starts work whose result is not awaited; if no thread can be started, the work is skipped.
    pub fn begin(&self, work: impl FnOnce() + Send + 'static) {
        let Ok(thread) = thread::Builder::new().spawn(work) else {
            return;
        };
        let mut threads = lock(&self.0);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
    }
}

impl Drop for JoinedThreads {
    fn drop(&mut self) {
        for thread in lock(&self.0).drain(..) {
            // The thread itself has reported a panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, time::Duration};

    #[test]
    fn what_was_begun_has_ended_when_the_handle_is_gone() {
        let (sender, receiver) = mpsc::channel();
        let threads = JoinedThreads::default();
        for number in 0..3 {
            let sender = sender.clone();
            threads.begin(move || {
                thread::sleep(Duration::from_millis(50));
                sender.send(number).unwrap();
            });
        }
        drop(threads);
        let mut done: Vec<i32> = receiver.try_iter().collect();
        done.sort_unstable();
        assert_eq!(done, [0, 1, 2]);
    }
}
