//! Functions over a new batch axis.
//!
//! The function is traced into a region of its own, and its nodes are recorded again with the axis
//! as their first one, by the [rule](Batch) of each op.

mod axes;
mod carried;
mod composite;
mod lanes;
mod rule;

use crate::{
    Axis, Shape, Tensor,
    body::Body,
    ops::{TensorTree, axis_of, by_rows, leaves, rebuild},
    trace::{called_from, emit, function_scope, in_region},
};
pub(crate) use axes::{shifted, with_first, without_edge};
pub(crate) use carried::{flagged, lane_select, poisoned};
pub(crate) use lanes::{Lane, Lanes};
pub(crate) use rule::{Batch, BatchedValues, as_it_is, batched_if_any, not_batched, spread_all};
use std::panic::Location;

/// `body`, which is written for one element of `xs` along an axis, applied to all elements at once.
///
/// `body` takes the elements at one index, without the axis. The results are those of every index,
/// stacked along a first axis of the same name and size, as by `jax.vmap`. Tensors of the trace
/// that `body` uses besides its argument are the same for every index.
///
/// Each op of the body is recorded once, with the axis as its first one: dot products as batched
/// ones, loops as one loop for all elements, which runs until the last element has finished, and
/// branches as selections if the elements differ in their predicate. Composites are expanded. Calls
/// of functions without effects are made for each element separately.
///
/// Ops with effects, and those that place values on a mesh or communicate over it, are errors where
/// they depend on the elements; [`map`](crate::map) processes the elements sequentially.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, vmap};
///
/// let trace = TraceScope::begin("example");
/// let points = trace.parameter("points", &Spec::f32([("point", 100), ("coordinate", 3)]), false);
/// let matrix = trace.parameter("matrix", &Spec::f32([("out", 2), ("coordinate", 3)]), false);
/// let turned = vmap(points, "point", |x| matrix.dot(x, "coordinate"));
/// assert_eq!(turned.shape().to_string(), "f32[point=100, out=2]");
/// ```
#[track_caller]
pub fn vmap<X: TensorTree, Y: TensorTree>(
    xs: X,
    axis: impl Into<Axis>,
    body: impl FnOnce(X) -> Y,
) -> Y {
    let (axis, location) = (axis.into(), Location::caller());
    let sources = leaves(&xs);
    let found = emit("vmap", &sources, location, |_, s, _| {
        let axes = s.iter().map(|s| s.position(axis)).collect::<Result<Vec<_>, _>>()?;
        let elements: Vec<Shape> = s.iter().zip(&axes).map(|(s, &axis)| s.without(axis)).collect();
        let (name, size) = axis_of(s, &axes)?;
        Ok((axes, elements, name, size))
    });
    let Some((axes, elements, name, size)) = found else {
        let y = body(rebuild(&xs, &[]));
        return rebuild(&y, &[]);
    };
    // The region has no owner: only the nodes that are recorded from it are computed.
    let (traced, y) = in_region("vmap", &elements, location, |parameters| {
        let y = body(rebuild(&xs, parameters));
        (leaves(&y), y)
    });
    let Some(traced) = traced.and_then(Body::of) else { return rebuild(&y, &[]) };
    function_scope("vmap", || {
        let lead = |(&x, &axis): (&Tensor, &usize)| {
            let rows = by_rows("vmap", x, axis.into(), |bytes| bytes.moveaxis(axis, 0));
            Lane::batched(rows.unwrap_or_else(|| x.moveaxis(axis, 0)).unnamed_axis(0))
        };
        let lanes: Vec<Lane> = sources.iter().zip(&axes).map(lead).collect();
        let mut all = Lanes::new(size);
        let results = all.body(&traced, &lanes);
        let name = name.map_or("_", |name| name.as_str());
        let results: Vec<Tensor> = results
            .into_iter()
            .map(|lane| called_from(location, || all.spread(lane).rename(0, name)))
            .collect();
        rebuild(&y, &results)
    })
}

impl Tensor {
    /// The tensor without a name for one of its axes.
    #[track_caller]
    fn unnamed_axis(self, axis: usize) -> Tensor {
        self.rename(axis, "_")
    }
}
