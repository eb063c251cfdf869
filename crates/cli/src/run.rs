//! `hloom run`.

use crate::{
    failure::Outcome,
    inputs::InputFiles,
    outputs::{self, Destination},
    program::ProgramFile,
};
use clap::Args;
use hloom_runtime::Argument;
use std::{io::Write, path::PathBuf};

#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    program: ProgramFile,
    #[command(flatten)]
    inputs: InputFiles,
    /// The file of the outputs: .npz or .safetensors, or .npy for one; printed without it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Run {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        // Checks the path before any slow step.
        let destination = self.output.map(Destination::of).transpose()?;
        let program = self.program.load()?;
        let signature = program.signature();
        if let Some(destination) = &destination {
            destination.check(signature)?;
        }
        let mut inputs = self.inputs.load(&program, true)?;
        // No other code uses the buffers: the program may reuse their memory.
        let given = program.free_inputs().filter_map(|input| inputs.remove(&input.name));
        let given = given.map(Argument::Donated).collect();
        let results = program.call(given)?;
        match destination {
            Some(destination) => destination.write(signature, &results),
            None => outputs::print(out, signature, &results),
        }
    }
}
