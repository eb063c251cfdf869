//! `hloom inspect`.

mod arrays;
mod checkpoint;
mod gguf;
pub mod saved;
mod signature;
mod stablehlo;

use crate::{failure::Outcome, file_kind::FileKind, text::write_json};
use clap::Args;
use serde_json::Value;
use std::{io::Write, path::PathBuf};

#[derive(Args)]
pub struct Inspect {
    /// A saved program; StableHLO as text, bytecode, of `jax.export` or a folder of `torch_xla`;
    /// safetensors, an index of shards or a folder with them; GGUF, or the first file of a split
    /// model; .npy or .npz
    file: PathBuf,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// The part of a file that is shown.
trait Description {
    fn write_text(&self, out: &mut dyn Write) -> Outcome;
    fn json(&self) -> Value;
}

impl Inspect {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        let path = &self.file;
        let description: Box<dyn Description> = match FileKind::of(path)? {
            FileKind::SavedProgram => Box::new(saved::read(path)?),
            FileKind::Checkpoint => Box::new(checkpoint::open(path)?),
            FileKind::Gguf => Box::new(gguf::open(path)?),
            FileKind::Npy => Box::new(arrays::read_one(path)?),
            FileKind::Npz => Box::new(arrays::read_all(path)?),
            FileKind::StableHlo => Box::new(stablehlo::read(path)?),
            FileKind::StableHloFolder => Box::new(stablehlo::read_folder(path)?),
        };
        if self.json { write_json(out, &description.json()) } else { description.write_text(out) }
    }
}
