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

use crate::Linear;
use hloom_graph::{DType, Spec, Tensor, Tree, named_scope};

/// One vector per id.
#[derive(Tree, Clone, Debug)]
pub struct Embedding<T = Tensor> {
    /// `[vocab, in]`.
    #[axes(vocab, in)]
    pub weight: T,
}

impl Embedding {
    /// Looks up the vectors of integer ids, `[..]` to `[.., in]`. Ids outside the table follow the
    /// rule of [`take`](Tensor::take): -1 is the last one, and what is still outside is clamped.
    #[track_caller]
    pub fn forward(&self, ids: Tensor) -> Tensor {
        named_scope("nn::Embedding", || self.weight.take(ids, 0))
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
