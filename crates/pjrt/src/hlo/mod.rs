//! XLA's own form of a program, which plugins return for the optimized program: messages with the
//! fields that this project uses.
//!
//! ```no_run
//! # fn main() -> hloom_pjrt::Result<()> {
//! use hloom_pjrt::{CompiledKernels, hlo::Module};
//!
//! let bytes = std::fs::read("program.hlo").expect("the file is readable");
//! let module = Module::read("hlo", &bytes)?;
//! println!("{}: {}", module.name, CompiledKernels::of(&module));
//! # Ok(())
//! # }
//! ```

mod messages;

pub(crate) use messages::WithConfig;
pub use messages::{
    BufferDonor, BufferDonors, Computation, Convolution, Dot, FileLocation, InputOutputAlias,
    InputOutputAliases, Instruction, Literal, Metadata, Module, OutputOperandAlias, Schedule,
    Sequence, Shape, SliceDimension, StackFrame, StackFrames, Window, WindowDimension,
};

use crate::{Error, Executable, Result};
use prost::Message;
use std::collections::BTreeSet;

impl Module {
    /// Reads a module in the format `hlo` or `hlo_with_config`, as
    /// [`Executable::optimized_program`] returns it.
    ///
    /// # Errors
    /// The format is another one, or the bytes are not such a message.
    pub fn read(format: &str, bytes: &[u8]) -> Result<Self> {
        let module = match format {
            "hlo" => Module::decode(bytes),
            "hlo_with_config" => {
                WithConfig::decode(bytes).map(|all| all.module.unwrap_or_default())
            }
            other => {
                return Err(Error::argument(format!(
                    "the optimized program is in the format `{other}`, expected HLO"
                )));
            }
        };
        module.map_err(|error| Error::argument(format!("the optimized program: {error}")))
    }

    /// The parameters that the program takes over if it may, in order.
    pub fn donatable(&self) -> BTreeSet<usize> {
        let aliases = self.aliases.iter().flat_map(|aliases| &aliases.entries);
        let donors = self.donors.iter().flat_map(|donors| &donors.entries);
        let numbers = aliases.map(|entry| entry.parameter);
        let numbers = numbers.chain(donors.map(|entry| entry.parameter));
        numbers.filter_map(|number| usize::try_from(number).ok()).collect()
    }

    /// File and line of an instruction: older plugins have them in the metadata, newer ones in a
    /// table. `None` where there are none.
    pub fn source<'a>(&'a self, metadata: &'a Metadata) -> Option<(&'a str, u32)> {
        if !metadata.source_file.is_empty() {
            let line = u32::try_from(metadata.source_line).unwrap_or(0);
            return Some((&metadata.source_file, line));
        }
        let table = self.stack_frames.as_ref()?;
        let at = |index: i32| usize::try_from(index).ok()?.checked_sub(1);
        let frame = table.frames.get(at(metadata.stack_frame_id)?)?;
        let location = table.locations.get(at(frame.location)?)?;
        let file = table.files.get(at(location.file)?)?;
        Some((file, u32::try_from(location.line).unwrap_or(0)))
    }
}

impl Executable {
    /// The program after the compiler's passes.
    ///
    /// # Errors
    /// The plugin does not return the optimized program, or not in the form of HLO.
    pub fn hlo_module(&self) -> Result<Module> {
        let program = self.optimized_program()?;
        Module::read(program.format(), program.code())
    }
}
