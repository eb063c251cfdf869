//! Realizing: selecting nodes, running their program, storing the values.

use crate::{
    Lazy,
    failure::Failure,
    job::{Job, ParameterSource, Stop, Walk, check_platforms},
    node::{Node, NodeState, Realized},
    piece::GraphPiece,
    place::LazyPlatform,
    waits::{notify, selecting, wait},
};
use hloom_graph::Shape;
use hloom_runtime::{Argument, Buffer, Error, Result, with_call_owner};
use std::sync::{Arc, atomic::Ordering};
use tracing::debug_span;

/// Computes several tensors, as one program if more than one is pending, and all pending tensors
/// that they need and that have handles. Returns when the work is queued, as [`Lazy::realize`].
///
/// If the program does not compile, each tensor is computed by itself, so that only tensors that
/// cannot be computed fail.
///
/// # Errors
/// As [`Lazy::realize`], for the first tensor that has an error; or the tensors are on two
/// platforms.
#[track_caller]
pub fn realize_all<'a>(lazies: impl IntoIterator<Item = &'a Lazy>) -> Result<()> {
    let targets: Vec<&Lazy> = lazies.into_iter().collect();
    check_platforms(&targets).map_err(|failure| failure.to_error())?;
    run(&targets)
}

/// The buffers of a realized node.
pub(crate) fn buffers(node: &Node) -> Result<Realized> {
    match &*node.state() {
        NodeState::Realized(buffers) => Ok(buffers.clone()),
        NodeState::Failed(failure) => Err(failure.to_error()),
        NodeState::Number(_) | NodeState::Pending(_) | NodeState::Claimed(_) => {
            unreachable!("BUG: a realized node has a value or an error")
        }
    }
}

/// Nodes that this thread computes. They fail unless they get values or become pending again.
struct Claims {
    /// The number of the realization.
    number: u64,
    nodes: Vec<Arc<Node>>,
}

impl Claims {
    /// Takes the operands of the outputs, so that no other thread can see them.
    fn of(job: &mut Job, number: u64) -> (Claims, Vec<NodeState>) {
        let nodes = std::mem::take(&mut job.outputs);
        let claim =
            |node: &Arc<Node>| std::mem::replace(&mut *node.state(), NodeState::Claimed(number));
        let states = nodes.iter().map(claim).collect();
        (Claims { number, nodes }, states)
    }

    /// Ends the realization; `state` returns the state of a node by its position.
    fn end(&mut self, mut state: impl FnMut(usize, &Node) -> NodeState) {
        let nodes = std::mem::take(&mut self.nodes);
        let mut waits = selecting();
        for (at, node) in nodes.iter().enumerate() {
            let state = state(at, node);
            *node.state() = state;
        }
        waits.end(self.number);
        notify(&waits);
        drop(waits);
    }

    fn store(&mut self, buffers: Vec<Buffer>) {
        let mut buffers = buffers.into_iter().map(Arc::new);
        self.end(|_, node| NodeState::Realized(buffers.by_ref().take(node.shapes.len()).collect()));
    }

    /// Makes the nodes pending again, except those that failed.
    fn restore(
        &mut self,
        (place, job): (&Arc<LazyPlatform>, &Job),
        arguments: &[Option<Arc<Buffer>>],
        failure: &Failure,
        has_failed: impl Fn(&Node, &GraphPiece) -> bool,
    ) {
        let calls = job.restored(place, &self.nodes, arguments, failure);
        let mut own = Vec::with_capacity(self.nodes.len());
        for (node, call) in calls {
            if self.nodes.get(own.len()).is_some_and(|own| Arc::ptr_eq(own, &node)) {
                own.push(Some(call));
            } else {
                // Its users hold it.
                *node.state() = NodeState::Pending(call);
            }
        }
        self.end(|at, node| match own[at].take() {
            Some(call) if !has_failed(node, &call.piece) => NodeState::Pending(call),
            _ => NodeState::Failed(failure.clone()),
        });
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        if !self.nodes.is_empty() {
            let why: Box<dyn std::error::Error + Send + Sync> =
                "the thread that computed this tensor panicked".into();
            let failure = Failure::Program(Arc::new(Error::Above(why)));
            self.end(|_, _| NodeState::Failed(failure.clone()));
        }
    }
}

/// The reason why a program has no results.
struct Stopped {
    error: Box<Error>,
    /// The arguments that were not consumed, by position.
    arguments: Vec<Option<Arc<Buffer>>>,
    /// Whether it may have called functions of the host.
    may_have_run: bool,
}

/// An argument of a call.
enum RealizedBuffer {
    Shared(Arc<Buffer>),
    /// No other handle has it.
    Own(Buffer),
}

/// Realizes the targets, which are of one platform.
pub(crate) fn run(targets: &[&Lazy]) -> Result<()> {
    let is_realized = |target: &&Lazy| matches!(*target.node.state(), NodeState::Realized(_));
    if targets.iter().all(is_realized) {
        return Ok(());
    }
    let mut waits = selecting();
    let (walk, outputs) = loop {
        match Walk::of(targets) {
            Ok(walk) => {
                let outputs = walk.outputs(targets);
                break (walk, outputs);
            }
            Err(Stop::Failed(failure)) => return Err(failure.to_error()),
            Err(Stop::Wait(owner)) => waits = wait(waits, owner)?,
        }
    };
    if !outputs.contains(&true) {
        return Ok(());
    }
    let Some(place) = targets.iter().find_map(|target| target.node.place.clone()) else {
        return Ok(());
    };
    let mut job = Job::of(&walk, &outputs, false);
    let number = waits.begin();
    let (mut claims, states) = Claims::of(&mut job, number);
    drop(waits);
    // Drops the nodes that only the walk and the outputs held, with their operands.
    drop((walk, states));
    let Stopped { error, arguments, may_have_run } =
        match with_call_owner(number, || compute(&place, &mut job)) {
            Ok(buffers) => {
                claims.store(buffers);
                return Ok(());
            }
            Err(stopped) => stopped,
        };
    let failure = Failure::Program(Arc::new(*error));
    let is_target = |node: &Node| targets.iter().any(|target| std::ptr::eq(&*target.node, node));
    let is_one = targets.iter().all(|target| Arc::ptr_eq(&target.node, &targets[0].node));
    if may_have_run || is_one {
        // Another program may still compute values of this program that other tensors need.
        claims.restore((&place, &job), &arguments, &failure, |node, piece| {
            is_target(node) || may_have_run && piece.has_effects
        });
        return Err(failure.to_error());
    }
    // Each tensor is computed by itself, so that those without an error get their values.
    claims.restore((&place, &job), &arguments, &failure, |_, _| false);
    drop(job);
    let outcomes: Vec<Result<()>> = targets.iter().map(|&target| run(&[target])).collect();
    outcomes.into_iter().collect()
}

/// Runs the program of a job whose outputs are claimed.
fn compute(place: &Arc<LazyPlatform>, job: &mut Job) -> Result<Vec<Buffer>, Stopped> {
    let span = debug_span!(
        "realize",
        nodes = job.count(),
        inputs = job.parameters.len(),
        outputs = job.results().count(),
    );
    let _entered = span.entered();
    // A donation in a callback might wait for the program that waits for this callback.
    let may_donate = !place.platform.client().runs_handler();
    let mut free: Vec<Shape> = job.results().copied().collect();
    let count = job.parameters.len();
    let mut kept: Vec<Option<Arc<Buffer>>> = Vec::with_capacity(count);
    let mut consumed: Vec<Option<Buffer>> = Vec::with_capacity(count);
    for parameter in &mut job.parameters {
        let argument = match std::mem::replace(&mut parameter.source, ParameterSource::Taken) {
            ParameterSource::Lazy(lazy) => argument(lazy),
            ParameterSource::Number(_) | ParameterSource::Taken => {
                unreachable!("BUG: numbers are lifted here")
            }
        };
        let reused = match &argument {
            RealizedBuffer::Own(buffer) if may_donate => {
                free.iter().position(|s| s.fits(&buffer.shape()))
            }
            RealizedBuffer::Own(_) | RealizedBuffer::Shared(_) => None,
        };
        let (own, other) = match (argument, reused) {
            (RealizedBuffer::Own(buffer), Some(result)) => {
                free.swap_remove(result);
                (Some(buffer), None)
            }
            (RealizedBuffer::Own(buffer), None) => (None, Some(Arc::new(buffer))),
            (RealizedBuffer::Shared(buffer), _) => (None, Some(buffer)),
        };
        consumed.push(own);
        kept.push(other);
    }
    let donated: Vec<bool> = consumed.iter().map(Option::is_some).collect();
    job.structure.extend(donated.iter().map(|&donated| u64::from(donated)));
    let graph = || job.graph(&donated).map_err(Error::Trace);
    let exe = match place.programs.get(place, &job.structure, graph) {
        Ok(exe) => exe,
        Err(error) => {
            let all = consumed.into_iter().zip(kept);
            let arguments = all.map(|(own, kept)| own.map(Arc::new).or(kept)).collect();
            return Err(Stopped { error: error.into(), arguments, may_have_run: false });
        }
    };
    place.counters.runs.fetch_add(1, Ordering::Relaxed);
    let given = consumed.into_iter().zip(&kept).map(|(consumed, kept)| match (consumed, kept) {
        (Some(buffer), _) => Argument::Donated(buffer),
        (None, Some(buffer)) => Argument::Borrowed(buffer),
        (None, None) => unreachable!("BUG: what is not consumed is kept"),
    });
    let results = match exe.call(given.collect()) {
        Ok(results) => results,
        Err(error) => {
            return Err(Stopped { error: error.into(), arguments: kept, may_have_run: true });
        }
    };
    if job.host_calls().next().is_some() {
        // The functions must not wait for these buffers before they have returned; such a wait is
        // detected while the nodes are claimed. And if one function failed, no result is usable.
        if let Err(error) = results.iter().try_for_each(Buffer::ready) {
            return Err(Stopped { error: error.into(), arguments: kept, may_have_run: true });
        }
    }
    Ok(results)
}

/// The buffer of an argument, owned if no other handle has it.
fn argument(lazy: Lazy) -> RealizedBuffer {
    let result = lazy.result as usize;
    let buffer = match Arc::try_unwrap(lazy.node) {
        Ok(mut node) => match node.take() {
            NodeState::Realized(mut buffers) => buffers.swap_remove(result),
            _ => unreachable!("BUG: an argument is realized"),
        },
        Err(node) => match &*node.state() {
            NodeState::Realized(buffers) => buffers[result].clone(),
            _ => unreachable!("BUG: an argument is realized"),
        },
    };
    match Arc::try_unwrap(buffer) {
        // An executable may have the memory bound.
        Ok(mut buffer) => {
            if buffer.is_exclusive() {
                RealizedBuffer::Own(buffer)
            } else {
                RealizedBuffer::Shared(Arc::new(buffer))
            }
        }
        Err(buffer) => RealizedBuffer::Shared(buffer),
    }
}
