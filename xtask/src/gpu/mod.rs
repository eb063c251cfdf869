//! The proof on a GPU: one bundle that runs on a machine with nothing but a driver and a Python.

mod bundle;
mod plugin;

use clap::Subcommand;

use crate::Result;

/// The tasks of the proof on a GPU.
#[derive(Subcommand)]
pub enum Command {
    /// Write `target/gpu-bundle`, whose `run.sh` runs everything that needs a GPU
    Bundle {
        /// The version of cuDNN of the machine with the GPU
        #[arg(long, default_value = "9.10")]
        cudnn: String,
        /// Leave out the programs compiled ahead of time, which need the CUDA plugin
        #[arg(long)]
        without_saved: bool,
    },
}

impl Command {
    /// Runs the task.
    ///
    /// # Errors
    /// The program cannot be built, the plugin not be installed, a program not be compiled, or the
    /// bundle is too large.
    pub fn run(self) -> Result {
        match self {
            Self::Bundle { cudnn, without_saved } => {
                let folder = crate::cargo::target().join("gpu-bundle");
                let program = bundle::build()?;
                bundle::write(&folder, &program)?;
                if !without_saved {
                    bundle::compile(&folder, &cudnn)?;
                }
                let bytes = bundle::check_size(&folder)?;
                println!("{}: {:.1} MB", folder.display(), bytes as f64 / 1e6);
                Ok(())
            }
        }
    }
}
