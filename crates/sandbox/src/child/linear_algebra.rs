//! Handlers of linear algebra, which programs exported by JAX call.

use hloom_pjrt::Plugin;

/// Registers the handlers, and starts their threads: none can be started later.
#[cfg(feature = "linalg")]
pub fn register(plugin: Plugin) {
    // A plugin without the extension has no handlers; programs that call one do not compile.
    let Ok(ffi) = plugin.ffi() else { return };
    for (target, handlers) in hloom_linalg::handlers::all() {
        // A handler that the plugin has already stays.
        let _ = ffi.register(&target, &handlers);
    }
    rayon::current_num_threads();
}

#[cfg(not(feature = "linalg"))]
pub fn register(_: Plugin) {}
