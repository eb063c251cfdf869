//! Nodes, which handles refer to.

use crate::{Lazy, failure::Failure, number::Number, piece::GraphPiece, place::LazyPlatform};
use hloom_graph::Shape;
use hloom_runtime::Buffer;
use smallvec::SmallVec;
use std::{
    panic::Location,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An op that was called, or the values that it returned.
pub(crate) struct Node {
    /// `None` for the error of a function without tensors.
    pub place: Option<Arc<LazyPlatform>>,
    /// The shapes of the results.
    pub shapes: Arc<[Shape]>,
    state: Mutex<NodeState>,
}

/// The progress of a node towards a value. It changes only under the lock of
/// [`realize`](crate::realize), except for new nodes.
pub(crate) enum NodeState {
    /// The same number for every element: an operand that is not a tensor.
    Number(Number),
    Realized(Realized),
    Pending(Call),
    /// A realization of this number computes it.
    Claimed(u64),
    Failed(Failure),
}

/// The realization number of nodes that no realization computes.
pub(crate) const NOBODY: u64 = 0;

/// The buffers of a node, one for each result.
pub(crate) type Realized = SmallVec<[Arc<Buffer>; 1]>;

/// A recorded op.
pub(crate) struct Call {
    pub piece: Arc<GraphPiece>,
    pub operands: SmallVec<[Lazy; 2]>,
    /// The user's line.
    pub location: &'static Location<'static>,
    /// An upper bound of the pending nodes that it needs, and itself.
    pub nodes: usize,
    /// An upper bound of the bytes of their results.
    pub bytes: usize,
}

impl Node {
    pub fn new(
        place: Option<Arc<LazyPlatform>>,
        shapes: Arc<[Shape]>,
        state: NodeState,
    ) -> Arc<Node> {
        Arc::new(Node { place, shapes, state: Mutex::new(state) })
    }

    /// The state. Every change of it is one assignment, so that a poisoned lock holds a complete
    /// state.
    pub fn state(&self) -> MutexGuard<'_, NodeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the state out of a node that nobody else holds.
    pub fn take(&mut self) -> NodeState {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(state, NodeState::Claimed(NOBODY))
    }
}

impl Drop for Node {
    /// Releases the operands without recursion: a chain of pending nodes may be long.
    fn drop(&mut self) {
        let NodeState::Pending(call) = self.take() else { return };
        let mut released = call.operands;
        while let Some(lazy) = released.pop() {
            if let Some(mut node) = Arc::into_inner(lazy.node)
                && let NodeState::Pending(mut call) = node.take()
            {
                released.append(&mut call.operands);
            }
        }
    }
}
