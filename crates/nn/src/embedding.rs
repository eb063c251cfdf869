//! An embedding table.
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::Embedding;
//!
//! let trace = TraceScope::begin("example");
//! let weight = trace.parameter("weight", &Embedding::new(32_000, 64, DType::BF16).weight, false);
//! let ids = trace.parameter("ids", &Spec::i32([("seq", 5)]), false);
//! assert_eq!(Embedding { weight }.forward(ids).shape().to_string(), "bf16[seq=5, in=64]");
//! ```

use crate::{Linear, compute_dtype, product::name_of};
use hloom_graph::{DType, Spec, Tensor, Tree, function_scope, record_error};

/// One vector per id.
#[derive(Tree, Clone, Debug)]
pub struct Embedding<T = Tensor> {
    /// `[vocab, in]`.
    #[axes(vocab, in)]
    pub weight: T,
}

impl Embedding {
    /// Looks up the vectors of integer ids, `[..]` to `[.., in]`. Ids outside the table follow the
    /// rule of [`take`](Tensor::take): -1 is the last id, and ids that are still outside are
    /// clamped. Ids with an axis of the name of the vectors' axis are an error: the axes of a
    /// result have different names. Vectors of quantised blocks are dequantised to `f32`.
    #[track_caller]
    pub fn forward(&self, ids: Tensor) -> Tensor {
        if let Some(name) = name_of(self.weight, 1)
            && ids.dtype().is_int()
            && ids.shape().names().contains(&Some(name))
        {
            let message = format!(
                "the ids have an axis `{name}`, and so have the vectors of the table: rename the \
                 axis of the ids, as by `ids.rename(\"{name}\", \"seq\")`"
            );
            return record_error("nn::Embedding", &[ids, self.weight], message);
        }
        function_scope("nn::Embedding", || {
            let vectors = self.weight.take(ids, 0);
            match vectors.dtype() {
                stored @ DType::Block(_) => vectors.dequantize(compute_dtype(stored)),
                _ => vectors,
            }
        })
    }

    /// The output layer tied to this table: the dot products of its input with every vector.
    #[track_caller]
    pub fn as_linear(&self) -> Linear {
        Linear { weight: self.weight, bias: None }
    }
}

impl Embedding<Spec> {
    /// The specs of a table of `count` vectors of `size` elements.
    pub fn new(count: usize, size: usize, dtype: DType) -> Embedding<Spec> {
        Embedding { weight: Spec::new(dtype, [("vocab", count), ("in", size)]) }
    }
}
