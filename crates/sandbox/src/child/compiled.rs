//! Programs of a child.

use super::{interface::describe, serve::text};
use crate::message::Interface;
use hloom_pjrt::{Client, CompileOptions, Executable, LoadedExecutable, Program, Topology};

/// The devices that a child compiles for.
pub enum Compiler {
    /// Those of its client, on which programs run.
    Here(Client),
    /// Those of a description.
    Ahead(Topology),
}

/// A compiled program.
pub enum Compiled {
    /// On the devices of a client.
    Loaded(LoadedExecutable),
    /// To be saved.
    Ahead(Executable),
}

impl Compiler {
    /// The name and the version of the platform.
    pub fn platform(&self) -> hloom_pjrt::Result<(String, String)> {
        Ok(match self {
            Compiler::Here(client) => {
                (client.platform_name().to_owned(), client.platform_version().to_owned())
            }
            Compiler::Ahead(topology) => (topology.platform_name()?, topology.platform_version()?),
        })
    }

    /// # Errors
    /// The plugin's error, or the program waits for another one.
    pub fn compile(&self, options: &[u8], code: Vec<u8>) -> Result<(Compiled, Interface), String> {
        let options = CompileOptions::decode(options).map_err(text)?;
        let program = Program::mlir(code);
        let compiled = match self {
            Compiler::Here(client) => {
                // SAFETY: whatever the program does to this process, which computes nothing else
                // and can do nothing else, its parent expects.
                let program = unsafe { client.compile(&program, &options) };
                program.map(Compiled::Loaded)
            }
            Compiler::Ahead(topology) => {
                // SAFETY: as above.
                let program = unsafe { topology.compile(&program, &options, None) };
                program.map(Compiled::Ahead)
            }
        };
        let compiled = compiled.map_err(text)?;
        let interface = describe(compiled.executable(), matches!(self, Compiler::Here(_)))?;
        Ok((compiled, interface))
    }

    /// The client.
    ///
    /// # Errors
    /// The devices need not be here.
    pub fn client(&self) -> Result<&Client, String> {
        match self {
            Compiler::Here(client) => Ok(client),
            Compiler::Ahead(_) => Err(NOT_HERE.to_owned()),
        }
    }
}

impl Compiled {
    pub fn executable(&self) -> &Executable {
        match self {
            Compiled::Loaded(program) => program.executable(),
            Compiled::Ahead(executable) => executable,
        }
    }

    /// The program on its devices.
    ///
    /// # Errors
    /// These need not be here.
    pub fn loaded(&self) -> Result<&LoadedExecutable, String> {
        match self {
            Compiled::Loaded(program) => Ok(program),
            Compiled::Ahead(_) => Err(NOT_HERE.to_owned()),
        }
    }
}

const NOT_HERE: &str = "the program is compiled for devices that need not be here: it is saved";
