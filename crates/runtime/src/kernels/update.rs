//! Blocks that are written into an array of half precision.

use super::PlatformKernel;
use crate::Platform;
use hloom_graph::{CustomCall, DType, NodeId, Op, OutputAlias, Rewrite, ValueId};
use hloom_kernels::handlers::UpdateHandler;
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// `dynamic_update_slice` of `bf16` and `f16` on the CPU: the block is written in place, where the
/// plugin converts the whole array to `f32` and back. So a step of a decoder writes only its own
/// positions of a cache, and its cost does not depend on the cache's size.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateKernel;

/// The minimum number of elements: converting fewer takes no longer than a call.
const MIN_ELEMENTS: usize = 4096;

impl PlatformKernel for UpdateKernel {
    fn name(&self) -> &str {
        UpdateHandler::TARGET
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(UpdateHandler::TARGET, &Handlers::new::<UpdateHandler>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let Op::DynamicUpdateSlice(_) = graph.node(node).op else {
            return None;
        };
        let operands = graph.operands(node);
        let [array, _, starts @ ..] = operands else {
            return None;
        };
        let shape = graph.shape(*array);
        let fits = matches!(shape.dtype(), DType::BF16 | DType::F16)
            && shape.element_count() >= MIN_ELEMENTS
            && starts.iter().all(|&start| graph.dtype(start) == DType::I32);
        if !fits {
            return None;
        }
        let mut call = CustomCall::new(UpdateHandler::TARGET, [shape]);
        call.aliases.push(OutputAlias { result: 0, operand: 0 });
        let operands: Option<Vec<_>> = operands.iter().map(|&value| rewrite.value(value)).collect();
        Some(rewrite.add(call, &operands?)?.to_vec())
    }
}
