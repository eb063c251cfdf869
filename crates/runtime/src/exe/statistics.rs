//! The compiler's statistics of a program.

use crate::{AnyExe, Error, Input, Result};
use hloom_pjrt::{CompiledKernels, CompiledMemoryStats, Executable, NamedValues};

/// The plugin's estimates of costs, or those of the kernels of the optimized program.
pub(crate) fn cost(executable: &Executable) -> hloom_pjrt::Result<NamedValues> {
    match executable.cost_analysis() {
        Err(error) if error.is_unimplemented() => {
            let kernels = executable.kernels()?;
            let bytes = kernels.iter().map(|kernel| kernel.bytes).fold(0, u64::saturating_add);
            let estimates = [("flops", kernels.flops()), ("bytes accessed", bytes)];
            let named = estimates.map(|(name, value)| (name.to_owned(), (value as f32).into()));
            Ok(named.into())
        }
        reported => reported,
    }
}

impl AnyExe {
    /// The memory that the program needs, as planned by the compiler.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn memory(&self) -> Result<CompiledMemoryStats> {
        let stats = self.as_pjrt().executable().memory_stats();
        stats.map_err(Error::plugin(format!("memory of `{}`", self.name())))
    }

    /// Estimates of the program's costs, as floats: the compiler's, under the plugin's own names,
    /// or, where the plugin makes none, `flops` and `bytes accessed` of the kernels of the optimized
    /// program, each counted once, as [`compiled_kernels`](Self::compiled_kernels) lists them.
    ///
    /// # Errors
    /// The plugin neither makes estimates nor returns the optimized program as HLO.
    pub fn cost(&self) -> Result<NamedValues> {
        let cost = cost(self.as_pjrt().executable());
        cost.map_err(Error::plugin(format!("cost of `{}`", self.name())))
    }

    /// The kernels of the compiled program: its fusions and the instructions that were not fused,
    /// each with its kind, result, estimated operations, bytes, and the source line of the op that
    /// it was compiled from. The value is printed as a table.
    ///
    /// ```no_run
    /// use hloom_graph::{Spec, Tensor};
    /// # fn f(platform: &hloom_runtime::Platform) -> hloom_runtime::Result<()> {
    /// let spec = Spec::f32([("n", 64)]);
    /// let exe = platform.compile(|x: Tensor| x.exp() + 1.0, (spec,))?;
    /// println!("{}", exe.any().compiled_kernels()?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The plugin does not return the optimized program as HLO.
    pub fn compiled_kernels(&self) -> Result<CompiledKernels> {
        let kernels = self.as_pjrt().executable().kernels();
        kernels.map_err(Error::plugin(format!("kernels of `{}`", self.name())))
    }

    /// Donated inputs whose memory the compiler could not reuse for a result: `(input, bytes)`.
    /// `None` when the plugin does not report how much memory it reused.
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
        // Inputs named by an output are certainly aliased; the others are counted in order as far
        // as the memory reaches.
        let named = |input: &Input| {
            let at = signature.input(&input.name);
            signature.outputs.iter().any(|output| output.reuses.is_some() && output.reuses == at)
        };
        let certain: usize = asked.iter().filter(|i| named(i)).map(|i| i.shape.byte_size()).sum();
        let mut left = aliased.saturating_sub(certain);
        let mut unused = Vec::new();
        for input in asked.into_iter().filter(|i| !named(i)) {
            let size = input.shape.byte_size();
            if left >= size { left -= size } else { unused.push((input.name.clone(), size)) }
        }
        Some(unused)
    }

    /// The optimized program: its format and its text or bytes. `None` when the plugin does not
    /// return it.
    pub fn optimized_program(&self) -> Option<(String, Vec<u8>)> {
        let program = self.as_pjrt().executable().optimized_program().ok()?;
        Some((program.format().to_owned(), program.code().to_vec()))
    }
}
