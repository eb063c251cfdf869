//! The memory that compiled programs need.

/// The memory that a compiled program needs, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompiledMemoryStats {
    /// The program's code.
    pub generated_code: i64,
    /// Its arguments.
    pub arguments: i64,
    /// Its results.
    pub outputs: i64,
    /// The part of the results that reuses the memory of donated arguments.
    pub aliases: i64,
    /// Intermediate values.
    pub temporaries: i64,
    /// The code, on the host.
    pub host_generated_code: i64,
    /// The arguments in host memory.
    pub host_arguments: i64,
    /// The results in host memory.
    pub host_outputs: i64,
    /// The part of the host results that reuses the memory of donated arguments.
    pub host_aliases: i64,
    /// Intermediate values in host memory.
    pub host_temporaries: i64,
    /// The peak use (API 0.72 and later).
    pub peak: Option<i64>,
    /// The total (API 0.90 and later).
    pub total: Option<i64>,
    /// All allocations (API 0.104 and later).
    pub total_allocations: Option<i64>,
    /// Allocations that are never freed (API 0.104 and later).
    pub indefinite_allocations: Option<i64>,
    /// The peak use, without padding (API 0.104 and later).
    pub peak_unpadded: Option<i64>,
}

impl CompiledMemoryStats {
    /// Bytes that a device needs to run the program: code, arguments, results and intermediate
    /// values, with shared memory counted once.
    pub fn requirements(&self) -> i64 {
        let added = [self.arguments, self.outputs, self.temporaries];
        // The numbers may come from a file or a sandbox.
        let sum = added.into_iter().fold(self.generated_code, i64::saturating_add);
        sum.saturating_sub(self.aliases)
    }
}
