//! The description of a compiled program.

use hloom_pjrt::{CompiledMemoryStats, Spec, Tilings};

/// The parameters and results of a compiled program, as each of its devices has them.
///
/// They come from the child: their sizes are within the limit of memory and all lists fit each
/// other, but names and numbers may be anything if the program took the child over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The name of the module.
    pub name: String,
    /// The number of devices that it runs on.
    pub devices: usize,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The indices of parameters whose memory results may have.
    pub donatable: Vec<usize>,
    /// The results.
    pub results: Vec<Spec>,
    /// The targets of its custom calls, each once.
    pub custom_calls: Vec<String>,
    /// The splitting of parameters and results over the devices, if the plugin describes it.
    pub tilings: Option<Tilings>,
    /// The memory that it needs on each device, if the plugin reports it.
    pub memory: Option<CompiledMemoryStats>,
}

/// A parameter of a compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name that the program's author gave it, if any.
    pub name: Option<String>,
    /// The element type and dimensions.
    pub spec: Spec,
    /// The size in bytes on the host.
    pub bytes: usize,
}
