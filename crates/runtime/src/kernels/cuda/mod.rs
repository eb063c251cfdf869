//! Kernels for GPUs of NVIDIA, for the step of a decoder that makes one token.
//!
//! The compiler's own code for such a step is about twenty kernels a layer, of which each waits for
//! the one before it, and the weights are not read in the meantime. These kernels begin to read
//! their weights before they compute the row that is multiplied, and join what comes before and
//! after a product with it.
//!
//! They are texts of PTX in the program, which the plugin loads and records with its own kernels:
//! no function of the host is called.

mod attend;
mod gated;
mod linear;
mod pattern;
mod ptx;
#[cfg(test)]
mod tests;

use super::PlatformKernel;
use crate::Platform;
use hloom_graph::{NodeId, Rewrite, ValueId};
use hloom_pjrt::{PlatformKind, extension::ffi::Ffi};

/// The kernels of a decoder's step on GPUs of NVIDIA: products of one row with weights in `bf16`,
/// together with the norm before them, or with the gate or the sum after them, and attention of one
/// query to a cache in `bf16`.
///
/// It is not among the kernels that programs use by default: plugins compile it, and it has not run
/// on a GPU yet.
///
/// ```no_run
/// # use hloom_runtime::{CudaDecodeKernel, Kernels, Platform};
/// # use hloom_graph::{Spec, Tensor};
/// # fn main() -> hloom_runtime::Result<()> {
/// let platform = Platform::named("cuda")?;
/// let kernels = Kernels::default().with(CudaDecodeKernel);
/// let exe = platform.compiler().kernels(kernels).compile(|x: Tensor| x + x, (Spec::f32([3]),))?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaDecodeKernel;

/// The version of the PJRT C API of the first plugin that runs these kernels as tested. Earlier
/// plugins may not know the call.
const MIN_API_MINOR: i32 = 115;

impl PlatformKernel for CudaDecodeKernel {
    fn name(&self) -> &str {
        "hloom.cuda.decode.v1"
    }

    fn platform(&self) -> PlatformKind {
        PlatformKind::Cuda
    }

    fn register(&self, _: &Ffi) -> hloom_pjrt::Result<()> {
        Ok(())
    }

    fn replace(
        &self,
        platform: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let (_, minor) = platform.client().plugin().version();
        if minor < MIN_API_MINOR { None } else { replaced(rewrite, node) }
    }
}

/// The replacement for the results of a node, if it is the last one of a pattern.
fn replaced(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    if let Some(sum) = linear::Sum::at(rewrite, node) {
        return sum.replaced(rewrite);
    }
    if let Some(gated) = gated::Gated::at(rewrite, node) {
        return gated.replaced(rewrite);
    }
    if let Some(attention) = attend::Attention::at(rewrite.from(), node) {
        return attention.replaced(rewrite);
    }
    linear::normed(rewrite, node)
}
