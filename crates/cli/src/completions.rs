//! `hloom completions`.

use crate::{Arguments, failure::Outcome};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        // The generator cannot report that the output ended, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "hloom", &mut script);
        Ok(out.write_all(&script)?)
    }
}
