//! Inputs and outputs of programs.

use crate::{
    failure::Outcome,
    text::{Table, bytes},
};
use hloom_graph::Shape;
use hloom_runtime::{Input, Output, Signature};
use serde_json::{Value, json};
use std::io::Write;

/// Writes the inputs and outputs as tables.
pub fn write(out: &mut dyn Write, signature: &Signature) -> Outcome {
    let donated = |input: &Input| (if input.donated { "donated" } else { "" }).to_owned();
    let inputs = signature.inputs.iter();
    let inputs = inputs.map(|input| (&*input.name, input.shape, donated(input)));
    write_leaves(out, "input", inputs.collect())?;
    let reuses = |output: &Output| {
        let input = output.reuses.and_then(|input| signature.inputs.get(input));
        input.map_or(String::new(), |input| format!("in the memory of {}", input.name))
    };
    let outputs = signature.outputs.iter();
    let outputs = outputs.map(|output| (&*output.name, output.shape, reuses(output)));
    write_leaves(out, "output", outputs.collect())
}

fn write_leaves(out: &mut dyn Write, what: &str, leaves: Vec<(&str, Shape, String)>) -> Outcome {
    let (count, s) = (leaves.len(), if leaves.len() == 1 { "" } else { "s" });
    let total = leaves.iter().map(|(_, shape, _)| shape.byte_size() as u64).sum();
    writeln!(out, "\n{count} {what}{s}, {}", bytes(total))?;
    if leaves.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["name", "shape", ">size", ""]);
    for (name, shape, note) in leaves {
        let size = bytes(shape.byte_size() as u64);
        table.row([name.to_owned(), shape.to_string(), size, note]);
    }
    table.write(out, "  ")
}

/// The inputs and outputs as JSON.
pub fn json(signature: &Signature) -> Value {
    let inputs = signature.inputs.iter().map(|input| {
        let mut leaf = leaf(&input.name, &input.shape);
        leaf["donated"] = input.donated.into();
        leaf
    });
    let outputs = signature.outputs.iter().map(|output| {
        let mut leaf = leaf(&output.name, &output.shape);
        leaf["reuses"] = output.reuses.into();
        leaf
    });
    json!({ "inputs": inputs.collect::<Value>(), "outputs": outputs.collect::<Value>() })
}

/// A tensor as JSON.
pub fn leaf(name: &str, shape: &Shape) -> Value {
    let names = shape.names().iter().map(|name| name.map(|name| name.as_str().to_owned()));
    json!({
        "name": name,
        "dtype": shape.dtype().name(),
        "shape": shape.sizes(),
        "axes": names.collect::<Vec<_>>(),
        "bytes": shape.byte_size(),
    })
}
