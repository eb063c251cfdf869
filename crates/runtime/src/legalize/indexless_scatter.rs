//! Scatters whose index vectors have no elements, as scatters at index 0 of the first axis: the
//! plugin applies only one update, and rejects scatters into scalars.

use super::{Change, Pass, Platforms, Replacement, tensors};
use hloom_graph::{
    Graph, NodeId, Op, PerAxis, RegionId, RegionKind, Replay, Shape, Tensor,
    op::{Scatter, ScatterBy},
    record, record_region,
};

pub(super) const PASS: Pass = Pass {
    name: "indexless_scatter",
    defects: &["scatters_into_a_scalar_are_refused", "scatters_without_indices_update_once"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let op = &graph.node(node).op;
    let dims = match op {
        Op::Scatter(scatter) => &scatter.dims,
        Op::ScatterBy(scatter) => &scatter.dims,
        _ => return None,
    };
    // Batch axes become indices in the plugin.
    if !dims.scatter_dims_to_operand_dims.is_empty() || !dims.input_batching_dims.is_empty() {
        return None;
    }
    tensors(move |operands| {
        let results: Vec<Shape> =
            graph.node_results(node).map(|value| graph.shape(value)).collect();
        let mut dims = dims.clone();
        let mut operands = operands.to_vec();
        let (scalars, rest) = operands.split_at_mut(results.len());
        if results.first()?.rank() == 0 {
            scalars.iter_mut().for_each(|x| *x = x.reshape([1]));
            dims.inserted_window_dims = PerAxis::collect([0]);
        }
        let indices = rest.first_mut()?;
        let mut sizes = indices.shape().sizes().to_vec();
        *sizes.get_mut(dims.index_vector_dim)? = 1;
        *indices = Tensor::zeros(indices.dtype(), sizes);
        dims.scatter_dims_to_operand_dims = PerAxis::collect([0]);
        let op: Op = match op {
            Op::Scatter(scatter) => Scatter { update: scatter.update, dims }.into(),
            Op::ScatterBy(scatter) => ScatterBy { body: copied(graph, scatter.body)?, dims }.into(),
            _ => return None,
        };
        let values = record(op, &operands).into_iter().zip(&results);
        Some(values.map(|(value, shape)| value.reshape(shape.axes())).collect())
    })
}

/// The same body in the current trace.
fn copied(graph: &Graph, body: RegionId) -> Option<RegionId> {
    let parameters = &graph.region(body).parameters;
    let shapes: Vec<Shape> = parameters.iter().map(|&value| graph.shape(value)).collect();
    record_region("scatter_by", &shapes, RegionKind::Isolated, |parameters| {
        Replay::new(graph).region(body, parameters, &mut |_, _| None)
    })
}
