//! The report: facts read from a program, and facts that the caller adds.

use crate::{
    CompiledKernels, CompiledMemoryStats, Error, Memory, Result, hlo::Module, memory, page,
    program::ModuleGraph,
};
use std::path::PathBuf;

/// The report of a compiled program.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) module: Module,
    pub(crate) kernels: CompiledKernels,
    pub(crate) title: String,
    pub(crate) platform: String,
    pub(crate) memory_stats: Option<CompiledMemoryStats>,
    pub(crate) input_names: Vec<String>,
    pub(crate) roots: Vec<PathBuf>,
}

impl Report {
    /// Reads an optimized program in the format `hlo` or `hlo_with_config`, as
    /// `hloom_pjrt::Executable::optimized_program` returns it.
    ///
    /// # Errors
    /// The format is another one, the bytes are no such program, or it has no entry computation.
    pub fn of_hlo(bytes: &[u8], format: &str) -> Result<Self> {
        Self::of_module(Module::read(format, bytes)?)
    }

    /// The report of a program that was read.
    ///
    /// # Errors
    /// The program has no entry computation.
    pub fn of_module(module: Module) -> Result<Self> {
        if !module.computations.iter().any(|body| body.id == module.entry_computation_id) {
            return Err(Error::NoEntry { name: module.name });
        }
        Ok(Self {
            kernels: CompiledKernels::of(&module),
            title: module.name.clone(),
            platform: String::new(),
            memory_stats: None,
            input_names: Vec::new(),
            roots: Vec::new(),
            module,
        })
    }

    /// Sets the title; the program's name by default.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The platform or device kind that the program was compiled for, shown in the heading.
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = platform.into();
        self
    }

    /// The compiler's own figures of memory, shown instead of estimates.
    pub fn memory_stats(mut self, stats: CompiledMemoryStats) -> Self {
        self.memory_stats = Some(stats);
        self
    }

    /// The names of the parameters, in their order: paths such as `model.layers.0.weight`, which
    /// modules are derived from. If they are not paths, the names in the program are used.
    pub fn input_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.input_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a folder with source files. The program's paths are looked up in it; absolute ones only
    /// if they lead into it. Without a folder, no file is read.
    pub fn sources(mut self, folder: impl Into<PathBuf>) -> Self {
        self.roots.push(folder.into());
        self
    }

    /// The kernels that the program runs, with estimated costs.
    pub fn kernels(&self) -> &CompiledKernels {
        &self.kernels
    }

    /// Live buffers at each step of the program: an estimate.
    pub fn memory(&self) -> Memory {
        memory::of(&ModuleGraph::new(&self.module)).memory
    }

    /// The page. Source files are read now; one that is not readable is left out.
    pub fn html(&self) -> String {
        page::html(self)
    }
}
