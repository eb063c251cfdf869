//! `hloom compile`.

use crate::{
    failure::{Failure, Outcome},
    program::read_stablehlo,
    spinner,
};
use clap::Args;
use hloom_runtime::{Platform, Topology};
use std::{
    collections::BTreeMap, env, os::unix::process::CommandExt, path::PathBuf, process::Command,
};

#[derive(Args)]
pub struct Compile {
    /// StableHLO as text, bytecode, of `jax.export`, or a folder of `torch_xla`
    file: PathBuf,
    /// A platform of this machine, such as cpu; or devices that need not be here, such as
    /// tpu:v5e:2x2x1 or cuda:h200
    #[arg(long)]
    target: String,
    /// Compile in this process, where a program can do whatever you can: without it, in a sandbox
    #[arg(long)]
    trust: bool,
    /// The file of the compiled program
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl Compile {
    #[expect(unsafe_code, reason = "the user vouches for the program")]
    pub fn run(self) -> Outcome {
        let program = read_stablehlo(&self.file)?;
        if program.device_count() > 1 {
            let count = program.device_count();
            let file = self.file.display();
            return Err(Failure::new(format!(
                "{file}: it runs on {count} devices; a program of one device is saved"
            )));
        }
        let message = format!("compiling for {}", self.target);
        match self.target.split_once(':') {
            Some((platform, _)) => {
                let missing = missing_variables(platform);
                if !missing.is_empty() {
                    return Err(again_with(&missing));
                }
                let topology = Topology::parse(&self.target)?;
                let compiled = || {
                    if self.trust {
                        // SAFETY: the user vouches for the program, by `--trust`.
                        unsafe { topology.compile_stablehlo_trusted(&program) }
                    } else {
                        topology.compile_stablehlo(&program)
                    }
                };
                spinner::while_running(&message, compiled)?.save(&self.output)?;
            }
            None => {
                let platform = Platform::named(&self.target)?;
                // A program that was loaded from a cache has fewer statistics.
                platform.set_cache(None);
                let compiled = || {
                    if self.trust {
                        // SAFETY: as above.
                        unsafe { platform.load_stablehlo_trusted(&program) }.map(Into::into)
                    } else {
                        platform.load_stablehlo(&program)
                    }
                };
                spinner::while_running(&message, compiled)?.save(&self.output)?;
            }
        }
        Ok(())
    }
}

/// The unset variables that a plugin needs to load on a machine without its device, where it would
/// otherwise wait for one.
fn missing_variables(platform: &str) -> BTreeMap<String, String> {
    let manifest = pjrt_plugins::manifest(platform).ok();
    let absent = manifest.filter(|manifest| !manifest.device_present());
    let mut variables = absent.map(|manifest| manifest.probe_environment).unwrap_or_default();
    variables.retain(|name, _| env::var_os(name).is_none());
    variables
}

/// Runs this command again with variables, which a process cannot safely set for itself; returns
/// only if that fails.
fn again_with(variables: &BTreeMap<String, String>) -> Failure {
    let error = match env::current_exe() {
        Ok(program) => Command::new(program).args(env::args_os().skip(1)).envs(variables).exec(),
        Err(error) => error,
    };
    Failure::new(format!("this command cannot be started again: {error}"))
}
