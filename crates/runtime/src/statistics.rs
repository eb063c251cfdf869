//! What the compiler says of a program.

use crate::{AnyExe, Error, Input, Result};
use hloom_pjrt::{CompiledMemoryStats, NamedValues};

impl AnyExe {
    /// Bytes of memory that the program needs, as the compiler planned them.
    ///
    /// # Errors
    /// The plugin does not say.
    pub fn memory(&self) -> Result<CompiledMemoryStats> {
        let stats = self.as_pjrt().executable().memory_stats();
        stats.map_err(Error::plugin(format!("memory of `{}`", self.name())))
    }

    /// What the compiler expects the program to cost, by the plugin's own names, such as `flops` and `bytes accessed`.
    ///
    /// # Errors
    /// The plugin does not say.
    pub fn cost(&self) -> Result<NamedValues> {
        let cost = self.as_pjrt().executable().cost_analysis();
        cost.map_err(Error::plugin(format!("cost of `{}`", self.name())))
    }

    /// Donated inputs whose memory the compiler could not give to a result: `(input, bytes)`. `None` when the plugin does not
    /// say how much memory it used again.
    pub fn unused_donations(&self) -> Option<Vec<(String, usize)>> {
        let signature = self.signature();
        let asked: Vec<&Input> = signature.inputs.iter().filter(|input| input.donated).collect();
        if asked.is_empty() {
            return Some(Vec::new());
        }
        let aliased = usize::try_from(self.memory().ok()?.aliases).ok()?;
        if asked.iter().map(|input| input.shape.byte_size()).sum::<usize>() <= aliased {
            return Some(Vec::new());
        }
        // What is named by an output is aliased for certain; the others are used in order as far as the memory goes.
        let named = |input: &Input| {
            let at = signature.input(&input.name);
            signature
                .outputs
                .iter()
                .any(|output| output.reuses.is_some() && output.reuses == at)
        };
        let certain: usize = asked.iter().filter(|i| named(i)).map(|i| i.shape.byte_size()).sum();
        let mut left = aliased.saturating_sub(certain);
        let mut unused = Vec::new();
        for input in asked.into_iter().filter(|i| !named(i)) {
            let size = input.shape.byte_size();
            match left >= size {
                true => left -= size,
                false => unused.push((input.name.clone(), size)),
            }
        }
        Some(unused)
    }

    /// The program as the plugin will run it: its format and its text or bytes. `None` when the plugin does not give it out.
    pub fn optimized_program(&self) -> Option<(String, Vec<u8>)> {
        let program = self.as_pjrt().executable().optimized_program().ok()?;
        Some((program.format().to_owned(), program.code().to_vec()))
    }
}
