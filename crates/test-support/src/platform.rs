//! Platforms of the CPU plugin, shared by the tests of a program: a client is expensive.

use crate::plugin_path;
use hloom_runtime::Platform;
use std::sync::LazyLock;

/// The CPU with default settings.
pub static CPU: LazyLock<Platform> =
    LazyLock::new(|| Platform::load(plugin_path()).expect("the CPU plugin creates a client"));

/// Six devices of the CPU, for programs over meshes.
pub static CPUS: LazyLock<Platform> = LazyLock::new(|| cpus(6));

/// A platform of its own with this many devices of the CPU.
///
/// # Panics
/// The plugin creates no client.
pub fn cpus(count: i64) -> Platform {
    let builder = Platform::builder().plugin(plugin_path());
    let builder = builder.client_option("cpu_device_count", count);
    builder.build().expect("the CPU plugin creates a client")
}
