//! GGUF files.

use super::Description;
use crate::{
    failure::Outcome,
    text::{Table, bytes, safe},
};
use hloom_io::gguf::{Array, Gguf, GgufTensor, Value as Entry};
use serde_json::{Value, json};
use std::{io::Write, path::Path};

/// The number of elements of an array that are shown.
const MAX_ELEMENTS: usize = 6;

/// The number of characters of a text that are shown. JSON has all of a text, but no array.
const MAX_CHARACTERS: usize = 100;

pub fn open(path: &Path) -> Outcome<Gguf> {
    Ok(Gguf::open(path)?)
}

impl Description for Gguf {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let (count, s) = (self.len(), if self.len() == 1 { "" } else { "s" });
        let (version, size) = (self.version(), bytes(self.byte_size()));
        let files = match self.files().len() {
            1 => String::new(),
            files => format!(" in {files} files"),
        };
        writeln!(out, "GGUF version {version}, {count} tensor{s}, {size}{files}")?;
        for (key, value) in self.metadata() {
            writeln!(out, "  {}: {}", safe(key), safe(&text(value)))?;
        }
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(["tensor", "type", "shape", ">size"]);
        for tensor in self.tensors() {
            let (name, kind) = (tensor.name().to_owned(), tensor.kind().to_string());
            let size = bytes(tensor.range().len() as u64);
            table.row([name, kind, format!("{:?}", tensor.sizes()), size]);
        }
        table.write(out, "")
    }

    fn json(&self) -> Value {
        let metadata = self.metadata().iter().map(|(key, value)| (key.clone(), entry_json(value)));
        json!({
            "kind": "GGUF",
            "version": self.version(),
            "bytes": self.byte_size(),
            "files": self.files().iter().map(|file| file.path()).collect::<Vec<_>>(),
            "metadata": metadata.collect::<Value>(),
            "tensors": self.tensors().map(tensor_json).collect::<Value>(),
        })
    }
}

fn tensor_json(tensor: &GgufTensor) -> Value {
    json!({
        "name": tensor.name(),
        "type": tensor.kind().to_string(),
        "shape": tensor.sizes(),
        "bytes": tensor.range().len(),
    })
}

/// A value of the metadata as text; of arrays and long texts, the start.
fn text(value: &Entry) -> String {
    match value {
        Entry::U8(value) => value.to_string(),
        Entry::I8(value) => value.to_string(),
        Entry::U16(value) => value.to_string(),
        Entry::I16(value) => value.to_string(),
        Entry::U32(value) => value.to_string(),
        Entry::I32(value) => value.to_string(),
        Entry::U64(value) => value.to_string(),
        Entry::I64(value) => value.to_string(),
        Entry::F32(value) => value.to_string(),
        Entry::F64(value) => value.to_string(),
        Entry::Bool(value) => value.to_string(),
        Entry::String(value) => match value.char_indices().nth(MAX_CHARACTERS) {
            Some((end, _)) => {
                let more = value[end..].chars().count();
                format!("{}… ({more} more characters)", &value[..end])
            }
            None => value.clone(),
        },
        Entry::Array(array) => {
            let (first, more) = start(array);
            let first: Vec<String> = first.iter().map(text).collect();
            let more = if more == 0 { String::new() } else { format!(", … ({more} more)") };
            format!("[{}{more}]", first.join(", "))
        }
    }
}

/// A value of the metadata as JSON; of arrays, the type, the length and the first elements.
fn entry_json(value: &Entry) -> Value {
    match value {
        Entry::U8(value) => json!(value),
        Entry::I8(value) => json!(value),
        Entry::U16(value) => json!(value),
        Entry::I16(value) => json!(value),
        Entry::U32(value) => json!(value),
        Entry::I32(value) => json!(value),
        Entry::U64(value) => json!(value),
        Entry::I64(value) => json!(value),
        // JSON has no numbers for infinities and NaN.
        Entry::F32(value) if !value.is_finite() => json!(value.to_string()),
        Entry::F64(value) if !value.is_finite() => json!(value.to_string()),
        Entry::F32(value) => json!(value),
        Entry::F64(value) => json!(value),
        Entry::Bool(value) => json!(value),
        Entry::String(value) => json!(value),
        Entry::Array(array) => json!({
            "elements": array.element_name(),
            "length": array.len(),
            "first": start(array).0.iter().map(entry_json).collect::<Value>(),
        }),
    }
}

/// The first elements of an array, and the number of the others.
fn start(array: &Array) -> (Vec<Entry>, usize) {
    let first: Vec<Entry> = (0..MAX_ELEMENTS).map_while(|index| array.get(index)).collect();
    let more = array.len() - first.len();
    (first, more)
}
