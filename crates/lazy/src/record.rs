//! Recording: the scratch trace of an op, in which handles become arguments.

use crate::{
    Lazy,
    cut::cut,
    failure::Failure,
    node::{Call, NodeState},
    piece::GraphPiece,
    place::LazyPlatform,
};
use hloom_graph::{
    Graph, Operand, OperandInfo, Spec, StartIndex, Tensor, TraceError, TraceScope, Tree,
    called_from, record_error,
};
use smallvec::SmallVec;
use std::{cell::RefCell, mem::ManuallyDrop, panic::Location, rc::Rc, sync::Arc};

/// A scratch trace and the handles that became its arguments.
struct Capture {
    scope: Rc<TraceScope>,
    place: Option<Arc<LazyPlatform>>,
    operands: SmallVec<[Lazy; 2]>,
    tensors: SmallVec<[Tensor; 2]>,
    /// The line of the op, if the function is one of this crate.
    caller: Option<&'static Location<'static>>,
    /// The error of an operand.
    failed: Option<Failure>,
}

thread_local! {
    /// The scratch traces of this thread, outermost first.
    ///
    /// The value has no destructor, so that the destructors of other thread-local values can use
    /// tensors. It holds no memory outside of captures, so the thread leaks nothing.
    static CAPTURES: ManuallyDrop<RefCell<Vec<Capture>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

fn with_captures<R>(change: impl FnOnce(&mut Vec<Capture>) -> R) -> R {
    CAPTURES.with(|captures| change(&mut captures.borrow_mut()))
}

/// Ends the innermost capture.
fn end_capture() -> Option<Capture> {
    with_captures(|captures| {
        let ended = captures.pop();
        if captures.is_empty() {
            *captures = Vec::new();
        }
        ended
    })
}

/// The name of an argument for a handle.
const ARGUMENT: &str = "lazy tensor";

/// The caller's line and the platform of a recorded op.
pub(crate) struct Recorder {
    /// The platform, if it is known before the operands.
    pub place: Option<Arc<LazyPlatform>>,
    pub location: &'static Location<'static>,
    /// Whether all ops get the caller's line, since the function is one of this crate.
    pub is_method: bool,
}

/// The record of a scratch trace.
struct Recorded {
    place: Option<Arc<LazyPlatform>>,
    operands: SmallVec<[Lazy; 2]>,
    graph: Result<Graph, Failure>,
}

/// Calls a function in a scratch trace, and returns its results by their paths. It is called once.
type Traced<'a> = &'a mut dyn FnMut() -> Vec<(String, Tensor)>;

impl Recorder {
    /// Records the ops that `f` calls in a scratch trace, as one node.
    pub fn record<R: Tree<Leaf = Tensor>>(self, f: impl FnOnce() -> R) -> R::With<Lazy> {
        let (mut f, mut results) = (Some(f), None);
        let recorded = self.results(&mut || {
            let Some(f) = f.take() else { return Vec::new() };
            let tree = f();
            let mut named = Vec::new();
            tree.visit(&mut |path, &tensor| named.push((path.to_string(), tensor)));
            results = Some(tree);
            named
        });
        let mut next = 0;
        results.expect("the function was called").map(&mut |_, _| {
            next += 1;
            recorded.at(next - 1)
        })
    }

    /// The piece of the op that `f` calls on these operands, all of them arguments.
    pub fn piece(
        self,
        operands: &[Lazy],
        f: impl Fn() -> Tensor,
    ) -> Result<Arc<GraphPiece>, Failure> {
        let recorded = self.trace(&mut || {
            operands.iter().for_each(|operand| {
                operand.tensor();
            });
            vec![(String::new(), f())]
        });
        recorded.graph.map(GraphPiece::of)
    }

    /// The results of a function.
    fn results(self, f: Traced<'_>) -> Results {
        let location = self.location;
        let Recorded { place, operands, graph } = self.trace(f);
        let graph = graph.and_then(|graph| match &place {
            Some(place) => Ok((graph, place)),
            None => Err(no_place(location)),
        });
        let node = graph.and_then(|(graph, place)| {
            if graph.results().is_empty() {
                Ok(None)
            } else {
                let lazy = record_piece(place.clone(), GraphPiece::of(graph), operands, location)?;
                Ok(Some(lazy))
            }
        });
        Results { place, node }
    }

    fn trace(self, f: Traced<'_>) -> Recorded {
        /// Ends the capture also when the function panics.
        struct End;
        impl Drop for End {
            fn drop(&mut self) {
                drop(end_capture());
            }
        }
        let Recorder { place, location, is_method } = self;
        let scope = Rc::new(TraceScope::begin("lazy"));
        let (operands, tensors) = (SmallVec::new(), SmallVec::new());
        let caller = is_method.then_some(location);
        let capture =
            Capture { scope: scope.clone(), place, operands, tensors, caller, failed: None };
        with_captures(|captures| captures.push(capture));
        let end = End;
        let named = if is_method { called_from(location, f) } else { f() };
        std::mem::forget(end);
        let capture = end_capture();
        let capture = capture.expect("a function ends the captures that it begins");
        let Capture { scope: other, place, operands, failed, .. } = capture;
        drop(other);
        let scope = Rc::into_inner(scope).expect("the capture had the only other handle");
        let graph = scope.finish(named).map_err(|error| Failure::Trace(Arc::new(unnamed(error))));
        let graph = failed.map_or(graph, Err);
        Recorded { place, operands, graph }
    }
}

/// The node of a function, or its error.
struct Results {
    place: Option<Arc<LazyPlatform>>,
    /// `None` for a function without results.
    node: Result<Option<Lazy>, Failure>,
}

impl Results {
    /// The handle of a result.
    fn at(&self, result: u32) -> Lazy {
        match &self.node {
            Ok(lazy) => {
                let lazy = lazy.as_ref().expect("a node was recorded for the results");
                Lazy { node: lazy.node.clone(), result }
            }
            Err(failure) => Lazy::failed(self.place.clone(), failure.clone()),
        }
    }
}

/// The error of a function without any lazy tensor.
fn no_place(location: &'static Location<'static>) -> Failure {
    failure("call", "no lazy tensor is an argument or captured: there is no platform", location)
}

fn failure(
    op: &'static str,
    message: impl Into<String>,
    location: &'static Location<'static>,
) -> Failure {
    let (message, operands) = (message.into(), Vec::new());
    let mut error = TraceError::new(op, message, location);
    error.operands = operands;
    Failure::Trace(Arc::new(error))
}

/// The error without the names of scratch arguments.
fn unnamed(mut error: TraceError) -> TraceError {
    for OperandInfo { name, .. } in &mut error.operands {
        if name.as_deref() == Some(ARGUMENT) {
            *name = None;
        }
    }
    error
}

/// A pending node of a piece on operands, or the error of one of them.
pub(crate) fn record_piece(
    place: Arc<LazyPlatform>,
    piece: Arc<GraphPiece>,
    operands: SmallVec<[Lazy; 2]>,
    location: &'static Location<'static>,
) -> Result<Lazy, Failure> {
    let (mut nodes, mut bytes) = (1usize, piece.bytes);
    for operand in &operands {
        match &*operand.node.state() {
            NodeState::Pending(call) => {
                nodes = nodes.saturating_add(call.nodes);
                bytes = bytes.saturating_add(call.bytes);
            }
            NodeState::Claimed(_) => nodes = nodes.saturating_add(1),
            NodeState::Number(_) | NodeState::Realized(_) => {}
            NodeState::Failed(failure) => return Err(failure.clone()),
        }
    }
    let shapes = piece.results.clone();
    let call = Call { piece, operands, location, nodes, bytes };
    let lazy = Lazy::new(Some(place), shapes, NodeState::Pending(call), 0);
    cut(&lazy, nodes, bytes);
    Ok(lazy)
}

/// The error of tensors of two platforms.
pub(crate) fn two_platforms(
    op: &'static str,
    [a, b]: [&LazyPlatform; 2],
    location: &'static Location<'static>,
) -> Failure {
    let message = format!("the operands are on two platforms, {} and {}", a.platform, b.platform);
    failure(op, message, location)
}

impl Lazy {
    /// The tensor in a traced function that [`call`](crate::call) or a method of a lazy tensor
    /// applies: it becomes an argument of the function.
    ///
    /// In other traces, such as those of [`Platform::compile`](hloom_runtime::Platform::compile),
    /// it is an error of the trace.
    #[track_caller]
    pub fn tensor(&self) -> Tensor {
        let location = Location::caller();
        let captured = with_captures(|captures| {
            let Some(capture) = captures.last_mut() else {
                let why = "a lazy tensor is used in a function that is not applied by `lazy::call`";
                return Err(format!("{why}: pass it as an argument"));
            };
            if let Some(failure) = self.failure() {
                capture.failed.get_or_insert(failure);
                return Err("an op that led to this lazy tensor failed".into());
            }
            let own = self.node.place.as_ref().expect("only a failed tensor has no place");
            let place = capture.place.get_or_insert_with(|| own.clone());
            if !place.platform.is_same(&own.platform) {
                let failure =
                    two_platforms("lazy", [place, own], capture.caller.unwrap_or(location));
                let message = failure.to_string();
                capture.failed.get_or_insert(failure);
                return Err(message);
            }
            let known = capture.operands.iter().position(|operand| operand.is_same(self));
            Ok(known.map(|at| capture.tensors[at]).unwrap_or_else(|| {
                let spec = Spec::of(self.shape());
                let tensor = capture.scope.parameter_at(location, ARGUMENT, &spec, false);
                capture.operands.push(self.clone());
                capture.tensors.push(tensor);
                tensor
            }))
        });
        captured.unwrap_or_else(|message| record_error("lazy", &[], message))
    }
}

impl Operand for &Lazy {
    #[track_caller]
    fn like(self, _: Tensor) -> Tensor {
        self.tensor()
    }
}

impl Operand for Lazy {
    #[track_caller]
    fn like(self, _: Tensor) -> Tensor {
        self.tensor()
    }
}

impl StartIndex for &Lazy {
    #[track_caller]
    fn start(self) -> Tensor {
        self.tensor()
    }
}
