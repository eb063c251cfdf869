//! Registration of the handlers with a plugin.

use super::{
    device,
    handler::OnHost,
    targets::{HOST_TARGET, REPLAYED_TARGET, TARGET},
};
use crate::{Error, Platform, Result};
use hloom_graph::Graph;
use hloom_pjrt::{PlatformKind, Plugin, extension::ffi::Handlers};
use std::sync::{Mutex, PoisonError};

/// Whether programs of a platform call callbacks.
pub(crate) fn are_callable(plugin: Plugin, platform: &str) -> bool {
    PlatformKind::of(platform).calls_handlers() && plugin.ffi().is_ok()
}

/// Registers the targets of callbacks with a plugin, for a platform such as `cuda`.
/// [`Platform::compile`] does so by itself; programs that are compiled ahead of time, without a
/// platform, need it.
///
/// # Errors
/// The plugin does not run custom call handlers.
pub fn register_callback_targets(plugin: Plugin, platform: &str) -> Result<()> {
    register(plugin, platform)
        .map_err(Error::plugin(format!("registering callbacks for `{platform}`")))
}

/// As [`register_callback_targets`], once per process.
pub(super) fn register(plugin: Plugin, platform: &str) -> hloom_pjrt::Result<()> {
    static KNOWN: Mutex<Vec<Plugin>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&plugin) {
        return Ok(());
    }
    let kind = PlatformKind::of(platform);
    if !kind.calls_handlers() {
        let message = format!("programs on `{platform}` call no handlers of the XLA FFI");
        return Err(hloom_pjrt::Error::Argument(message));
    }
    let ffi = plugin.ffi()?;
    match kind {
        PlatformKind::Cpu => {
            ffi.register(TARGET, &Handlers::new::<OnHost<false>>())?;
            ffi.register(REPLAYED_TARGET, &Handlers::new::<OnHost<true>>())?;
            ffi.register(HOST_TARGET, &Handlers::new::<OnHost<false>>())?;
        }
        _ => device::register(&ffi, platform)?,
    }
    known.push(plugin);
    Ok(())
}

/// The error of a platform that cannot call callbacks.
pub(super) fn refused(graph: &Graph, platform: &Platform, source: hloom_pjrt::Error) -> Error {
    let live = graph.live_host_calls();
    let named = graph.host_calls().iter().zip(live).filter(|(_, live)| *live);
    Error::NoCallbacks {
        platform: platform.name().into(),
        callbacks: named.map(|(call, _)| format!("`{}` at {}", call.name, call.location)).collect(),
        source: Box::new(source),
    }
}
