//! The platforms that the tests run on.

use hloom::Platform;
use hloom_test_support::CPUS;
use std::sync::LazyLock;

/// One client for each: they are expensive, and tests share them like the threads of a program.
static PLATFORMS: LazyLock<Vec<Platform>> = LazyLock::new(|| {
    pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let others = std::env::var("HLOOM_TEST_PLATFORMS").unwrap_or_default();
    let others = others.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "cpu");
    let open = |name: &str| {
        Platform::named(name).unwrap_or_else(|error| panic!("platform `{name}`: {error}"))
    };
    std::iter::once("cpu").chain(others).map(open).collect()
});

/// The CPU, and the platforms that `HLOOM_TEST_PLATFORMS` names.
pub fn platforms() -> &'static [Platform] {
    &PLATFORMS
}

/// The CPU.
pub fn cpu() -> &'static Platform {
    &PLATFORMS[0]
}

/// Six devices of the CPU, for programs over meshes.
pub fn cpus() -> &'static Platform {
    &CPUS
}
