//! Descriptions of GPUs, which the CUDA compiler chooses code by.

use crate::{Error, Result};

/// A GPU as the CUDA compiler needs to know it.
///
/// Sources: NVIDIA's data sheets, and the table of compute capabilities in the CUDA programming
/// guide.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gpu {
    /// The short name, such as `h200`.
    pub name: String,
    /// The name that the driver reports, such as `NVIDIA H200`: programs are loaded on devices of
    /// this name.
    pub kind: String,
    /// The compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// The number of streaming multiprocessors.
    pub cores: u32,
    /// Threads that a multiprocessor holds.
    pub threads_per_core: u32,
    /// Units for `f32` in a multiprocessor.
    pub f32_units_per_core: u32,
    /// Shared memory of a multiprocessor in bytes.
    pub shared_memory_per_core: u64,
    /// Shared memory that one block may ask for, in bytes.
    pub shared_memory_per_block: u64,
    /// The second level cache in bytes.
    pub l2_cache: u64,
    /// The memory in bytes.
    pub memory: u64,
    /// Bytes per second between the GPU and its memory.
    pub memory_bandwidth: u64,
    /// The highest clock rate in GHz.
    pub clock_rate: f64,
    /// The version of cuDNN that programs run with: major, minor, patch.
    pub cudnn: (u32, u32, u32),
}

const KIB: u64 = 1 << 10;
const MB: u64 = 1_000_000;
const GB: u64 = 1_000_000_000;

/// Name, kind, capability, multiprocessors, f32 units of each, L2 in MiB, memory in GB, bandwidth
/// in MB/s, GHz. The compiler's choices for a device are kept by these numbers: where a driver has
/// reported them, they are the driver's.
type Row = (&'static str, &'static str, (u32, u32), u32, u32, u64, u64, u64, f64);

const KNOWN: [Row; 7] = [
    ("h200", "NVIDIA H200", (9, 0), 132, 128, 60, 150, 4_814_304, 1.98),
    ("h100", "NVIDIA H100 80GB HBM3", (9, 0), 132, 128, 50, 85, 3_352_320, 1.98),
    ("h100-pcie", "NVIDIA H100 PCIe", (9, 0), 114, 128, 50, 85, 2_000_000, 1.755),
    ("a100", "NVIDIA A100-SXM4-80GB", (8, 0), 108, 64, 40, 85, 2_039_000, 1.41),
    ("a100-40gb", "NVIDIA A100-SXM4-40GB", (8, 0), 108, 64, 40, 42, 1_555_000, 1.41),
    ("l4", "NVIDIA L4", (8, 9), 58, 128, 48, 24, 300_000, 2.04),
    ("rtx4090", "NVIDIA GeForce RTX 4090", (8, 9), 128, 128, 72, 25, 1_008_000, 2.52),
];

impl Gpu {
    /// The GPU of a name: `h200`, `h100`, `h100-pcie`, `a100`, `a100-40gb`, `l4` or `rtx4090`, with
    /// cuDNN 9.10. Its fields may be changed to describe another one.
    ///
    /// # Errors
    /// There is no description of this GPU.
    pub fn named(name: &str) -> Result<Gpu> {
        let lower = name.to_ascii_lowercase();
        let row = KNOWN.into_iter().find(|row| row.0 == lower);
        let unknown =
            || Error::NoSuchTarget { target: format!("cuda:{name}"), known: Gpu::names() };
        let (name, kind, capability, cores, units, l2, memory, bandwidth, clock_rate) =
            row.ok_or_else(unknown)?;
        let (shared, threads_per_core) = match capability {
            (9, 0) => (228, 2048),
            (8, 0) => (164, 2048),
            _ => (100, 1536),
        };
        Ok(Gpu {
            name: name.into(),
            kind: kind.into(),
            compute_capability: capability,
            cores,
            threads_per_core,
            f32_units_per_core: units,
            shared_memory_per_core: shared * KIB,
            // The system keeps one KiB of each block.
            shared_memory_per_block: (shared - 1) * KIB,
            l2_cache: l2 * KIB * KIB,
            memory: memory * GB,
            memory_bandwidth: bandwidth * MB,
            clock_rate,
            cudnn: (9, 10, 0),
        })
    }

    /// The targets of known names.
    pub(super) fn names() -> Vec<String> {
        KNOWN.iter().map(|row| format!("cuda:{}", row.0)).collect()
    }

    /// The text form of XLA's `GpuTargetConfigProto`.
    pub(super) fn target_config(&self) -> String {
        let (major, minor) = self.compute_capability;
        let (cudnn_major, cudnn_minor, cudnn_patch) = self.cudnn;
        let Gpu {
            kind,
            cores,
            threads_per_core,
            f32_units_per_core,
            shared_memory_per_core,
            shared_memory_per_block,
            l2_cache,
            memory,
            memory_bandwidth,
            clock_rate,
            ..
        } = self;
        format!(
            "gpu_device_info {{
               cuda_compute_capability {{ major: {major} minor: {minor} }}
               threads_per_block_limit: 1024 threads_per_warp: 32
               shared_memory_per_block: 49152 shared_memory_per_core: {shared_memory_per_core}
               shared_memory_per_block_optin: {shared_memory_per_block}
               threads_per_core_limit: {threads_per_core} core_count: {cores}
               fpus_per_core: {f32_units_per_core}
               block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
               memory_bandwidth: {memory_bandwidth} l2_cache_size: {l2_cache}
               clock_rate_ghz: {clock_rate} device_memory_size: {memory}
               registers_per_core_limit: 65536 registers_per_block_limit: 65536
             }}
             platform_name: \"CUDA\"
             dnn_version_info {{
               major: {cudnn_major} minor: {cudnn_minor} patch: {cudnn_patch}
             }}
             device_description_str: {kind:?}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_of_hopper_is_as_measured() {
        let gpu = Gpu::named("H200").unwrap();
        assert_eq!(gpu.shared_memory_per_core, 233_472);
        assert_eq!(gpu.shared_memory_per_block, 232_448);
        assert_eq!(gpu.l2_cache, 62_914_560);
        assert_eq!(gpu.memory_bandwidth, 4_814_304_000_000);
        let error = Gpu::named("h201").unwrap_err().to_string();
        assert!(error.contains("cuda:h201") && error.contains("cuda:h200"), "{error}");
    }

    #[test]
    fn the_version_of_cudnn_is_a_part_of_the_target() {
        let mut gpu = Gpu::named("h200").unwrap();
        let version = |gpu: &Gpu| {
            let config = gpu.target_config();
            let (_, version) = config.split_once("dnn_version_info").expect("a version");
            let (version, _) = version.split_once('}').expect("a message");
            version.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(version(&gpu), "{ major: 9 minor: 10 patch: 0");
        gpu.cudnn = (10, 2, 1);
        assert_eq!(version(&gpu), "{ major: 10 minor: 2 patch: 1");
    }
}
