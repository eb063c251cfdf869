//! Cuts: a pending graph that grows too large is realized by itself.
//!
//! An eager loop should be cut at the same op of its body each time, since the programs between two
//! cuts are equal then. So a graph that has reached the limit is cut at the next op at which an
//! earlier graph was cut; a much larger graph is cut at any op.

use crate::{Lazy, node::NodeState, place::LazyPlatform, realize::run};
use rustc_hash::FxHashSet;
use std::{
    cell::RefCell,
    collections::VecDeque,
    panic::Location,
    sync::{Arc, atomic::Ordering},
};

/// The line of an op and the number of its piece.
type Mark = (&'static Location<'static>, u64);

/// The maximum number of marks that a thread remembers.
const REMEMBERED: usize = 64;
/// A graph that exceeds the limit by this factor is cut at any op.
const BEYOND: usize = 4;

thread_local! {
    static CUTS: RefCell<VecDeque<Mark>> = const { RefCell::new(VecDeque::new()) };
}

/// Realizes a new pending tensor if its graph is too large; `nodes` and `bytes` are upper bounds.
pub(crate) fn cut(lazy: &Lazy, nodes: usize, bytes: usize) {
    let Some(place) = &lazy.node.place else { return };
    let limit = place.nodes.load(Ordering::Relaxed);
    let most = place.bytes.load(Ordering::Relaxed);
    if nodes >= limit || bytes >= most {
        cut_at_mark(place, lazy, (nodes, bytes), (limit, most));
    }
}

#[cold]
fn cut_at_mark(place: &LazyPlatform, lazy: &Lazy, bound: (usize, usize), limits: (usize, usize)) {
    let mark = match &*lazy.node.state() {
        NodeState::Pending(call) => (call.location, call.piece.id),
        _ => return,
    };
    // In a thread that is ending, the list may have been destroyed.
    let is_known = CUTS.try_with(|cuts| cuts.borrow().contains(&mark)).unwrap_or(false);
    let is_beyond = |(nodes, bytes): (usize, usize)| {
        nodes >= limits.0.saturating_mul(BEYOND) || bytes >= limits.1
    };
    if !is_known && !is_beyond(bound) {
        return;
    }
    let exact = size(lazy);
    if let NodeState::Pending(call) = &mut *lazy.node.state() {
        (call.nodes, call.bytes) = exact;
    }
    let is_over = exact.0 >= limits.0 || exact.1 >= limits.1;
    if !(is_over && is_known || is_beyond(exact)) {
        return;
    }
    if !is_known {
        let _ = CUTS.try_with(|cuts| {
            let mut cuts = cuts.borrow_mut();
            cuts.truncate(REMEMBERED - 1);
            cuts.push_front(mark);
        });
    }
    place.counters.cuts.fetch_add(1, Ordering::Relaxed);
    tracing::debug!(nodes = exact.0, bytes = exact.1, "a pending graph is cut");
    // The tensor remembers an error.
    let _ = run(&[lazy]);
}

/// The number of pending nodes that a tensor needs, and the bytes of their results.
fn size(lazy: &Lazy) -> (usize, usize) {
    let mut seen = FxHashSet::default();
    let mut stack = vec![lazy.node.clone()];
    let (mut nodes, mut bytes) = (0, 0usize);
    while let Some(node) = stack.pop() {
        if !seen.insert(Arc::as_ptr(&node)) {
            continue;
        }
        if let NodeState::Pending(call) = &*node.state() {
            nodes += 1;
            bytes = bytes.saturating_add(call.piece.bytes);
            stack.extend(call.operands.iter().map(|operand| operand.node.clone()));
        }
    }
    (nodes, bytes)
}
