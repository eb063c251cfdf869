//! Broadcasting of two tensors against each other.

use super::{
    BroadcastInDim,
    broadcast::{align, broadcast},
};
use crate::{Dims, PerAxis, Shape, Tensor, trace::emit};
use std::panic::Location;

/// Broadcasts two tensors to the axes of both, then returns `combine` of them: with an elementwise
/// op, each element of `left` meets each element of `right`.
///
/// If both tensors are fully named, axes of the same name are one axis. Otherwise they share no
/// axes: the result has the axes of `left`, then those of `right`. Elementwise ops broadcast by
/// themselves where one operand has all axes of the other.
///
/// ```
/// use hloom_graph::{DType, Tensor, TraceScope, outer};
///
/// let trace = TraceScope::begin("example");
/// let query = Tensor::arange(DType::I32, "query", 3);
/// let key = Tensor::arange(DType::I32, "key", 5);
/// let is_earlier = outer(query, key, |query, key| key.le(query));
/// assert_eq!(is_earlier.shape().to_string(), "bool[query=3, key=5]");
/// ```
#[track_caller]
pub fn outer<R>(left: Tensor, right: Tensor, combine: impl FnOnce(Tensor, Tensor) -> R) -> R {
    let both = emit("outer", &[left, right], Location::caller(), |builder, shapes, values| {
        if shapes.iter().all(Shape::is_named) {
            let dims = align(&shapes[0], &shapes[1])?;
            return Ok((
                broadcast(builder, values[0], dims)?,
                broadcast(builder, values[1], dims)?,
            ));
        }
        let axes = |shape: &Shape| shape.names().to_vec().into_iter().zip(shape.sizes().to_vec());
        let (first, second) = (shapes[0].axes(), shapes[1].axes());
        let dims = Dims::new(axes(&shapes[0]).chain(axes(&shapes[1])))?;
        let (rank, end) = (first.sizes().len(), first.sizes().len() + second.sizes().len());
        let mut repeat = |value, axes: std::ops::Range<usize>| {
            builder.add(BroadcastInDim { axes: PerAxis::collect(axes), dims }, &[value])
        };
        Ok((repeat(values[0], 0..rank)?, repeat(values[1], rank..end)?))
    });
    let (left, right) = both.unzip();
    combine(Tensor::or_poisoned(left), Tensor::or_poisoned(right))
}
