//! Linear algebra by handlers of custom calls: registration, and programs for platforms without
//! them.

use crate::{Error, Result};
use hloom_graph::{Graph, Op};
use hloom_pjrt::{PlatformKind, Plugin};

/// The platform whose plugins the handlers are registered with.
const PLATFORM: PlatformKind = PlatformKind::Cpu;

/// Registers the handlers of linear algebra with a plugin for CPUs, once per process; also those
/// that programs exported by JAX call. Without the feature `linalg` there are none.
///
/// A name that has another handler keeps it.
pub(crate) fn register(plugin: Plugin, platform: PlatformKind) {
    if platform == PLATFORM {
        register_handlers(plugin);
    }
}

#[cfg(feature = "linalg")]
fn register_handlers(plugin: Plugin) {
    use std::sync::{Mutex, PoisonError};
    static KNOWN: Mutex<Vec<Plugin>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&plugin) {
        return;
    }
    let ffi = match plugin.ffi() {
        Ok(ffi) => ffi,
        Err(error) => return tracing::debug!(%error, "no handlers of linear algebra"),
    };
    for (target, handlers) in hloom_linalg::handlers::all() {
        if let Err(error) = ffi.register(&target, &handlers) {
            tracing::debug!(%target, %error, "a handler of linear algebra is not registered");
        }
    }
    known.push(plugin);
}

#[cfg(not(feature = "linalg"))]
fn register_handlers(_: Plugin) {}

/// Whether a custom call has a handler of linear algebra, which checks its arguments.
#[cfg(feature = "linalg")]
pub(crate) fn is_handler(platform: PlatformKind, target: &str) -> bool {
    use std::{collections::HashSet, sync::LazyLock};
    static NAMES: LazyLock<HashSet<String>> =
        LazyLock::new(|| hloom_linalg::handlers::all().into_iter().map(|(name, _)| name).collect());
    platform == PLATFORM && NAMES.contains(target)
}

#[cfg(not(feature = "linalg"))]
pub(crate) fn is_handler(_: PlatformKind, _: &str) -> bool {
    false
}

/// Checks that a platform has handlers for the ops of a graph.
pub(crate) fn check(graph: &Graph, platform: &str) -> Result<()> {
    let is_there = PlatformKind::of(platform) == PLATFORM && cfg!(feature = "linalg");
    let missing = graph.nodes().find_map(|(_, node)| match &node.op {
        Op::CustomCall(call) if !is_there => {
            let name = hloom_graph::linear_algebra_name(&call.target)?;
            Some(Error::NoLinearAlgebra {
                name,
                platform: platform.into(),
                location: node.location,
            })
        }
        _ => None,
    });
    missing.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hloom_graph::{Spec, TraceScope};

    #[test]
    fn a_platform_without_handlers_is_an_error_that_names_the_function() {
        let trace = TraceScope::begin("spectrum");
        let x = trace.parameter("x", &Spec::f32([4, 3]), false);
        let factor = x.slice(-2, ..3).cholesky();
        let graph = trace.finish(vec![("s".into(), factor.svdvals())]).expect("the shapes fit");
        assert_eq!(check(&graph, "cpu").is_ok(), cfg!(feature = "linalg"));
        let error = check(&graph, "cuda").expect_err("there are no handlers").to_string();
        let expected = "`svd` runs on the CPU only, with the feature `linalg`: platform `cuda` has \
                        `cholesky`, `triangular_solve` and `fft`\n  at ";
        assert!(error.starts_with(expected), "{error}");
        assert!(error.contains(file!()), "{error}");
    }
}
