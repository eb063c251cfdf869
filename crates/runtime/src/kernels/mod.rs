//! Kernels that replace patterns a plugin runs slowly.
//!
//! Before a graph is lowered, each node is passed to the kernels of the platform, in order. The
//! first kernel that matches returns the replacement of the node, usually a custom call whose
//! handler it registers. Models do not depend on it.

mod attend;
mod block;
mod cuda;
mod dots;
mod linear;
mod linear_algebra;
mod update;

use crate::{Error, LoadError, Platform, Result};
use hloom_graph::{Graph, NodeId, Op, Rewrite, ValueId, op::OwnComposite};
use hloom_pjrt::{PlatformKind, extension::ffi::Ffi};
use std::{borrow::Cow, fmt, sync::Arc};

pub use attend::AttendKernel;
pub use block::{BlockDecodeKernel, BlockLinearKernel};
pub use cuda::CudaDecodeKernel;
pub(crate) use dots::{Chooser, Recompilation};
pub use dots::{DotClass, DotStrategy, DotTable};
pub use linear::LinearKernel;
pub use linear_algebra::LinearAlgebraKernel;
pub use update::UpdateKernel;

/// A kernel that computes a pattern of a graph faster on a platform.
///
/// It receives the nodes of graphs for one device, and those in the
/// [manual](hloom_graph::manual) computations of others, if it [never fails](Self::never_fails).
/// Their shapes are one device's, and the devices of a mesh call a kernel's handlers at the same
/// time, each with its own buffers. The other nodes of graphs over a mesh are left to the
/// partitioner.
pub trait PlatformKernel: Send + Sync + 'static {
    /// A stable name with a version, such as `acme.smooth.v1`. A compiled program looks up the
    /// kernel's handlers by their targets.
    fn name(&self) -> &str;

    /// The kind of platform that the kernel is for. On a platform of kind
    /// [`Other`](PlatformKind::Other), it chooses by the name in [`replace`](Self::replace).
    fn platform(&self) -> PlatformKind {
        PlatformKind::Cpu
    }

    /// Whether its handlers return no error when they are called as [`replace`](Self::replace)
    /// builds the calls; false by default. Only such kernels are used in programs over several
    /// devices: after an error on one device, the others wait for it in their next collective, and
    /// the CPU plugin aborts a process whose devices wait for 40 seconds.
    fn never_fails(&self) -> bool {
        false
    }

    /// Registers its handlers with a plugin, before the first program that uses them is compiled
    /// there. It may be called more than once; registering the same handlers under the same names
    /// again has no effect.
    ///
    /// # Errors
    /// The plugin's error.
    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()>;

    /// The replacement for the results of a node, if it is the last node of a pattern that the
    /// kernel computes on this platform.
    fn replace(
        &self,
        platform: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>>;

    /// The replacement of a node that the kernel does not compute by ops that the plugin runs
    /// faster. It is not counted as a use of the kernel. By default there is none.
    fn rewrite_for_plugin(
        &self,
        platform: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let _ = (platform, rewrite, node);
        None
    }
}

/// The kernels that a program may use.
#[derive(Clone)]
pub struct Kernels(Vec<Arc<dyn PlatformKernel>>);

/// A kernel that a program uses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KernelUse {
    /// Its name.
    pub name: String,
    /// The number of nodes of the graph that it replaces.
    pub count: usize,
}

impl Kernels {
    /// No kernels: the plugin compiles every node.
    pub fn off() -> Kernels {
        Kernels(Vec::new())
    }

    /// Adds a kernel, which is tried before the existing ones.
    pub fn with(mut self, kernel: impl PlatformKernel) -> Kernels {
        self.0.insert(0, Arc::new(kernel));
        self
    }

    /// Removes the kernel with this name.
    pub fn without(mut self, name: &str) -> Kernels {
        self.0.retain(|kernel| kernel.name() != name);
        self
    }

    /// Registers the handlers of the kernels of these names.
    pub(crate) fn register(&self, platform: &Platform, names: &[String]) -> Result<(), LoadError> {
        for name in names {
            let missing = || LoadError::Kernel(name.clone());
            let kernel = self.0.iter().find(|kernel| kernel.name() == name).ok_or_else(missing)?;
            let plugin = platform.client().plugin();
            plugin.ffi().and_then(|ffi| kernel.register(&ffi)).map_err(|_| missing())?;
        }
        Ok(())
    }

    /// Applies the kernels to a graph, registers their handlers, and returns the graph and the
    /// kernels used.
    pub(crate) fn apply<'g>(
        &self,
        platform: &Platform,
        graph: &'g Graph,
    ) -> Result<(Cow<'g, Graph>, Vec<KernelUse>)> {
        let unchanged = (Cow::Borrowed(graph), Vec::new());
        let kind = platform.kind();
        let is_alone = graph.mesh().is_none_or(|mesh| mesh.device_count() == 1);
        let is_fit = |kernel: &&Arc<dyn PlatformKernel>| {
            kernel.platform() == kind && (is_alone || kernel.never_fails())
        };
        let fit: Vec<_> = self.0.iter().filter(is_fit).collect();
        // A partitioner cannot split custom calls that it does not know: each device would compute
        // the whole.
        if fit.is_empty() || !graph.nodes().any(|(node, _)| graph.is_per_device(node)) {
            return Ok(unchanged);
        }
        let ffi = match platform.client().plugin().ffi() {
            Ok(ffi) => ffi,
            Err(error) => {
                tracing::debug!(%error, "no platform kernels");
                return Ok(unchanged);
            }
        };
        let (mut counts, mut is_rewritten) = (vec![0; fit.len()], false);
        let mut pass = |graph: &Graph, is_seen: fn(&Op) -> bool| {
            graph.rewrite(|rewrite, node| {
                let is_seen = is_seen(&rewrite.from().node(node).op);
                if !is_seen || !rewrite.from().is_per_device(node) {
                    return None;
                }
                let replaced = fit.iter().zip(&mut counts).find_map(|(kernel, count)| {
                    let values = kernel.replace(platform, rewrite, node)?;
                    *count += 1;
                    Some(values)
                });
                let values = replaced.or_else(|| {
                    fit.iter().find_map(|kernel| kernel.rewrite_for_plugin(platform, rewrite, node))
                });
                is_rewritten |= values.is_some();
                values
            })
        };
        // The body of a replaced product is dead: no kernel may match the product in it.
        let has_blocks = graph.nodes().any(|(_, node)| is_block_dot(&node.op));
        let rewritten = if has_blocks {
            let products = pass(graph, is_block_dot)?;
            pass(&products, |op| !is_block_dot(op))?
        } else {
            pass(graph, |_| true)?
        };
        let mut used = Vec::new();
        for (kernel, count) in fit.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            let name = kernel.name().to_owned();
            let registered = kernel.register(&ffi);
            registered
                .map_err(Error::plugin(format!("the kernel `{name}` cannot be registered")))?;
            tracing::info!(program = graph.name(), kernel = %name, count, "platform kernel");
            used.push(KernelUse { name, count });
        }
        if is_rewritten { Ok((Cow::Owned(rewritten), used)) } else { Ok(unchanged) }
    }
}

fn is_block_dot(op: &Op) -> bool {
    matches!(op, Op::Composite(composite) if composite.is(OwnComposite::BLOCK_DOT))
}

impl Default for Kernels {
    /// The built-in kernels; none when the environment variable `HLOOM_KERNELS` is `off`.
    fn default() -> Kernels {
        match std::env::var("HLOOM_KERNELS") {
            Ok(value) if value == "off" => Kernels::off(),
            _ => {
                let kernels = Kernels::off().with(AttendKernel).with(UpdateKernel);
                let kernels = kernels.with(LinearKernel::default());
                let kernels = kernels.with(BlockDecodeKernel).with(BlockLinearKernel::default());
                if cfg!(feature = "linalg") { kernels.with(LinearAlgebraKernel) } else { kernels }
            }
        }
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|kernel| kernel.name())).finish()
    }
}
