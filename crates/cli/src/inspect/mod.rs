//! `hloom inspect`.

mod arrays;
mod checkpoint;
mod saved;
mod signature;

use crate::{
    failure::{Failure, Outcome},
    file_kind::FileKind,
    text::write_json,
};
use clap::Args;
use serde_json::Value;
use std::{io::Write, path::PathBuf};

#[derive(Args)]
pub struct Inspect {
    /// A saved program, safetensors, an index of shards or a folder with them, .npy or .npz
    file: PathBuf,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What is shown of a file.
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
            FileKind::Npy => Box::new(arrays::read_one(path)?),
            FileKind::Npz => Box::new(arrays::read_all(path)?),
            FileKind::Unknown => {
                let message = "it is neither a saved program nor a file of tensors";
                return Err(Failure::new(format!("{}: {message}", path.display())));
            }
        };
        match self.json {
            true => write_json(out, &description.json()),
            false => description.write_text(out),
        }
    }
}
