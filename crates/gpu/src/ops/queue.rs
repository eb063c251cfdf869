//! Programs to try, for several threads.

use super::plan::Planned;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, PoisonError},
};

/// The cases of a program.
pub type Together<'p> = Vec<&'p Planned<'p>>;

/// Programs in order; a thread that takes one may put parts of it in front.
pub struct Queue<'p> {
    state: Mutex<(VecDeque<Together<'p>>, usize)>,
    changed: Condvar,
}

impl<'p> Queue<'p> {
    /// A queue of programs.
    pub fn new(programs: impl IntoIterator<Item = Together<'p>>) -> Queue<'p> {
        let programs = programs.into_iter().collect();
        Queue { state: Mutex::new((programs, 0)), changed: Condvar::new() }
    }

    /// Runs the programs on this thread until none is left and no thread may put another; `run`
    /// returns what is to be run instead of a program, or an error that stops this thread.
    ///
    /// # Errors
    /// As `run`.
    pub fn work<E>(
        &self,
        mut run: impl FnMut(Together<'p>) -> Result<Vec<Together<'p>>, E>,
    ) -> Result<(), E> {
        loop {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let program = loop {
                if let Some(program) = state.0.pop_front() {
                    break program;
                }
                if state.1 == 0 {
                    return Ok(());
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            state.1 += 1;
            drop(state);
            let parts = run(program);
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.1 -= 1;
            self.changed.notify_all();
            for part in parts?.into_iter().rev() {
                state.0.push_front(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::plan::Suite;
    use std::{path::Path, thread};

    #[test]
    fn parts_of_a_program_are_run_too() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/it/data");
        let suite = Suite::load(&folder).unwrap();
        let plan = suite.plan(&[], false, Some("unary/")).unwrap();
        assert!(plan.len() > 20);
        let queue = Queue::new([plan.iter().collect::<Together<'_>>()]);
        let ended = Mutex::new(Vec::new());
        let work = || {
            queue.work::<()>(|program| match &program[..] {
                [case] => {
                    ended.lock().unwrap().push(case.id.clone());
                    Ok(Vec::new())
                }
                several => {
                    let (left, right) = several.split_at(several.len() / 2);
                    Ok(vec![left.to_vec(), right.to_vec()])
                }
            })
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| work().unwrap());
            }
        });
        let mut ended = ended.into_inner().unwrap();
        let mut all: Vec<String> = plan.iter().map(|case| case.id.clone()).collect();
        ended.sort_unstable();
        all.sort_unstable();
        assert_eq!(ended, all);
    }
}
