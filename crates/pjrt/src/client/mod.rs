//! Clients: the devices of a platform, as this process uses them.

pub(crate) mod alive;
pub(crate) mod builder;
pub(crate) mod core;
pub(crate) mod counters;
mod create;
pub(crate) mod key_value;

use crate::{
    PlatformKind, Plugin,
    client::{core::ClientInner, counters::Alive},
    sys,
};
use std::sync::Arc;

#[cfg(doc)]
use crate::Error;

/// The devices of a platform. Cheap to clone.
///
/// A client lives until the last handle to it or to anything made by it (buffers, executables,
/// events, devices) is dropped, in whatever order that happens.
///
/// # Forked processes
/// A process that is forked from one with a client cannot use the plugin, since it has none of the
/// plugin's threads: neither the client and its objects, nor a new client. Calls return
/// [`Error::Forked`], and dropping a handle does nothing. Fork before the first client is made, or
/// start the other process by `exec`, as [`std::process::Command`] does. As in any forked process,
/// a lock that another thread held is never released: this includes those of a log's subscriber.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<ClientInner>,
}

impl Client {
    /// The plugin.
    pub fn plugin(&self) -> Plugin {
        self.inner.plugin
    }

    /// The name of the platform, such as `cpu` or `cuda`.
    pub fn platform_name(&self) -> &str {
        &self.inner.platform_name
    }

    /// The kind of the platform, by its name.
    pub fn platform_kind(&self) -> PlatformKind {
        self.inner.platform_kind()
    }

    /// The version of the platform, as the plugin reports it.
    pub fn platform_version(&self) -> &str {
        &self.inner.platform_version
    }

    /// The index of this process in a job of several.
    pub fn process_index(&self) -> i64 {
        self.inner.process_index
    }

    /// The number of living objects that this client made.
    pub fn alive(&self) -> Alive {
        self.inner.counters.alive()
    }

    /// Destroys the client now, on this thread.
    ///
    /// # Errors
    /// Returns the client if another handle to it, or something made by it, is still alive.
    pub fn shutdown(self) -> Result<(), Self> {
        Arc::try_unwrap(self.inner).map(drop).map_err(|inner| Self { inner })
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the client lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Client {
        self.inner.raw.as_ptr()
    }
}

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Client {}

/// The plugin, the platform's version if it has another than its name, and the number of devices.
impl std::fmt::Display for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (all, own) = (self.inner.devices.len(), self.inner.addressable.len());
        write!(f, "client of plugin {}: platform {}", self.plugin(), self.platform_name())?;
        if self.platform_version() != self.platform_name() {
            write!(f, " ({})", self.platform_version())?;
        }
        write!(f, ", {all} {}", if all == 1 { "device" } else { "devices" })?;
        if all == own {
            Ok(())
        } else {
            write!(f, ", {own} of them addressable by process {}", self.process_index())
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("platform", &self.platform_name())
            .field("devices", &self.inner.devices.len())
            .field("alive", &self.alive())
            .finish_non_exhaustive()
    }
}
