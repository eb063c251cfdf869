//! Settings of a sandbox.

use super::{locate::locate, session::Session};
use crate::{Limits, Result, Target};
use std::path::{Path, PathBuf};

/// A sandbox: the program that is its child, and its limits.
///
/// ```no_run
/// use hloom_pjrt::CompileOptions;
/// use hloom_sandbox::{Argument, Sandbox};
///
/// let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
///   %y = stablehlo.add %x, %x : tensor<2xf32>
///   return %y : tensor<2xf32>
/// }";
/// let session = Sandbox::new().start("/path/to/pjrt_c_api_cpu_plugin.so", 1)?;
/// let program = session.compile(text.as_bytes(), &CompileOptions::new())?;
/// let argument = [1.0f32, 2.0].map(f32::to_ne_bytes).concat();
/// let results = program.call(&[Argument::Bytes(&argument)])?;
/// assert_eq!(*results[0], [2.0f32, 4.0].map(f32::to_ne_bytes).concat());
/// # Ok::<(), hloom_sandbox::Error>(())
/// ```
#[must_use = "nothing is started before `start` or `start_ahead`"]
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    program: Option<PathBuf>,
    limits: Limits,
}

impl Sandbox {
    /// A sandbox with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the program that is the child: `hloom-sandbox`, or one whose `main` calls
    /// [`enter`](crate::enter) first. Default: the current program if it called `enter`, else
    /// `hloom-sandbox` in the folder of the current program.
    pub fn program(mut self, path: impl Into<PathBuf>) -> Self {
        self.program = Some(path.into());
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Starts a child with a client of the CPU plugin in this file, which has this many devices.
    ///
    /// # Errors
    /// The system lacks what confines the child, there is no program for it, the plugin's error, or
    /// the child reached a limit.
    pub fn start(&self, plugin: impl AsRef<Path>, devices: usize) -> Result<Session> {
        let program = locate(self.program.as_deref())?;
        Session::start(&program, plugin.as_ref(), devices, &self.limits)
    }

    /// Starts a child that compiles for devices that need not be here, such as GPUs. Its programs
    /// are serialized; they cannot be called.
    ///
    /// Such a child also reads the files of the plugin, its companions and the system's libraries,
    /// starts programs of these folders under the same limits, and writes temporary files into a
    /// folder of its own, which is removed with it. The time of the processor is limited too, for
    /// each of its processes: by [`Limits::start`] and [`Limits::compile`], on all processors.
    ///
    /// # Errors
    /// As for [`start`](Self::start), or the system has no limits of files (Landlock).
    pub fn start_ahead(&self, plugin: impl AsRef<Path>, target: &Target) -> Result<Session> {
        let program = locate(self.program.as_deref())?;
        Session::start_ahead(&program, plugin.as_ref(), target, &self.limits)
    }
}
