//! Code of our own, or of a user, in the place of what a plugin is slow at.
//!
//! Before a graph is lowered, each node is shown to the kernels of the platform, in order. The first that knows a faster way
//! gives what stands in the node's place, as a rule a custom call whose handler it registers. Models know nothing of it.

mod attend;
mod linear;

use crate::{Error, Platform, Result};
use hloom_graph::{Graph, NodeId, Rewrite, ValueId};
use hloom_pjrt::extension::ffi::Ffi;
use std::{borrow::Cow, fmt, sync::Arc};

pub use attend::AttendKernel;
pub use linear::LinearKernel;

/// A faster way to compute a pattern of a graph on a platform.
///
/// It is shown graphs for one device only: those that are split over a mesh are left as they are.
pub trait PlatformKernel: Send + Sync + 'static {
    /// A name that stays, with a version, such as `acme.smooth.v1`. What was compiled with a kernel asks for it by its targets.
    fn name(&self) -> &str;

    /// The platform that it is for.
    fn platform(&self) -> &str {
        "cpu"
    }

    /// Makes its handlers known to a plugin, before the first program that uses them is compiled there. It may be asked more than
    /// once; the same handlers under the same names again change nothing.
    ///
    /// # Errors
    /// What the plugin says.
    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()>;

    /// What stands for the results of a node, if this is the last node of a pattern that the kernel computes.
    fn replace(&self, rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>>;
}

/// The kernels that a program may use.
#[derive(Clone)]
pub struct Kernels(Vec<Arc<dyn PlatformKernel>>);

/// A kernel that a program uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelUse {
    /// Its name.
    pub name: String,
    /// How many nodes of the graph it stands for.
    pub count: usize,
}

impl Kernels {
    /// None: the plugin computes all by itself.
    pub fn off() -> Kernels {
        Kernels(Vec::new())
    }

    /// With one more, which is asked before those that are there.
    pub fn with(mut self, kernel: impl PlatformKernel) -> Kernels {
        self.0.insert(0, Arc::new(kernel));
        self
    }

    /// Without that of a name.
    pub fn without(mut self, name: &str) -> Kernels {
        self.0.retain(|kernel| kernel.name() != name);
        self
    }

    /// The graph with kernels in it, and which those are. Their handlers are registered.
    pub(crate) fn apply<'g>(&self, platform: &Platform, graph: &'g Graph) -> Result<(Cow<'g, Graph>, Vec<KernelUse>)> {
        let unchanged = (Cow::Borrowed(graph), Vec::new());
        let fit: Vec<_> = self
            .0
            .iter()
            .filter(|kernel| kernel.platform() == platform.name())
            .collect();
        // A partitioner does not split calls of code that it does not know: each device would compute the whole.
        if fit.is_empty() || graph.mesh().is_some() {
            return Ok(unchanged);
        }
        let ffi = match platform.client().plugin().ffi() {
            Ok(ffi) => ffi,
            Err(error) => {
                tracing::debug!(%error, "no platform kernels");
                return Ok(unchanged);
            }
        };
        let mut counts = vec![0; fit.len()];
        let rewritten = graph.rewrite(|rewrite, node| {
            fit.iter().zip(&mut counts).find_map(|(kernel, count)| {
                let values = kernel.replace(rewrite, node)?;
                *count += 1;
                Some(values)
            })
        })?;
        let mut used = Vec::new();
        for (kernel, count) in fit.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            let name = kernel.name().to_owned();
            let registered = kernel.register(&ffi);
            registered.map_err(Error::plugin(format!("the kernel `{name}` cannot be registered")))?;
            tracing::info!(program = graph.name(), kernel = %name, count, "platform kernel");
            used.push(KernelUse { name, count });
        }
        match used.is_empty() {
            true => Ok(unchanged),
            false => Ok((Cow::Owned(rewritten), used)),
        }
    }
}

impl Default for Kernels {
    /// Those that Hloom has; none when the environment variable `HLOOM_KERNELS` is `off`.
    fn default() -> Kernels {
        match std::env::var("HLOOM_KERNELS") {
            Ok(value) if value == "off" => Kernels::off(),
            _ => Kernels::off().with(AttendKernel).with(LinearKernel::default()),
        }
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|kernel| kernel.name()))
            .finish()
    }
}
