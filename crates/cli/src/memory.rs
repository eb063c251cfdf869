//! The memory of programs.

use crate::text::bytes;
use hloom_pjrt::CompiledMemoryStats;
use serde_json::{Value, json};

/// Formats the size of a part of the memory; a negative number of a plugin counts as 0.
pub fn size(count: i64) -> String {
    bytes(count.max(0) as u64)
}

/// The parts in bytes.
pub fn json(memory: &CompiledMemoryStats) -> Value {
    json!({
        "requirements": memory.requirements(),
        "arguments": memory.arguments,
        "outputs": memory.outputs,
        "aliases": memory.aliases,
        "temporaries": memory.temporaries,
        "generated_code": memory.generated_code,
        "peak": memory.peak,
    })
}
