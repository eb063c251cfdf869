//! Statistics of a plugin that keeps them: the CPU plugin keeps none of devices, and makes no
//! estimates of costs.

use fake_plugin::working::Session;
use hloom_pjrt::{CompileOptions, NamedValue, Program};
use hloom_test_support::CompileOwn;

use crate::{client, script::ADD};

/// G6: the memory statistics of a device, of which some are not kept.
#[test]
fn memory_statistics_of_a_device_are_those_that_the_plugin_set() {
    let session = Session::begin();
    let client = client(&session);
    for device in client.addressable_devices() {
        let stats = device.memory_stats().expect("they are reported").expect("they are kept");
        assert_eq!(stats.bytes_in_use, 640);
        assert_eq!((stats.peak_bytes_in_use, stats.bytes_limit), (Some(1280), Some(1 << 20)));
        assert_eq!(stats.num_allocs, None, "it is not set");
        assert_eq!((stats.largest_alloc_size, stats.pool_bytes), (None, None));
    }
}

/// G13: the costs of an executable under the plugin's names.
#[test]
fn costs_of_an_executable_are_those_of_the_plugin() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let costs = add.executable().cost_analysis().expect("they are reported");
    let costs: Vec<_> = costs.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let expected = [("bytes accessed", NamedValue::Float(24.0)), ("flops", NamedValue::Float(2.0))];
    assert_eq!(costs, expected);
}
