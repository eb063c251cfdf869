//! The CPU plugin: the file named by the environment, else that of the pinned package.

use hloom_pjrt::{Client, Error, Plugin};
use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// The CPU plugin's file, installed if it is missing.
///
/// # Panics
/// It cannot be installed.
pub fn plugin_path() -> &'static Path {
    static PATH: LazyLock<PathBuf> =
        LazyLock::new(|| pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed"));
    &PATH
}

/// The CPU plugin.
///
/// # Panics
/// It does not load.
pub fn plugin() -> Plugin {
    Plugin::load(plugin_path()).expect("the CPU plugin loads")
}

/// A client of its own with this many devices.
///
/// # Panics
/// The plugin does not create a client.
pub fn client(devices: i64) -> Client {
    let builder = plugin().client_builder().option("cpu_device_count", devices);
    builder.build().expect("a client of the CPU plugin")
}

/// The value of a call that the CPU plugin implements, unless its API has one of these minor
/// versions: then `None`.
///
/// # Panics
/// The plugin does not implement it, or is of such a version and does.
#[track_caller]
pub fn unless_unimplemented<T>(versions: &[i32], outcome: Result<T, Error>) -> Option<T> {
    let (_, minor) = plugin().version();
    match (outcome, versions.contains(&minor)) {
        (Ok(value), false) => Some(value),
        (Err(error), true) if error.is_unimplemented() => None,
        (Ok(_), true) => panic!("the plugin of API 0.{minor} implements it: name it no longer"),
        (Err(error), _) => panic!("the plugin of API 0.{minor}: {error}"),
    }
}
