//! The tests of lazy tensors on the CPU plugin.

mod callbacks;
mod cuts;
mod errors;
mod memory;
mod random;
mod schedules;
mod sharing;
mod spans;
mod threads;
mod values;

use hloom_lazy::Lazy;
use hloom_runtime::Platform;
use hloom_test_support::{CPU, cpus};

/// A vector on the CPU that the tests share.
fn vector(values: &[f32]) -> Lazy {
    Lazy::from_slice(&CPU, values, [("n", values.len())]).unwrap()
}

/// A platform of its own: its counters are those of one test.
fn own_platform() -> Platform {
    cpus(1)
}
