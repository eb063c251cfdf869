//! Checkpoints: safetensors files and their indices.

use super::{Description, signature::leaf};
use crate::{
    failure::Outcome,
    text::{Table, bytes, safe},
};
use hloom_graph::Shape;
use hloom_io::{Checkpoint, format::AXES_KEY};
use serde_json::{Value, json};
use std::{io::Write, path::Path};

pub fn open(path: &Path) -> Outcome<Checkpoint> {
    Ok(Checkpoint::open(path)?)
}

fn tensors(checkpoint: &Checkpoint) -> impl Iterator<Item = (&str, Shape, u64)> {
    checkpoint.names().filter_map(|name| {
        let tensor = checkpoint.get(name)?;
        Some((name, tensor.shape(), tensor.range().len() as u64))
    })
}

impl Description for Checkpoint {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let (count, s) = (self.len(), if self.len() == 1 { "" } else { "s" });
        let size = bytes(self.byte_size());
        let files = match self.files().len() {
            1 => String::new(),
            files => format!(" in {files} files"),
        };
        writeln!(out, "safetensors, {count} tensor{s}, {size}{files}")?;
        // Names of axes are shown with their tensors.
        let others = self.metadata().iter().filter(|(key, _)| !key.starts_with(AXES_KEY));
        for (key, text) in others {
            writeln!(out, "  {}: {}", safe(key), safe(text))?;
        }
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(["tensor", "shape", ">size"]);
        for (name, shape, size) in tensors(self) {
            table.row([name.to_owned(), shape.to_string(), bytes(size)]);
        }
        table.write(out, "")
    }

    fn json(&self) -> Value {
        let tensors = tensors(self).map(|(name, shape, size)| {
            let mut tensor = leaf(name, &shape);
            tensor["bytes"] = size.into();
            tensor
        });
        json!({
            "kind": "safetensors",
            "bytes": self.byte_size(),
            "files": self.files().iter().map(|file| file.path()).collect::<Vec<_>>(),
            "metadata": self.metadata(),
            "tensors": tensors.collect::<Value>(),
        })
    }
}
