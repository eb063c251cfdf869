//! Compiling programs again, for the cache.

use crate::{Compiler, Platform, Result, compile::Settings};
use hloom_graph::Graph;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A program that was compiled while the table lacked classes of its products, and everything
/// needed to compile it by another table.
pub(crate) struct Recompilation {
    graph: Graph,
    settings: Settings,
    /// A hash of its module.
    module: u64,
}

impl Recompilation {
    /// `settings` are those after the graph was lowered, and `module` the result.
    pub fn new(graph: &Graph, settings: &Settings, module: u64) -> Recompilation {
        Recompilation { graph: graph.clone(), settings: settings.clone(), module }
    }

    /// A hash of a module.
    pub fn module(code: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        code.hash(&mut hasher);
        hasher.finish()
    }

    /// Compiles the program by the table of a platform, whose cache keeps it, unless it is the same
    /// as before.
    ///
    /// # Errors
    /// That of the lowering or the plugin.
    pub(super) fn run(mut self, platform: &Platform) -> Result<()> {
        let (_, version) = platform.client().plugin().version();
        let lowered = self.settings.lower(&self.graph, platform.name(), version, Some(platform))?;
        if Recompilation::module(&lowered.code) == self.module {
            return Ok(());
        }
        let (name, code, source) = (self.graph.name().to_owned(), lowered.code, lowered.source);
        let compiler = Compiler { on: platform, settings: self.settings };
        #[expect(unsafe_code, reason = "the program was lowered here")]
        // SAFETY: the graph was checked by the rules of its ops when it was traced, and the
        // lowering adds nothing to it.
        let compiled = unsafe { compiler.compile_code(&name, code, &source, true) };
        compiled.map(drop).map_err(crate::Error::plugin(format!("`{name}` does not compile again")))
    }
}
