//! Warnings about programs that are compiled again and again from one line.

use hloom_graph::Graph;
use rustc_hash::FxHasher;
use std::{
    collections::{HashMap, HashSet},
    hash::{Hash, Hasher},
    panic::Location,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

/// The number of compilations for the same arguments from one line, or of calls of a jitted
/// function that all compiled, at which a warning is logged.
pub(crate) const REPEATED: u64 = 5;

/// The number of lines that are remembered; then counting begins anew.
const MAX_LINES: usize = 1 << 12;

#[derive(Default)]
struct Lines {
    /// Compilations by line, name and arguments.
    compilations: HashMap<u64, u64>,
    /// Each line is warned about once.
    warned: HashSet<Location<'static>>,
}

static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(Mutex::default);

// A panic cannot leave the counts incomplete.
fn lines() -> MutexGuard<'static, Lines> {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.compilations.len().max(lines.warned.len()) >= MAX_LINES {
        *lines = Lines::default();
    }
    lines
}

/// Counts a compilation of a function, and warns about one that is compiled for the same arguments
/// each time, as in a loop.
pub(super) fn count(graph: &Graph) {
    // The source line of the compilation is that of the arguments.
    let Some(&first) = graph.root().parameters.first() else { return };
    let location = graph.node(graph.value(first).node).location;
    let mut hasher = FxHasher::default();
    (location, graph.name(), graph.mesh()).hash(&mut hasher);
    for (parameter, &value) in graph.parameters().iter().zip(&graph.root().parameters) {
        (&parameter.name, graph.shape(value), parameter.donated).hash(&mut hasher);
    }
    let mut lines = lines();
    let compilations = lines.compilations.entry(hasher.finish()).or_default();
    *compilations += 1;
    if *compilations >= REPEATED && lines.warned.insert(*location) {
        tracing::warn!(
            program = graph.name(),
            %location,
            "compiled {REPEATED} times for the same arguments: compile it once, outside of the \
             loop, and pass what changes as an argument"
        );
    }
}

/// Warns about a jitted function that compiles at every call.
pub(crate) fn never_hits(name: &str, location: &'static Location<'static>) {
    if lines().warned.insert(*location) {
        tracing::warn!(
            program = name,
            %location,
            "each of {REPEATED} calls of the jitted function compiled it: pass arguments of few \
             shapes, padded or in `Buckets`, and fields that are equal"
        );
    }
}
