//! Integers that are known while tracing.

use crate::{
    Graph, Op, Tensor,
    trace::{current_graph, current_id, shape_of},
};

#[hloom_derive::tensor_methods(known_int)]
impl Tensor {
    /// The value of an integer scalar that is a constant of the program; `None` for others.
    ///
    /// ```
    /// use hloom_graph::{DType, Spec, Tensor, TraceScope};
    ///
    /// let trace = TraceScope::begin("example");
    /// assert_eq!(Tensor::scalar(-3, DType::I32).known_int(), Some(-3));
    /// let start = trace.parameter("start", &Spec::i32([0; 0]), false);
    /// assert_eq!(start.known_int(), None);
    /// ```
    #[lazy(absent)]
    pub fn known_int(self) -> Option<i64> {
        let shape = shape_of(self)?;
        if shape.rank() != 0 || !shape.dtype().is_int() || current_id() != Some(self.trace_id()) {
            return None;
        }
        let look = |graph: &Graph| {
            let op = &graph.node(graph.value(self.value()).node).op;
            let bytes = if let Op::Splat(splat) = op {
                splat.scalar.bytes().to_vec()
            } else if let Op::Constant(literal) = op {
                literal.bytes().to_vec()
            } else {
                return None;
            };
            let is_negative = shape.dtype().is_signed_int() && bytes.last()? & 0x80 != 0;
            let mut wide = [if is_negative { 0xff } else { 0 }; 16];
            wide.get_mut(..bytes.len())?.copy_from_slice(&bytes);
            i64::try_from(i128::from_le_bytes(wide)).ok()
        };
        current_graph(look)?
    }
}
