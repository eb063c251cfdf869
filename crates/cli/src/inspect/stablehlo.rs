//! Programs in StableHLO.

use super::{Description, signature::leaf};
use crate::{
    failure::Outcome,
    program::stablehlo,
    text::{Table, bytes, safe},
};
use hloom_io::StableHloFolder;
use hloom_runtime::{StableHlo, StableHloValue};
use serde_json::{Value, json};
use std::{io::Write, path::Path};

/// A program before it is compiled.
pub struct StableHloDescription {
    program: StableHlo,
    /// The names of the inputs that are in files next to the program.
    weights: Vec<String>,
}

pub fn read(path: &Path) -> Outcome<StableHloDescription> {
    Ok(StableHloDescription { program: stablehlo(path)?, weights: Vec::new() })
}

pub fn read_folder(path: &Path) -> Outcome<StableHloDescription> {
    let folder = StableHloFolder::read(path)?;
    let weights = folder.weights().map(|(name, _)| name.to_owned()).collect();
    Ok(StableHloDescription { program: folder.program().clone(), weights })
}

impl Description for StableHloDescription {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let program = &self.program;
        let size = bytes(program.code().len() as u64);
        writeln!(out, "StableHLO {}, {size}", safe(program.name().unwrap_or("without a name")))?;
        if program.device_count() > 1 {
            writeln!(out, "  runs on {} devices", program.device_count())?;
        }
        match (program.inputs(), program.outputs()) {
            (None, None) => {
                writeln!(out, "\nbytecode: its inputs are known when it is compiled")?;
            }
            (inputs, outputs) => {
                self.write_values(out, "input", inputs.unwrap_or_default())?;
                self.write_values(out, "output", outputs.unwrap_or_default())?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let program = &self.program;
        json!({
            "kind": "StableHLO",
            "name": program.name(),
            "bytes": program.code().len(),
            "devices": program.device_count(),
            "inputs": program.inputs().map(values_json),
            "outputs": program.outputs().map(values_json),
            "weights": self.weights,
        })
    }
}

impl StableHloDescription {
    fn write_values(&self, out: &mut dyn Write, what: &str, values: &[StableHloValue]) -> Outcome {
        let (count, s) = (values.len(), if values.len() == 1 { "" } else { "s" });
        writeln!(out, "\n{count} {what}{s}")?;
        if values.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["name", "shape", ">size", ""]);
        for value in values {
            let name = value.name.clone().unwrap_or_else(|| "-".to_owned());
            let shape = value.shape.map_or_else(|| "-".to_owned(), |shape| shape.to_string());
            let size = value.shape.map(|shape| bytes(shape.byte_size() as u64));
            let weight = if self.weights.contains(&name) { "weight" } else { "" };
            table.row([name, shape, size.unwrap_or_default(), weight.to_owned()]);
        }
        table.write(out, "  ")
    }
}

fn values_json(values: &[StableHloValue]) -> Value {
    let values = values.iter().map(|value| match &value.shape {
        Some(shape) => {
            let mut leaf = leaf("", shape);
            leaf["name"] = value.name.clone().into();
            leaf
        }
        None => json!({ "name": value.name }),
    });
    values.collect()
}
