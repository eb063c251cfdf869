//! Outputs of programs to files, or to standard output.

use crate::{
    failure::{Failure, Outcome},
    text::safe,
};
use hloom_io::{Writer, npy};
use hloom_runtime::{Buffer, Signature};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// The destination of outputs.
pub struct Destination {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy)]
enum Format {
    Npy,
    Npz,
    Safetensors,
}

impl Destination {
    /// The destination of a path, by its extension.
    ///
    /// # Errors
    /// The extension is unknown.
    pub fn of(path: PathBuf) -> Outcome<Destination> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = match extension {
            Some("npy") => Format::Npy,
            Some("npz") => Format::Npz,
            Some("safetensors") => Format::Safetensors,
            _ => {
                let message = "outputs go to files that end with .npz, .npy or .safetensors";
                return Err(Failure::new(format!("{}: {message}", path.display())));
            }
        };
        Ok(Destination { path, format })
    }

    /// Checks that the outputs of a program fit, before it runs.
    ///
    /// # Errors
    /// There are several outputs for a file of one array.
    pub fn check(&self, signature: &Signature) -> Outcome {
        let count = signature.outputs.len();
        match self.format {
            Format::Npy if count != 1 => Err(Failure::new(format!(
                "{}: a .npy file holds one array, and there are {count} outputs; .npz and \
                 .safetensors hold several",
                self.path.display()
            ))),
            _ => Ok(()),
        }
    }

    /// Writes the outputs under their names.
    ///
    /// # Errors
    /// The program failed, the format has no such element type, or the file cannot be written.
    pub fn write(&self, signature: &Signature, outputs: &[Buffer]) -> Outcome {
        let path: &Path = &self.path;
        let named = || signature.outputs.iter().map(|output| &*output.name).zip(outputs);
        match self.format {
            Format::Npy => {
                for output in outputs {
                    npy::save(path, output)?;
                }
            }
            Format::Npz => npy::save_all(path, named())?,
            Format::Safetensors => {
                let mut writer = Writer::new();
                for (name, output) in named() {
                    writer.tensor(name, output.shape(), output.to_bytes()?)?;
                }
                writer.save(path)?;
            }
        }
        Ok(())
    }
}

/// Prints the outputs.
///
/// # Errors
/// The program failed.
pub fn print(out: &mut dyn Write, signature: &Signature, outputs: &[Buffer]) -> Outcome {
    for (output, buffer) in signature.outputs.iter().zip(outputs) {
        // Printing would not return an error of the program.
        buffer.ready()?;
        writeln!(out, "{}: {}\n{buffer}", safe(&output.name), output.shape)?;
    }
    Ok(())
}
