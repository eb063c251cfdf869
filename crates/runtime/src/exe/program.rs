//! The compiled program that executables share.

use super::output_lists::OutputLists;
use crate::{
    KernelUse, Mesh, Platform, Signature,
    cache::{Devices, ProgramSource},
    origin::LargestValue,
};
use hloom_graph::Graph;
use hloom_pjrt::LoadedExecutable;
use std::sync::Arc;

/// The state that all executables of one program share.
pub(crate) struct Program {
    pub name: String,
    /// The traced graph, if the compiler was asked to keep it.
    pub graph: Option<Arc<Graph>>,
    pub platform: Platform,
    pub mesh: Option<Mesh>,
    pub loaded: LoadedExecutable,
    /// The plugin's bytes that it was loaded from, if it was not compiled here.
    pub code: Option<Arc<[u8]>>,
    /// The module that it was compiled from.
    pub source: ProgramSource,
    /// Whether it calls handlers: kernels, Rust functions or those of the user.
    pub calls_handlers: bool,
    pub signature: Signature,
    /// The platform kernels that it uses.
    pub kernels: Vec<KernelUse>,
    /// The largest value that it computes, for errors.
    pub largest: Option<LargestValue>,
    pub output_lists: OutputLists,
}

impl Program {
    /// The number of devices that it runs on.
    pub fn device_count(&self) -> usize {
        self.devices().count()
    }

    /// The devices that it runs on.
    pub fn devices(&self) -> Devices<'_> {
        Devices { platform: &self.platform, mesh: self.mesh.as_ref() }
    }
}
