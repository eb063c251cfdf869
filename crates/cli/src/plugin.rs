//! `hloom plugin`: the subcommands of `pjrt-plugins`.

use crate::failure::{Failure, Outcome};
use pjrt_plugins::{Error, cli::Command};
use std::io::Write;

pub fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command.run_to(out) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::Reported),
        Err(Error::Output(error)) => Err(Failure::Output(error)),
        Err(error) => Err(Failure::new(error)),
    }
}
