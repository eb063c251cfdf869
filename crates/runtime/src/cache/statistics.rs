//! The plugin's statistics of a program, stored with it so that files can be shown without the
//! plugin.

use super::LoadError;
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use hloom_pjrt::{CompiledMemoryStats, Executable, NamedValue, NamedValues};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
};

/// The plugin's statistics of a program.
#[derive(Default)]
pub(crate) struct Statistics {
    /// The part in the header.
    pub saved: SavedStatistics,
    /// The optimized program, compressed.
    pub optimized: Vec<u8>,
}

/// The part of the statistics that is in the header of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedStatistics {
    memory: Option<SavedMemory>,
    cost: BTreeMap<String, f32>,
    optimized: Option<SavedOptimized>,
}

/// The memory of a device that a program needs, in bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SavedMemory {
    generated_code: i64,
    arguments: i64,
    outputs: i64,
    aliases: i64,
    temporaries: i64,
    peak: Option<i64>,
}

/// The form of an optimized program.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedOptimized {
    /// The plugin's name for the format.
    format: String,
    /// The bytes of the program.
    bytes: u64,
    /// The bytes in the file, where it is compressed.
    compressed: usize,
}

impl Statistics {
    /// The statistics that the plugin reports; others are left out.
    pub fn of(executable: &Executable) -> Statistics {
        let optimized = executable.optimized_program().ok();
        let optimized = optimized.map(|program| (program.format().to_owned(), program.into_code()));
        let memory = executable.memory_stats().ok();
        Statistics::new(memory, cost(executable), optimized)
    }

    /// The statistics that a sandbox reports: the memory, and the optimized program with its
    /// format.
    #[cfg(feature = "sandbox")]
    pub fn of_foreign(
        memory: Option<CompiledMemoryStats>,
        optimized: Option<(String, Vec<u8>)>,
    ) -> Statistics {
        Statistics::new(memory, BTreeMap::new(), optimized)
    }

    fn new(
        memory: Option<CompiledMemoryStats>,
        cost: BTreeMap<String, f32>,
        optimized: Option<(String, Vec<u8>)>,
    ) -> Statistics {
        let memory = memory.map(|stats| SavedMemory {
            generated_code: stats.generated_code,
            arguments: stats.arguments,
            outputs: stats.outputs,
            aliases: stats.aliases,
            temporaries: stats.temporaries,
            peak: stats.peak,
        });
        let mut saved = SavedStatistics { memory, cost, optimized: None };
        let mut in_file = Vec::new();
        if let Some((format, program)) = optimized
            && let Ok(compressed) = compressed(&program)
        {
            saved.optimized = Some(SavedOptimized {
                format,
                bytes: program.len() as u64,
                compressed: compressed.len(),
            });
            in_file = compressed;
        }
        Statistics { saved, optimized: in_file }
    }
}

impl SavedStatistics {
    /// The bytes of the optimized program in the file.
    pub fn optimized_length(&self) -> usize {
        self.optimized.as_ref().map_or(0, |optimized| optimized.compressed)
    }

    pub fn memory(&self) -> Option<CompiledMemoryStats> {
        let saved = self.memory?;
        let mut memory = CompiledMemoryStats::default();
        memory.generated_code = saved.generated_code;
        memory.arguments = saved.arguments;
        memory.outputs = saved.outputs;
        memory.aliases = saved.aliases;
        memory.temporaries = saved.temporaries;
        memory.peak = saved.peak;
        Some(memory)
    }

    pub fn cost(&self) -> NamedValues {
        let values = self.cost.iter();
        values.map(|(name, &value)| (name.clone(), NamedValue::Float(value))).collect()
    }

    /// The format of the optimized program, and the program itself from its compressed form.
    ///
    /// # Errors
    /// The compressed form is not that of a program of the length in the header.
    pub fn optimized(&self, compressed: &[u8]) -> Result<Option<(String, Vec<u8>)>, LoadError> {
        let Some(saved) = &self.optimized else { return Ok(None) };
        // Messages of protocol buffers are shorter.
        if saved.bytes > 1 << 31 {
            return Err(LoadError::Damaged);
        }
        let mut program = Vec::new();
        // No more than that is read, whatever the compressed form expands to.
        let limit = saved.bytes.saturating_add(1);
        let read = ZlibDecoder::new(compressed).take(limit).read_to_end(&mut program);
        match read {
            Ok(read) if read as u64 == saved.bytes => Ok(Some((saved.format.clone(), program))),
            _ => Err(LoadError::Damaged),
        }
    }
}

/// The finite numbers among the estimates; none where there are no estimates.
fn cost(executable: &Executable) -> BTreeMap<String, f32> {
    let numbers = |(name, value)| match value {
        NamedValue::Float(value) if value.is_finite() => Some((name, value)),
        _ => None,
    };
    crate::exe::cost(executable).unwrap_or_default().into_iter().filter_map(numbers).collect()
}

/// Compresses with the fastest level: programs are saved more often than shown.
fn compressed(program: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(program)?;
    encoder.finish()
}
