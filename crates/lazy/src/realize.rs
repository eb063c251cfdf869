//! Realizing: selecting nodes, running their program, storing the values.

use crate::{
    Lazy,
    failure::Failure,
    job::{Job, Source, Stop, Walk, check_platforms},
    node::{Node, Realized, State},
    place::Place,
};
use hloom_graph::Shape;
use hloom_runtime::{Buffer, Error, Given, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering};
use tracing::debug_span;

/// Held while nodes are selected and claimed, and while their values are stored.
static SELECTING: Mutex<()> = Mutex::new(());
/// Signals that claimed nodes have a value or an error.
static DONE: Condvar = Condvar::new();

/// Holds the lock under which no node changes its state.
pub(crate) fn selecting() -> MutexGuard<'static, ()> {
    SELECTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a thread has stored values.
pub(crate) fn wait(guard: MutexGuard<'static, ()>) -> MutexGuard<'static, ()> {
    DONE.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Computes several tensors, as one program if more than one is pending, and all pending tensors
/// that they need and that have handles. Returns when the work is queued.
///
/// # Errors
/// As [`Lazy::realize`]; or they are on two platforms.
#[track_caller]
pub fn realize_all<'a>(lazies: impl IntoIterator<Item = &'a Lazy>) -> Result<()> {
    let targets: Vec<&Lazy> = lazies.into_iter().collect();
    check_platforms(&targets).map_err(|failure| failure.to_error())?;
    run(&targets)
}

/// The buffers of a realized node.
pub(crate) fn buffers(node: &Node) -> Result<Realized> {
    match &*node.state() {
        State::Realized(buffers) => Ok(buffers.clone()),
        State::Failed(failure) => Err(failure.to_error()),
        State::Number(_) | State::Pending(_) | State::Claimed => {
            unreachable!("BUG: a realized node has a value or an error")
        }
    }
}

/// Nodes that this thread computes. They fail unless they get values.
struct Claims {
    nodes: Vec<Arc<Node>>,
}

impl Claims {
    /// Takes the operands of the outputs, which nobody else can see then.
    fn of(job: &mut Job) -> (Claims, Vec<State>) {
        let nodes = std::mem::take(&mut job.outputs);
        let claim = |node: &Arc<Node>| std::mem::replace(&mut *node.state(), State::Claimed);
        let states = nodes.iter().map(claim).collect();
        (Claims { nodes }, states)
    }

    fn store(&mut self, buffers: Vec<Buffer>) {
        let mut buffers = buffers.into_iter().map(Arc::new);
        let nodes = std::mem::take(&mut self.nodes);
        let guard = selecting();
        for node in &nodes {
            let own = buffers.by_ref().take(node.shapes.len()).collect();
            *node.state() = State::Realized(own);
        }
        DONE.notify_all();
        drop(guard);
    }

    fn fail(&mut self, failure: &Failure) {
        let nodes = std::mem::take(&mut self.nodes);
        let guard = selecting();
        for node in &nodes {
            *node.state() = State::Failed(failure.clone());
        }
        DONE.notify_all();
        drop(guard);
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        if !self.nodes.is_empty() {
            let why: Box<dyn std::error::Error + Send + Sync> =
                "the thread that computed this tensor panicked".into();
            self.fail(&Failure::Program(Arc::new(Error::Above(why))));
        }
    }
}

/// An argument of a call.
enum Argument {
    Shared(Arc<Buffer>),
    /// No other handle has it.
    Own(Buffer),
}

/// Realizes the targets, which are of one platform.
pub(crate) fn run(targets: &[&Lazy]) -> Result<()> {
    let is_realized = |target: &&Lazy| matches!(*target.node.state(), State::Realized(_));
    if targets.iter().all(is_realized) {
        return Ok(());
    }
    let mut guard = selecting();
    let (walk, outputs) = loop {
        match Walk::of(targets) {
            Ok(walk) => {
                let outputs = walk.outputs(targets);
                break (walk, outputs);
            }
            Err(Stop::Failed(failure)) => return Err(failure.to_error()),
            Err(Stop::Wait) => guard = wait(guard),
        }
    };
    if !outputs.contains(&true) {
        return Ok(());
    }
    let Some(place) = targets.iter().find_map(|target| target.node.place.clone()) else {
        return Ok(());
    };
    let mut job = Job::of(&walk, &outputs, false);
    let (mut claims, states) = Claims::of(&mut job);
    drop(guard);
    // The nodes that only the walk and the outputs held are gone then, with their operands.
    drop((walk, states));
    match compute(&place, job) {
        Ok(buffers) => {
            claims.store(buffers);
            Ok(())
        }
        Err(error) => {
            let failure = Failure::Program(Arc::new(error));
            claims.fail(&failure);
            Err(failure.to_error())
        }
    }
}

/// Runs the program of a job whose outputs are claimed.
fn compute(place: &Place, mut job: Job) -> Result<Vec<Buffer>> {
    let span = debug_span!(
        "realize",
        nodes = job.count(),
        inputs = job.parameters.len(),
        outputs = job.results().count(),
    );
    let _entered = span.entered();
    let mut free: Vec<Shape> = job.results().copied().collect();
    let count = job.parameters.len();
    let mut kept: Vec<Arc<Buffer>> = Vec::with_capacity(count);
    let mut consumed: Vec<Option<Buffer>> = Vec::with_capacity(count);
    let mut parameters = std::mem::take(&mut job.parameters);
    for parameter in &mut parameters {
        let argument = match std::mem::replace(&mut parameter.source, Source::Taken) {
            Source::Lazy(lazy) => argument(lazy)?,
            Source::Number(_) | Source::Taken => unreachable!("BUG: numbers are lifted here"),
        };
        let reused = match &argument {
            Argument::Own(buffer) => free.iter().position(|s| s.same_layout(&buffer.shape())),
            Argument::Shared(_) => None,
        };
        match (argument, reused) {
            (Argument::Own(buffer), Some(result)) => {
                free.swap_remove(result);
                consumed.push(Some(buffer));
            }
            (Argument::Own(buffer), None) => {
                consumed.push(None);
                kept.push(Arc::new(buffer));
            }
            (Argument::Shared(buffer), _) => {
                consumed.push(None);
                kept.push(buffer);
            }
        }
    }
    let donated: Vec<bool> = consumed.iter().map(Option::is_some).collect();
    job.structure.extend(donated.iter().map(|&donated| u64::from(donated)));
    job.parameters = parameters;
    let graph = || job.graph(&donated).map_err(Error::Trace);
    let exe = place.programs.get(place, &job.structure, graph)?;
    place.counters.runs.fetch_add(1, Ordering::Relaxed);
    let mut kept = kept.iter();
    let given = consumed.into_iter().map(|consumed| match consumed {
        Some(buffer) => Given::Donated(buffer),
        None => Given::Borrowed(kept.next().expect("BUG: what is not consumed is kept")),
    });
    exe.call(given.collect())
}

/// The buffer of an argument, owned if no other handle has it.
fn argument(lazy: Lazy) -> Result<Argument> {
    let result = lazy.result as usize;
    let buffer = match Arc::try_unwrap(lazy.node) {
        Ok(mut node) => match node.take() {
            State::Realized(mut buffers) => buffers.swap_remove(result),
            _ => unreachable!("BUG: an argument is realized"),
        },
        Err(node) => buffers(&node)?[result].clone(),
    };
    Ok(match Arc::try_unwrap(buffer) {
        // An executable may have the memory bound.
        Ok(buffer) if Arc::strong_count(buffer.as_pjrt()) == 1 => Argument::Own(buffer),
        Ok(buffer) => Argument::Shared(Arc::new(buffer)),
        Err(buffer) => Argument::Shared(buffer),
    })
}
