//! The thread's traces, which record ops and errors.

mod builder;
mod caller;
mod emit;
mod graph_builder;
mod named_scope;
mod operand;
mod over_mesh;
mod region;
mod scope;

use crate::{Alias, Graph, MeshShape, RegionId, Shape, Tensor, TraceError, ValueId};
use std::{
    cell::RefCell, collections::VecDeque, mem::ManuallyDrop, panic::Location,
    sync::atomic::AtomicU32,
};

pub(crate) use builder::{Builder, OpError, Rule};
pub use caller::{called_from, function_scope};
pub use emit::record_error;
pub(crate) use emit::{apply, emit, fail};
pub use graph_builder::{GraphBuilder, GraphError};
pub use named_scope::{module_of, named_scope};
pub(crate) use region::{in_region, in_region_of, region_parameter};
pub use scope::TraceScope;

/// The number of ended traces whose names a thread remembers for error messages.
const REMEMBERED: usize = 64;

/// The limit on bodies within bodies. Passes, lowerings and compilers recurse over them, on stacks
/// that may be those of small threads.
pub const MAX_NESTING: usize = 64;

thread_local! {
    /// The value has no destructor, so that the destructors of other thread-local values can use
    /// tensors. Without open traces it holds no memory, so the thread leaks nothing.
    static TRACES: ManuallyDrop<RefCell<Traces>> =
        const { ManuallyDrop::new(RefCell::new(Traces::new())) };

    /// The ended traces whose names are remembered, the oldest first.
    static ENDED: RefCell<VecDeque<(u32, String)>> = const { RefCell::new(VecDeque::new()) };
}

fn with_traces<R>(look: impl FnOnce(&Traces) -> R) -> R {
    TRACES.with(|traces| look(&traces.borrow()))
}

fn with_traces_mut<R>(change: impl FnOnce(&mut Traces) -> R) -> R {
    TRACES.with(|traces| change(&mut traces.borrow_mut()))
}

static NEXT_ID: AtomicU32 = AtomicU32::new(0);

struct Traces {
    open: Vec<Trace>,
    /// Replaces the location of every op while [`called_from`] or [`function_scope`] runs.
    caller: Option<&'static Location<'static>>,
    /// The functions composed of ops that are running, outermost first.
    scopes: Vec<&'static str>,
}

pub(crate) struct Trace {
    id: u32,
    graph: Graph,
    regions: Vec<RegionId>,
    /// The bodies being traced whose parameters are operands of the enclosing op, and these
    /// operands.
    bound: Vec<(RegionId, Vec<ValueId>)>,
    /// The indices of loops, which count from 0.
    loop_indices: Vec<ValueId>,
    error: Option<TraceError>,
}

impl Traces {
    const fn new() -> Traces {
        Traces { open: Vec::new(), caller: None, scopes: Vec::new() }
    }

    /// Frees the memory of the lists when no trace is open.
    fn release(&mut self) {
        if self.open.is_empty() && self.scopes.is_empty() {
            (self.open, self.scopes) = (Vec::new(), Vec::new());
        }
    }

    fn name_of(&self, id: u32) -> String {
        let open = self.open.iter().find(|t| t.id == id).map(|t| format!("`{}`", t.graph.name));
        open.or_else(|| name_of_ended(id)).unwrap_or_else(|| "that ended long ago".into())
    }
}

/// Remembers the name of a trace that ends.
fn remember(id: u32, name: String) {
    // In destructors of thread-local values, the list may have been destroyed.
    let _ = ENDED.try_with(|ended| {
        let mut ended = ended.borrow_mut();
        if ended.len() == REMEMBERED {
            ended.pop_front();
        }
        ended.push_back((id, name));
    });
}

fn name_of_ended(id: u32) -> Option<String> {
    let name = ENDED.try_with(|ended| {
        let ended = ended.borrow();
        ended
            .iter()
            .find(|trace| trace.0 == id)
            .map(|(_, name)| format!("`{name}`, which has ended"))
    });
    name.ok().flatten()
}

impl Trace {
    fn record(&mut self, error: TraceError) {
        match &mut self.error {
            Some(first) => first.following += 1,
            None => self.error = Some(error),
        }
    }

    fn region(&self) -> RegionId {
        *self.regions.last().expect("the root region stays open")
    }

    fn record_error(
        &mut self,
        op: &'static str,
        operands: &[Tensor],
        location: &'static Location<'static>,
        message: String,
        scopes: &[&'static str],
    ) {
        let operands = self.operands(operands);
        // A function composed of ops may report an error as its own.
        let own = (scopes.last() != Some(&op)).then_some(op);
        let all: Vec<&'static str> = scopes.iter().copied().chain(own).collect();
        self.record(TraceError {
            operands,
            within: all[1..].to_vec(),
            ..TraceError::new(all[0], message, location)
        });
    }
}

/// The id of the innermost open trace, if any.
pub(crate) fn current_id() -> Option<u32> {
    with_traces(|traces| traces.open.last().map(|t| t.id))
}

/// The mesh of the innermost trace.
pub(crate) fn mesh() -> Option<MeshShape> {
    with_traces(|traces| traces.open.last()?.graph.mesh)
}

/// The mesh of the innermost trace, and whether ops are added to a manual body, which runs per
/// device on local parts; for higher crates.
pub fn trace_mesh() -> Option<(MeshShape, bool)> {
    with_traces(|traces| {
        let trace = traces.open.last()?;
        let is_manual = trace.graph.manual_around(trace.region()).is_some();
        Some((trace.graph.mesh?, is_manual))
    })
}

/// The shape of a tensor, or `None` if it is poisoned or belongs to another trace.
pub(crate) fn shape_of(tensor: Tensor) -> Option<Shape> {
    with_traces(|traces| {
        let trace = traces.open.iter().rev().find(|t| t.id == tensor.trace_id())?;
        (!tensor.has_failed()).then(|| trace.graph.shape(tensor.value()))
    })
}

/// Whether a trace is open on this thread.
pub(crate) fn is_open(id: u32) -> bool {
    with_traces(|traces| traces.open.iter().any(|trace| trace.id == id))
}

/// Marks a value of the innermost trace as the index of a loop, which is never negative.
pub(crate) fn mark_loop_index(index: Tensor) {
    with_traces_mut(|traces| {
        let trace = traces.open.last_mut().filter(|trace| trace.id == index.trace_id());
        if let Some(trace) = trace
            && !index.has_failed()
        {
            trace.loop_indices.push(index.value());
        }
    });
}

/// Whether a value of the innermost trace is the index of a loop.
pub(crate) fn is_loop_index(value: ValueId) -> bool {
    with_traces(|traces| traces.open.last().is_some_and(|t| t.loop_indices.contains(&value)))
}

/// Calls `look` with the graph of the innermost trace, if one is open.
pub(crate) fn current_graph<R>(look: impl FnOnce(&Graph) -> R) -> Option<R> {
    with_traces(|traces| traces.open.last().map(|trace| look(&trace.graph)))
}

/// Requests that a tensor reuse the memory of another, if that is a donated argument of the
/// innermost trace.
pub(crate) fn alias_argument(tensor: Tensor, argument: Tensor) {
    with_traces_mut(|traces| {
        let Some(trace) = traces.open.last_mut() else { return };
        let are_here =
            [tensor, argument].iter().all(|t| t.trace_id() == trace.id && !t.has_failed());
        if !are_here {
            return;
        }
        let position =
            trace.graph.root().parameters.iter().position(|&value| value == argument.value());
        if let Some(position) = position
            && trace.graph.parameters[position].donated
        {
            alias(&mut trace.graph, tensor.value(), position);
        }
    });
}

/// Requests that `value` reuse the memory of the parameter at index `parameter`.
pub(crate) fn alias(graph: &mut Graph, value: ValueId, parameter: usize) {
    graph.aliases.push(Alias { value, parameter });
}
