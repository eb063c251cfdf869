//! The child process of a sandbox.

#[cfg(target_os = "linux")]
mod compiled;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod interface;
#[cfg(target_os = "linux")]
mod linear_algebra;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod start;

use std::{
    env,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// The first argument of a child; the next ones are the parent's process and the plugin.
pub const MARKER: &str = "--hloom-sandbox-child";

static ENTERED: AtomicBool = AtomicBool::new(false);

/// Lets this program be the child of its own sandboxes: call it first in `main`.
///
/// In such a child it does not return. Elsewhere it returns at once, and sandboxes of this process
/// whose program is not set run this program as their child.
///
/// ```no_run
/// // The first line of `main`.
/// hloom_sandbox::enter();
/// ```
pub fn enter() {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != MARKER) {
        return ENTERED.store(true, Relaxed);
    }
    #[cfg(target_os = "linux")]
    if let (Some(parent), Some(plugin)) = (arguments.next(), arguments.next()) {
        serve::serve(&parent, plugin.as_ref());
    }
    std::process::exit(1);
}

/// Whether this program can be its own child.
pub fn was_entered() -> bool {
    ENTERED.load(Relaxed)
}
