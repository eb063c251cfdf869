//! The CPU plugin under a name that a user chose.

#![cfg(unix)]

use hloom_graph::{Spec, Tensor};
use hloom_pjrt::{DType, Layout, PlatformKind};
use hloom_runtime::{Buffer, Platform};
use hloom_test_support::{is_alone, plugin_path};

#[test]
fn a_cpu_plugin_of_another_name_is_one_device_on_the_hosts_memory() {
    // The name of a plugin is that of its first load in a process.
    if !is_alone("another_name::a_cpu_plugin_of_another_name_is_one_device_on_the_hosts_memory") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libmy_build.so");
    std::os::unix::fs::symlink(plugin_path(), &file).unwrap();
    let platform = Platform::load(&file).unwrap();
    assert_eq!(platform.client().plugin().name(), "libmy_build");
    assert_eq!(platform.client().platform_kind(), PlatformKind::Cpu);
    assert_eq!(platform.device_count(), 1, "one processor is one device");
    assert!(platform.client().uses_host_memory());
    let exe = platform.compile(|x: Tensor| x.maximum(0.0), (Spec::f32([2]),)).unwrap();
    let x = Buffer::from_slice(&platform, &[f32::NAN, -1.0], [2]).unwrap();
    let y = exe.call((&x,)).unwrap().to_vec::<f32>().unwrap();
    assert!(y[0].is_nan() && y[1] == 0.0, "{y:?}");
    // A layout that such a plugin does not write is refused, rather than read in another order.
    if platform.client().plugin().version().1 < 115 {
        let bytes: Vec<u8> = (0..6u8).flat_map(|i| f32::from(i).to_ne_bytes()).collect();
        let buffer = platform.client().host_buffer(DType::F32, &[2, 3]);
        let copied = buffer.layout(&Layout::column_major(2)).copy(&bytes);
        let error = copied.map(drop).unwrap_err().to_string();
        assert!(error.contains("plugin `libmy_build`"), "{error}");
    }
}
