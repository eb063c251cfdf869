//! Plugins: the commands of `pjrt-plugins`, and the suites run on each.

mod known;
pub mod matrix;
mod probe;
mod suite;
pub mod survey;
pub mod test;

use clap::Subcommand;

use crate::Result;

/// List, install, find and test PJRT plugins.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The commands of `pjrt-plugins`.
    #[command(flatten)]
    Packages(pjrt_plugins::cli::Command),
    /// Run the test suites on plugins, installed first, and write the README's matrix
    Test {
        /// Names of plugins; all that this machine can run or compile for without them
        names: Vec<String>,
        /// Only the suites of this package; the matrix stays as it is
        #[arg(long, value_name = "NAME")]
        package: Option<String>,
    },
}

impl Command {
    /// Runs the subcommand; returns false if a requested plugin is not installed.
    ///
    /// # Errors
    /// Those of the installer, or a test failed that is not known to fail.
    pub fn run(self) -> Result<bool> {
        match self {
            Self::Packages(command) => command.run().map_err(|error| error.to_string()),
            Self::Test { names, package } => test::run(&names, package.as_deref()).map(|()| true),
        }
    }
}
