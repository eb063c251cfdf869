//! Reports what this machine has: LLVM and MLIR, plugins and their devices, caches.
//!
//! A plugin is foreign code that may crash, hang or end the process when it is loaded, so each is
//! loaded in a process of its own: this program again, with the arguments of [`Host::probe`] and
//! the plugin's path. The program has to call [`probe`] there.

#![forbid(unsafe_code)]

mod cache;
mod package;
mod plugin;
mod probe;
mod report;
#[path = "../../../build/toolchain.rs"]
mod toolchain;

pub use cache::Folder;
pub use package::Package;
pub use plugin::PluginReport;
pub use probe::{ClientReport, DeviceReport, ExtensionReport, Loaded, Probe, child as probe};
pub use report::{Report, ToolchainReport, XlaOptions};

/// The program that makes a report.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Its arguments before the path of a plugin, for a process that calls [`probe`] with it.
    pub probe: &'static [&'static str],
    /// The command that installs a plugin, without its name.
    pub install: &'static str,
}
