//! Arrays of NumPy.

use super::{Description, signature::leaf};
use crate::{
    failure::Outcome,
    text::{Table, bytes},
};
use hloom_graph::Shape;
use hloom_io::npy;
use serde_json::{Value, json};
use std::{collections::BTreeMap, io::Write, path::Path};

/// One array.
pub struct Npy(Shape);

/// Arrays by name.
pub struct Npz(BTreeMap<String, Shape>);

pub fn read_one(path: &Path) -> Outcome<Npy> {
    Ok(Npy(npy::shape(path)?))
}

pub fn read_all(path: &Path) -> Outcome<Npz> {
    Ok(Npz(npy::shapes(path)?))
}

impl Description for Npy {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        Ok(writeln!(out, "npy, {}, {}", self.0, bytes(self.0.byte_size() as u64))?)
    }

    fn json(&self) -> Value {
        let mut array = leaf("", &self.0);
        array["kind"] = "npy".into();
        array
    }
}

impl Description for Npz {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let (count, s) = (self.0.len(), if self.0.len() == 1 { "" } else { "s" });
        let total = self.0.values().map(|shape| shape.byte_size() as u64).sum();
        writeln!(out, "npz, {count} array{s}, {}", bytes(total))?;
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(["array", "shape", ">size"]);
        for (name, shape) in &self.0 {
            table.row([name.clone(), shape.to_string(), bytes(shape.byte_size() as u64)]);
        }
        table.write(out, "")
    }

    fn json(&self) -> Value {
        let arrays = self.0.iter().map(|(name, shape)| leaf(name, shape));
        json!({ "kind": "npz", "arrays": arrays.collect::<Value>() })
    }
}
