//! Compilations in the background.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// Threads that run the jobs of a queue. On drop, the queue is emptied and the threads are joined:
/// a process that exits while a plugin compiles on another thread crashes, since the plugin's
/// static objects are destroyed under its compiler.
#[derive(Default)]
pub(super) struct CompilePool {
    queue: Arc<Mutex<Queue>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The number of threads that will take another job.
    workers: usize,
}

type Job = Box<dyn FnOnce() + Send>;

impl CompilePool {
    /// Queues jobs, for at most as many threads as the machine has processors. Jobs are skipped if
    /// no thread can be started.
    pub fn begin(&self, jobs: impl IntoIterator<Item = Job>) {
        let limit = thread::available_parallelism().map_or(1, usize::from);
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        let mut queue = lock(&self.queue);
        queue.jobs.extend(jobs);
        let wanted = limit.min(queue.workers + queue.jobs.len());
        while queue.workers < wanted {
            let own = self.queue.clone();
            match thread::Builder::new().name("hloom-buckets".into()).spawn(|| work(own)) {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
            queue.workers += 1;
        }
    }
}

fn work(queue: Arc<Mutex<Queue>>) {
    loop {
        let job = {
            let mut queue = lock(&queue);
            let job = queue.jobs.pop_front();
            queue.workers -= usize::from(job.is_none());
            job
        };
        let Some(job) = job else {
            return;
        };
        // A panic of the traced function occurs again in the call that needs the program.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

impl Drop for CompilePool {
    fn drop(&mut self) {
        let skipped = std::mem::take(&mut lock(&self.queue).jobs);
        drop(skipped);
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join();
        }
    }
}

// A panic cannot leave the guarded data incomplete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, time::Duration};

    fn job(run: impl FnOnce() + Send + 'static) -> Job {
        Box::new(run)
    }

    #[test]
    fn every_job_runs_on_few_threads_also_after_a_panic() {
        let (sender, receiver) = mpsc::channel();
        let pool = CompilePool::default();
        pool.begin([job(|| panic!("a job of a test"))]);
        for number in 0..50 {
            let sender = sender.clone();
            pool.begin([job(move || sender.send(number).unwrap())]);
        }
        let mut done: Vec<i32> = receiver.iter().take(50).collect();
        done.sort_unstable();
        assert_eq!(done, Vec::from_iter(0..50));
    }

    #[test]
    fn dropping_ends_what_runs_and_skips_what_waits() {
        let (sender, receiver) = mpsc::channel();
        let pool = CompilePool::default();
        let jobs = 1000;
        pool.begin((0..jobs).map(|number| {
            let sender = sender.clone();
            job(move || {
                thread::sleep(Duration::from_millis(20));
                sender.send(number).unwrap();
            })
        }));
        drop((pool, sender));
        assert!(receiver.iter().count() < jobs, "the receiver ends, and jobs are skipped");
    }
}
