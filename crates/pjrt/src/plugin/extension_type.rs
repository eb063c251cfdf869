//! Types of extensions.

use std::fmt;

/// The type of an extension (`PJRT_Extension_Type`). A number that this crate does not know is kept
/// as [`ExtensionType::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExtensionType {
    /// Older registry of handlers of custom calls.
    GpuCustomCall,
    /// Profiles of executions.
    Profiler,
    /// Partitioners of custom calls.
    CustomPartitioner,
    /// Streams of a device.
    Stream,
    /// Memory layouts of buffers and programs.
    Layouts,
    /// Handlers of custom calls through the XLA FFI.
    Ffi,
    /// Kinds of memory of a device.
    MemoryDescriptions,
    /// Compilation of Triton kernels.
    Triton,
    /// Ranges of bytes of a buffer.
    RawBuffer,
    /// Compilation in phases.
    PhaseCompile,
    /// An example of the headers.
    Example,
    /// A type that the plugin itself does not name.
    Unknown,
    /// Transfers between processes.
    CrossHostTransfers,
    /// Metadata of executables.
    ExecutableMetadata,
    /// Callbacks of TPU runtimes.
    Callback,
    /// Memory of the host, in its first form.
    HostAllocator,
    /// Topologies of TPUs.
    TpuTopology,
    /// Executables of TPUs.
    TpuExecutable,
    /// Programs over several slices of TPUs.
    Megascale,
    /// Shardings of a program's parameters and results.
    Shardings,
    /// Whether an executable runs with a plugin.
    AbiVersion,
    /// Collectives of the plugin's runtime.
    Collectives,
    /// Configurations of several slices of TPUs.
    MultiSlice,
    /// Memory of the host.
    HostMemoryAllocator,
    /// Transformations of HLO programs.
    XlaTransform,
    /// A number of the C API that this crate does not know.
    Other(u32),
}

/// Each type with its name in the C API's headers, at the index that is its number.
const TABLE: [(ExtensionType, &str); 25] = [
    (ExtensionType::GpuCustomCall, "Gpu_Custom_Call"),
    (ExtensionType::Profiler, "Profiler"),
    (ExtensionType::CustomPartitioner, "Custom_Partitioner"),
    (ExtensionType::Stream, "Stream"),
    (ExtensionType::Layouts, "Layouts"),
    (ExtensionType::Ffi, "FFI"),
    (ExtensionType::MemoryDescriptions, "MemoryDescriptions"),
    (ExtensionType::Triton, "Triton"),
    (ExtensionType::RawBuffer, "RawBuffer"),
    (ExtensionType::PhaseCompile, "PhaseCompile"),
    (ExtensionType::Example, "Example"),
    (ExtensionType::Unknown, "Unknown"),
    (ExtensionType::CrossHostTransfers, "CrossHostTransfers"),
    (ExtensionType::ExecutableMetadata, "ExecutableMetadata"),
    (ExtensionType::Callback, "Callback"),
    (ExtensionType::HostAllocator, "HostAllocator"),
    (ExtensionType::TpuTopology, "TpuTopology"),
    (ExtensionType::TpuExecutable, "TpuExecutable"),
    (ExtensionType::Megascale, "Megascale"),
    (ExtensionType::Shardings, "Shardings"),
    (ExtensionType::AbiVersion, "AbiVersion"),
    (ExtensionType::Collectives, "Collectives"),
    (ExtensionType::MultiSlice, "MultiSlice"),
    (ExtensionType::HostMemoryAllocator, "HostMemoryAllocator"),
    (ExtensionType::XlaTransform, "XlaTransform"),
];

impl ExtensionType {
    /// The type of a number of the C API.
    pub fn from_raw(number: u32) -> Self {
        TABLE.get(number as usize).map_or(Self::Other(number), |row| row.0)
    }

    /// The number of the C API.
    pub fn to_raw(self) -> u32 {
        match self {
            Self::Other(number) => number,
            // In the table, which has at most 2^32 rows.
            known => TABLE.iter().position(|row| row.0 == known).map_or(u32::MAX, |at| at as u32),
        }
    }

    /// The name in the C API's headers; `None` for an unknown number.
    pub fn name(self) -> Option<&'static str> {
        TABLE.iter().find(|row| row.0 == self).map(|row| row.1)
    }
}

impl fmt::Display for ExtensionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "extension {}", self.to_raw()),
        }
    }
}
