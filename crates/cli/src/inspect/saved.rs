//! Saved programs.

use super::{Description, signature};
use crate::{
    failure::{Failure, Outcome},
    memory::{self, size},
    text::{Table, bytes, count, safe},
};
use hloom_pjrt::{CompiledMemoryStats, NamedValue};
use hloom_runtime::SavedProgram;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
    path::Path,
};

/// Reads a saved program; its code is not run.
pub fn read(path: &Path) -> Outcome<SavedProgram> {
    let failed = |error| Failure::new(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let mut file = hloom_io::open_regular(path).map_err(failed)?;
    file.read_to_end(&mut bytes).map_err(failed)?;
    SavedProgram::from_bytes(&bytes).map_err(|error| match error {
        hloom_runtime::Error::SavedProgram { source, .. } => {
            Failure::new(format!("{}: {source}", path.display()))
        }
        error => error.into(),
    })
}

impl Description for SavedProgram {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        writeln!(out, "saved program {}", safe(self.name()))?;
        write_target(out, self)?;
        write_needs(out, self)?;
        match self.signature() {
            Some(signature) => signature::write(out, signature)?,
            None => writeln!(out, "\nan entry of a cache: its inputs are those of its function")?,
        }
        if let Some(memory) = self.memory() {
            write_memory(out, &memory)?;
        }
        write_cost(out, &cost(self))?;
        if let Some((format, program)) = self.optimized_program() {
            let size = bytes(program.len() as u64);
            writeln!(out, "\noptimized program: {}, {size}", safe(format))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let optimized = self
            .optimized_program()
            .map(|(format, program)| json!({ "format": format, "bytes": program.len() }));
        json!({
            "kind": "saved program",
            "name": self.name(),
            "target": {
                "platform": self.platform(),
                "devices": self.devices(),
                "processor": self.processor(),
                "plugin": self.plugin_hash(),
                "hloom": self.hloom_version(),
                "options": self.options(),
                "environment": self.environment(),
            },
            "needs": {
                "rust_functions": self.callbacks(),
                "kernels": self.kernels(),
                "mesh": self.mesh(),
            },
            "signature": self.signature().map(signature::json),
            "code_bytes": self.code_size(),
            "is_foreign": self.is_foreign(),
            "memory": self.memory().map(|memory| memory::json(&memory)),
            "cost": cost(self),
            "optimized_program": optimized,
        })
    }
}

fn write_target(out: &mut dyn Write, saved: &SavedProgram) -> Outcome {
    let mut kinds = BTreeMap::<&str, usize>::new();
    for kind in saved.devices() {
        *kinds.entry(kind).or_default() += 1;
    }
    let devices: Vec<String> =
        kinds.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    let plugin: String = saved.plugin_hash().chars().take(16).collect();
    let lines = [
        ("platform", saved.platform().to_owned()),
        ("devices", devices.join(", ")),
        ("processor", saved.processor().to_owned()),
        ("plugin", format!("sha256 {plugin}…")),
        ("hloom", saved.hloom_version().to_owned()),
        ("environment", saved.environment().trim().replace('\n', " ")),
        ("code", bytes(saved.code_size() as u64)),
        ("author", if saved.is_foreign() { "unknown: compiled in a sandbox" } else { "" }.into()),
    ];
    for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        writeln!(out, "  {name:12} {}", safe(text))?;
    }
    Ok(())
}

fn write_needs(out: &mut dyn Write, saved: &SavedProgram) -> Outcome {
    let mut needs = Vec::new();
    if !saved.callbacks().is_empty() {
        let names = saved.callbacks().join(", ");
        needs.push(format!("its function, since it calls Rust functions: {names}"));
    }
    if let Some(devices) = saved.mesh() {
        needs.push(format!("its function, since it runs on a mesh of {devices} devices"));
    }
    if !saved.kernels().is_empty() {
        needs.push(format!("kernels {}", saved.kernels().join(", ")));
    }
    for need in needs {
        writeln!(out, "  {:12} {}", "needs", safe(&need))?;
    }
    Ok(())
}

fn write_memory(out: &mut dyn Write, memory: &CompiledMemoryStats) -> Outcome {
    writeln!(out, "\nmemory, {} in all", size(memory.requirements()))?;
    let mut table = Table::new(["part", ">size"]);
    let mut row = |name: &str, count: i64| table.row([name.to_owned(), size(count)]);
    row("arguments", memory.arguments);
    row("outputs", memory.outputs);
    row("  of these in the memory of arguments", memory.aliases);
    row("intermediate values", memory.temporaries);
    row("code", memory.generated_code);
    if let Some(peak) = memory.peak {
        row("peak", peak);
    }
    table.write(out, "  ")
}

/// The totals of the cost; other entries are of single operands.
fn cost(saved: &SavedProgram) -> BTreeMap<String, f64> {
    let totals = ["flops", "transcendentals", "bytes accessed", "optimal_seconds"];
    let all = saved.cost().into_iter();
    let all = all.filter(|(name, _)| totals.contains(&&**name));
    let numbers = all.filter_map(|(name, value)| match value {
        // Numbers are negative where the plugin does not know them.
        NamedValue::Float(value) if value >= 0.0 => Some((name, f64::from(value))),
        _ => None,
    });
    numbers.collect()
}

fn write_cost(out: &mut dyn Write, cost: &BTreeMap<String, f64>) -> Outcome {
    if cost.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ncost, estimated by the compiler")?;
    let mut table = Table::new(["of a call", ">"]);
    for (name, value) in cost {
        let text = match &**name {
            "bytes accessed" => bytes(*value as u64),
            "optimal_seconds" => format!("{value:.3e} s"),
            _ => count(*value),
        };
        table.row([name.clone(), text]);
    }
    table.write(out, "  ")
}
