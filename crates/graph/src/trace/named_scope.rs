//! The names of modules around ops, as JAX's name stack.
//!
//! A node keeps its modules in its location: ops traced in a module have a copy of the source line
//! that is made for that line and that path. So passes and derivatives, which keep locations, keep
//! the modules too. A copy lives as long as the process, and there is one copy for each combination
//! of a source line and a module path that occurs.

use super::{caller::Scope, with_traces};
use std::{
    collections::HashMap,
    panic::Location,
    ptr,
    sync::{
        LazyLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

type Line = &'static Location<'static>;

#[derive(Default)]
struct Interned {
    paths: HashMap<(&'static str, &'static str), &'static str>,
    lines: HashMap<(Location<'static>, &'static str), Line>,
    /// The path of each copy, by its address.
    modules: HashMap<usize, &'static str>,
}

/// Whether there is any copy, so that programs without modules look nothing up.
static IS_USED: AtomicBool = AtomicBool::new(false);

static INTERNED: LazyLock<RwLock<Interned>> = LazyLock::new(RwLock::default);

/// As [`function_scope`](crate::function_scope), and `name` is a module of the program: it becomes part
/// of the locations of the ops that `f` records, after the names of the modules around it, as
/// `jax.function_scope`. Dumps, lists of kernels and reports show `attention/softmax/dot_general`.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, module_of, named_scope};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([2]), false);
/// let y = named_scope("block", || named_scope("gate", || x.tanh()) * x);
/// let graph = trace.finish(vec![("y".into(), y)])?;
/// let modules: Vec<_> = graph.nodes().map(|(_, node)| module_of(node.location)).collect();
/// assert_eq!(modules, [None, Some("block/gate"), Some("block")]);
/// # Ok::<(), hloom_graph::TraceError>(())
/// ```
#[track_caller]
pub fn named_scope<R>(name: &'static str, f: impl FnOnce() -> R) -> R {
    let caller = Location::caller();
    let location = with_traces(|traces| traces.caller).unwrap_or(caller);
    let path = path(module_of(location).unwrap_or(""), name);
    let _scope = Scope::open_at(name, line(location, path));
    f()
}

/// The path of the modules that an op was traced in, by the location of its node; `None` outside of
/// modules.
pub fn module_of(location: &'static Location<'static>) -> Option<&'static str> {
    if !IS_USED.load(Ordering::Acquire) {
        return None;
    }
    let interned = INTERNED.read().unwrap_or_else(PoisonError::into_inner);
    interned.modules.get(&ptr::from_ref(location).addr()).copied()
}

/// The location of an op that is recorded at `location` while `caller` replaces the locations of
/// ops: an op that is recorded again, in a pass or a derivative, keeps its own, inner module.
pub(super) fn innermost(caller: Option<Line>, location: Line) -> Line {
    let Some(caller) = caller else { return location };
    let is_within = |inner: &str| match module_of(caller) {
        Some(outer) => inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/')),
        None => true,
    };
    if module_of(location).is_some_and(is_within) { location } else { caller }
}

/// The path of a module in another.
fn path(outer: &'static str, name: &'static str) -> &'static str {
    if outer.is_empty() {
        return name;
    }
    let mut interned = INTERNED.write().unwrap_or_else(PoisonError::into_inner);
    interned.paths.entry((outer, name)).or_insert_with(|| format!("{outer}/{name}").leak())
}

/// The copy of a source line for a path.
fn line(location: Line, path: &'static str) -> Line {
    let mut interned = INTERNED.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = interned.lines.get(&(*location, path)) {
        return found;
    }
    let copy: Line = Box::leak(Box::new(*location));
    interned.lines.insert((*location, path), copy);
    interned.modules.insert(ptr::from_ref(copy).addr(), path);
    IS_USED.store(true, Ordering::Release);
    copy
}
