//! The caller of ops, as errors report it.

use super::with_traces_mut;
use std::panic::Location;

/// Runs `f` with `location` as the caller's location of all its ops, unless a [`function_scope`] has
/// another: for functions of higher crates that consist of several ops.
pub fn called_from<R>(location: &'static Location<'static>, f: impl FnOnce() -> R) -> R {
    let _restore = Restore::from(location);
    f()
}

/// Restores the location around a call, also when that panics.
struct Restore(Option<&'static Location<'static>>);

impl Restore {
    /// Sets the caller's location, unless a named scope has set it.
    fn from(location: &'static Location<'static>) -> Restore {
        Restore(with_traces_mut(|traces| {
            if traces.scopes.is_empty() { traces.caller.replace(location) } else { traces.caller }
        }))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        with_traces_mut(|traces| traces.caller = self.0);
    }
}

/// Runs `f` as one function, `name`, for error messages: an error of an op in it names the
/// function, then the op, and has the caller's line. In nested scopes the outermost function is the
/// one that the user called.
///
/// For layers and functions composed of ops, in a function with `#[track_caller]`. A closure of the
/// user's that they take should run outside of the scope, since its ops are the user's own.
///
/// ```
/// # use hloom_graph::{Spec, Tensor, TraceScope, function_scope};
/// #[track_caller]
/// fn standardize(x: Tensor) -> Tensor {
///     function_scope("standardize", || (x - x.mean_keep("time")) / x.var("time").sqrt())
/// }
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("batch", 2)]), false);
/// let error = trace.finish(vec![("y".into(), standardize(x))]).unwrap_err();
/// let expected = "standardize: there is no axis `time` in f32[batch=2] (in mean)\n";
/// assert!(error.to_string().starts_with(expected));
/// ```
#[track_caller]
pub fn function_scope<R>(name: &'static str, f: impl FnOnce() -> R) -> R {
    let _scope = Scope::open(name, Location::caller());
    f()
}

/// A named scope, which ends also when the function in it panics.
pub(super) struct Scope {
    /// The location around it.
    caller: Option<&'static Location<'static>>,
}

impl Scope {
    fn open(name: &'static str, location: &'static Location<'static>) -> Scope {
        with_traces_mut(|traces| {
            traces.scopes.push(name);
            Scope { caller: traces.caller.replace(traces.caller.unwrap_or(location)) }
        })
    }

    /// A scope whose ops all have this location.
    pub(super) fn open_at(name: &'static str, location: &'static Location<'static>) -> Scope {
        with_traces_mut(|traces| {
            traces.scopes.push(name);
            Scope { caller: traces.caller.replace(location) }
        })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        with_traces_mut(|traces| {
            traces.caller = self.caller;
            traces.scopes.pop();
            traces.release();
        });
    }
}
