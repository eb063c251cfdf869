//! Kinds of platforms, and what is known of each.

/// The kind of devices of a platform, by the name that its client reports. A plugin's own name is
/// chosen by who loads it, and is independent of the devices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PlatformKind {
    /// Processors.
    Cpu,
    /// GPUs of NVIDIA.
    Cuda,
    /// GPUs of AMD.
    Rocm,
    /// GPUs of Intel.
    Sycl,
    /// TPUs.
    Tpu,
    /// An interpreter on the host's memory.
    Host,
    /// Devices that nothing is known of.
    Other,
}

impl PlatformKind {
    /// The kind of the platform that a client calls `name`.
    pub fn of(name: &str) -> PlatformKind {
        match name {
            "cpu" => PlatformKind::Cpu,
            "host" | "Host" => PlatformKind::Host,
            "cuda" => PlatformKind::Cuda,
            "rocm" => PlatformKind::Rocm,
            "sycl" => PlatformKind::Sycl,
            "tpu" => PlatformKind::Tpu,
            _ => PlatformKind::Other,
        }
    }

    /// Whether the devices compute on the host's memory, so that buffers can be shared with it.
    pub fn uses_host_memory(self) -> bool {
        matches!(self, PlatformKind::Cpu | PlatformKind::Host)
    }

    /// Whether programs call handlers that are registered with the XLA FFI. Registration alone
    /// proves nothing: TPUs accept handlers, and call none.
    pub fn calls_handlers(self) -> bool {
        !matches!(self, PlatformKind::Tpu | PlatformKind::Host | PlatformKind::Other)
    }

    /// Whether a handler may call programs of its own client. A GPU is locked while a program calls
    /// its handlers, and a compilation that measures waits for that lock, before which nobody else
    /// takes it: a program that the handler calls, or a compilation, would wait for the handler.
    pub fn runs_nested_programs(self) -> bool {
        self == PlatformKind::Cpu
    }

    /// Whether compiled programs are code for the processor that compiled them, and depend on its
    /// features.
    pub fn compiles_for_processor(self) -> bool {
        self == PlatformKind::Cpu
    }

    /// Whether the compiler measures alternatives, and reads and writes its choices.
    pub fn measures_choices(self) -> bool {
        self == PlatformKind::Cuda
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_platform_has_no_properties() {
        let other = PlatformKind::of("abacus");
        assert_eq!(other, PlatformKind::Other);
        assert!(!other.uses_host_memory() && !other.calls_handlers() && !other.measures_choices());
        assert!(!other.compiles_for_processor() && PlatformKind::Cpu.compiles_for_processor());
        let host = PlatformKind::of("Host");
        assert!(host.uses_host_memory() && !host.calls_handlers());
        assert!(
            PlatformKind::of("cuda").calls_handlers() && !PlatformKind::of("tpu").calls_handlers()
        );
    }
}
