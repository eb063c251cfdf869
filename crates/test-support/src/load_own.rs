//! Loading programs that the tests wrote, or that scripts of this project exported.

use hloom_runtime::{AnyExe, Compiler, Result, StableHlo};

/// Loading in this process without `unsafe`: the programs of tests are trusted.
pub trait LoadOwn {
    /// Compiles a program of a test.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo_trusted`](hloom_runtime::Platform::load_stablehlo_trusted).
    fn load_own(self, program: &StableHlo) -> Result<AnyExe>;
}

impl LoadOwn for Compiler<'_> {
    fn load_own(self, program: &StableHlo) -> Result<AnyExe> {
        // SAFETY: the program is part of a test, whose author knows what the program does.
        unsafe { self.load_stablehlo_trusted(program) }
    }
}
