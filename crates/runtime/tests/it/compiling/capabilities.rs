//! Capabilities of platforms.

use hloom_graph::{DType, Spec, Tensor, custom_call};
use hloom_runtime::{Capability, Error, Platform, SharedBuffer, host_fn};
use hloom_test_support::CPU;

fn half(x: Tensor) -> Tensor {
    host_fn("half", |x: f32| x / 2.0)(x)
}

/// The fake plugin, which has no FFI and few functions.
fn poor() -> (tempfile::TempDir, Platform) {
    let name =
        format!("{}fake_plugin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = std::env::current_exe().expect("a test has a file").with_file_name(name);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plugin = folder.path().join(fake_plugin::Lies::default().file_name());
    std::fs::copy(built, &plugin).expect("the fake plugin was built");
    let platform = Platform::load(&plugin).expect("it creates a client");
    (folder, platform)
}

/// R1: one platform type for all plugins reports its capabilities, and only those work.
#[test]
fn what_a_platform_supports_is_what_works() {
    let (_folder, poor) = poor();
    let spec = || Spec::f32([3]);
    for (platform, capable) in [(&*CPU, true), (&poor, false)] {
        assert_eq!(platform.supports(Capability::Callbacks), capable);
        assert_eq!(platform.supports_function(half, (spec(),)).unwrap(), capable);
        let compiled = platform.compile(half, (spec(),)).map(drop);
        assert_eq!(compiled.is_ok(), capable);
        let shared = SharedBuffer::<f32>::zeros(platform, [3]).is_ok();
        assert_eq!(platform.supports(Capability::HostMemory), shared);
    }
    let exe = CPU.compile(|x: Tensor| x + 1, (spec(),)).unwrap();
    let bytes = exe.any().as_pjrt().executable().serialize().unwrap();
    assert!(!bytes.is_empty() && CPU.supports(Capability::Serialization));
    assert!(CPU.supports(Capability::AsyncTransfers));
    let device = &CPU.devices()[0];
    let specs = [hloom_pjrt::Spec::new(hloom_pjrt::DType::F32, [2])];
    assert!(CPU.client().transfer_manager(&specs, device.default_memory().as_ref()).is_ok());
    let pinned = device.memories().iter().any(|memory| memory.kind() == "pinned_host");
    assert_eq!(CPU.supports(Capability::PinnedMemory), pinned);
    for dtype in DType::ALL {
        assert!(CPU.supports(Capability::Elements(dtype)), "{dtype}");
    }
}

/// R1: a platform is asked whether it can compile an op; a wrong function is an error instead.
#[test]
fn a_platform_is_asked_for_an_op() {
    let spec = || Spec::f32([3]);
    assert!(CPU.supports_function(|x: Tensor| x.sort(0, false), (spec(),)).unwrap());
    let unknown = |x: Tensor| custom_call("acme.unknown", x, Spec::of(x.shape())).call();
    assert!(!CPU.supports_function(unknown, (spec(),)).unwrap());
    let wrong = |x: Tensor, y: Tensor| x + y;
    let error = CPU.supports_function(wrong, (spec(), Spec::f32([4]))).unwrap_err();
    assert!(matches!(error, Error::Trace(_)), "{error}");
}
