//! Compiling programs that the tests wrote.

use hloom_pjrt::{Client, CompileOptions, Executable, LoadedExecutable, Program, Result, Topology};

/// Compiling without `unsafe`: the programs of tests are trusted; untrusted programs run in child
/// processes.
pub trait CompileOwn {
    /// The compiled program.
    type Compiled;

    /// Compiles a program of a test.
    ///
    /// # Errors
    /// As for [`Client::compile`].
    fn compile_own(
        &self,
        program: &Program<'_>,
        options: &CompileOptions,
    ) -> Result<Self::Compiled>;
}

impl CompileOwn for Client {
    type Compiled = LoadedExecutable;

    fn compile_own(
        &self,
        program: &Program<'_>,
        options: &CompileOptions,
    ) -> Result<LoadedExecutable> {
        // SAFETY: the program is part of a test, whose author knows what the program does.
        unsafe { self.compile(program, options) }
    }
}

impl CompileOwn for Topology {
    type Compiled = Executable;

    fn compile_own(&self, program: &Program<'_>, options: &CompileOptions) -> Result<Executable> {
        // SAFETY: as above.
        unsafe { self.compile(program, options, None) }
    }
}
