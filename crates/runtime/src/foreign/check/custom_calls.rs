//! Handlers that programs of other systems may call.
//!
//! - **In a text,** before it is compiled: names that exporters write and that XLA resolves without
//!   a handler, and on GPUs those of its libraries, which JAX writes as well.
//! - **In a compiled program:** also those that the platform's compiler emits itself. The compiler
//!   passes the shapes that these handlers expect; a text may pass any shape, and the handlers do
//!   not check it.

use hloom_pjrt::PlatformKind;

/// Names that XLA's importer and partitioner resolve.
const RESOLVED: [&str; 20] = [
    "LayoutConstraint",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "annotate_device_placement",
    "mhlo.acos",
    "mhlo.acosh",
    "mhlo.asin",
    "mhlo.asinh",
    "mhlo.atanh",
    "mhlo.cosh",
    "mhlo.erf",
    "mhlo.sinh",
    "mhlo.tan",
    "mhlo.topk",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.Sharding",
    "xla.sdy.ShardingGroup",
];

/// Names that compilers emit on every platform.
const EMITTED: [&str; 4] = ["PadToStatic", "Sharding", "SliceToDynamic", "TopK"];

/// The starts of names that the compilers for GPUs emit, and JAX writes for them.
const OF_GPUS: [&str; 8] = [
    "__cub$",
    "__cublas$",
    "__cudnn$",
    "__cusolver$",
    "__cusparse$",
    "__gpu$",
    "__op$",
    "__triton_",
];

/// The start of names that the compiler for x86-64 emits.
const OF_CPUS: &str = "__onednn$";

/// Whether a text may call a handler.
pub(super) fn is_written(platform: PlatformKind, target: &str, allowed: &[String]) -> bool {
    is_known(platform, target, allowed)
        || RESOLVED.contains(&target)
        || is_gpu(platform) && starts_with_any(target, &OF_GPUS)
}

/// The custom calls of a compiled program that are not allowed.
pub(crate) fn refused(
    platform: PlatformKind,
    called: &[String],
    allowed: &[String],
) -> Vec<String> {
    let is_emitted = |target: &str| {
        EMITTED.contains(&target)
            || is_gpu(platform) && starts_with_any(target, &OF_GPUS)
            || is_x86(platform) && target.starts_with(OF_CPUS)
    };
    let is_allowed = |target: &&String| is_known(platform, target, allowed) || is_emitted(target);
    called.iter().filter(|target| !is_allowed(target)).cloned().collect()
}

/// Whether the caller allowed a handler, or the handler checks its arguments, or the name calls no
/// handler.
fn is_known(platform: PlatformKind, target: &str, allowed: &[String]) -> bool {
    // Programs for TPUs call nothing on the host by a name.
    platform == PlatformKind::Tpu
        || allowed.iter().any(|name| name == target)
        || crate::linear_algebra::is_handler(platform, target)
}

fn is_gpu(platform: PlatformKind) -> bool {
    // Devices of an unknown platform may be GPUs.
    !matches!(platform, PlatformKind::Cpu | PlatformKind::Tpu)
}

fn is_x86(platform: PlatformKind) -> bool {
    platform == PlatformKind::Cpu && cfg!(target_arch = "x86_64")
}

fn starts_with_any(target: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| target.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_has_its_own_names() {
        let is_refused = |platform: &str, target: &str| {
            !refused(PlatformKind::of(platform), &[target.to_owned()], &[]).is_empty()
        };
        let is_written =
            |platform: &str, target: &str| is_written(PlatformKind::of(platform), target, &[]);
        let on_x86 = cfg!(target_arch = "x86_64");
        assert_eq!(!is_refused("cpu", "__onednn$matmul"), on_x86);
        assert!(is_refused("cuda", "__onednn$matmul"));
        assert!(!is_refused("cuda", "__cublas$gemm"));
        assert!(is_refused("cpu", "__cublas$gemm"));
        assert!(!is_refused("cpu", "TopK"));
        assert!(!is_refused("tpu", "anything"));
        assert!(!is_written("cpu", "TopK") && !is_written("cpu", "__onednn$matmul"));
        assert!(is_written("cpu", "mhlo.topk") && !is_written("cpu", "__cudnn$fmhaSoftmax"));
        assert!(is_written("cuda", "__cudnn$fmhaSoftmax") && !is_written("cuda", "TopK"));
        assert_eq!(is_written("cpu", "lapack_sgetrf_ffi"), cfg!(feature = "linalg"));
        assert!(!is_written("cuda", "lapack_sgetrf_ffi"));
        let allowed = ["mine".to_owned()];
        assert!(super::is_written(PlatformKind::Cpu, "mine", &allowed));
        assert!(refused(PlatformKind::Cpu, &allowed, &allowed).is_empty());
    }
}
