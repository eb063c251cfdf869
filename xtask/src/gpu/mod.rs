//! The proof on a GPU: one bundle that runs on a machine with nothing but a driver and a Python.

mod bundle;
pub mod check;
mod plugin;
mod program;
mod run;

use clap::Subcommand;

use crate::{Result, cargo};

/// The tasks of the proof on a GPU.
#[derive(Subcommand)]
pub enum Command {
    /// Write `target/gpu-bundle`, whose `run.sh` runs everything that needs a GPU
    Bundle {
        /// The version of cuDNN of the machine with the GPU
        #[arg(long, default_value = plugin::CUDNN)]
        cudnn: String,
        /// Leave out the programs compiled ahead of time, which need the CUDA plugin
        #[arg(long)]
        without_saved: bool,
        /// Write none; check in a minute what can be checked without a GPU
        #[arg(long, conflicts_with_all = ["cudnn", "without_saved"])]
        check: bool,
    },
}

impl Command {
    /// Runs the task.
    ///
    /// # Errors
    /// The program cannot be built, the plugin not be installed, a program not be compiled, the
    /// bundle is too large, or a check failed.
    pub fn run(self) -> Result {
        match self {
            Self::Bundle { check: true, .. } => check::run(check::Extent::Fast),
            Self::Bundle { cudnn, without_saved, check: false } => {
                let folder = cargo::target().join("gpu-bundle");
                let program = bundle::build(bundle::Profile::Release)?;
                bundle::write(&folder, &program)?;
                if !without_saved {
                    bundle::compile(&folder, &cudnn)?;
                }
                bundle::pack(&folder)?;
                let bytes = bundle::check_size(&folder)?;
                println!("{}: {:.1} MB", folder.display(), bytes as f64 / 1e6);
                Ok(())
            }
        }
    }
}
