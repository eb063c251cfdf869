//! A graph as JSON, for the oracle.

use hloom::{
    Shape,
    graph::{Collective, Graph, NodeId, Op},
    mesh::ResolvedSharding,
    ops::{ConvDims, Reduction, ScatterDims, WindowDims},
};
use serde_json::{Map, Value, json};

/// Values by their number, and regions with their nodes; axis names are omitted.
pub fn exported(graph: &Graph) -> Map<String, Value> {
    let mut shapes = vec![Value::Null; graph.value_count()];
    let mut regions = Vec::new();
    for (id, _) in graph.nodes() {
        for value in graph.node_results(id) {
            shapes[value.index()] = shape(&graph.shape(value));
        }
        let own = graph.node(id).op.regions();
        regions.extend(own);
    }
    let count = regions.iter().map(|region| region.index() + 1).max().unwrap_or(1);
    let mut bodies = vec![Value::Null; count];
    bodies[0] = region(graph, Graph::ROOT);
    for id in regions {
        bodies[id.index()] = region(graph, id);
    }
    let mesh = graph.mesh().map(|mesh| mesh.sizes().to_vec());
    let Value::Object(all) = json!({"values": shapes, "regions": bodies, "mesh": mesh}) else {
        unreachable!("it is made as an object")
    };
    all
}

fn shape(shape: &Shape) -> Value {
    json!([shape.dtype().name(), shape.sizes()])
}

fn region(graph: &Graph, id: hloom::graph::RegionId) -> Value {
    let region = graph.region(id);
    let numbers = |values: &[hloom::graph::ValueId]| {
        values.iter().map(|value| value.index()).collect::<Vec<_>>()
    };
    let nodes = region.nodes.iter().filter(|&&id| !matches!(graph.node(id).op, Op::Parameter(_)));
    let nodes: Vec<Value> = nodes.map(|&id| node(graph, id)).collect();
    json!({
        "params": numbers(&region.parameters),
        "results": numbers(&region.results),
        "nodes": nodes,
    })
}

fn node(graph: &Graph, id: NodeId) -> Value {
    let op = &graph.node(id).op;
    let operands: Vec<usize> = graph.operands(id).iter().map(|value| value.index()).collect();
    let results: Vec<usize> = graph.node_results(id).map(|value| value.index()).collect();
    let mut all = json!({"op": op.name(), "kind": kind(op), "in": operands, "out": results});
    if let (Value::Object(all), Value::Object(more)) = (&mut all, attributes(op)) {
        all.extend(more);
    }
    all
}

fn kind(op: &Op) -> &'static str {
    match op {
        Op::Unary(_) => "unary",
        Op::Binary(_) => "binary",
        Op::Compare(_) => "compare",
        Op::Reduce(_) => "reduce",
        _ => "other",
    }
}

/// The attributes by name, of each op that a template records.
fn attributes(op: &Op) -> Value {
    match op {
        Op::Parameter(_)
        | Op::Convert(_)
        | Op::BitcastConvert(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Clamp(_)
        | Op::Reshape(_)
        | Op::DynamicUpdateSlice(_)
        | Op::OptimizationBarrier(_)
        | Op::CustomCall(_)
        | Op::Constrain(_) => json!({}),
        Op::Constant(literal) => {
            json!({"value": hex(literal.bytes()), "sizes": literal.shape().sizes()})
        }
        Op::Splat(splat) => json!({"value": hex(splat.scalar.bytes()), "sizes": []}),
        Op::Iota(iota) => json!({"axis": iota.axis}),
        Op::Concatenate(concatenate) => json!({"axis": concatenate.axis}),
        Op::ReducePrecision(precision) => json!({
            "exponent_bits": precision.exponent_bits,
            "mantissa_bits": precision.mantissa_bits,
        }),
        Op::ArgReduce(reduce) => json!({"axis": reduce.axis}),
        Op::BroadcastInDim(broadcast) => json!({"axes": *broadcast.axes}),
        Op::Transpose(transpose) => json!({"axes": *transpose.order}),
        Op::Reverse(reverse) => json!({"axes": *reverse.axes}),
        Op::Reduce(reduce) => json!({"axes": *reduce.axes}),
        Op::Slice(dims) => {
            json!({"start": *dims.start, "limit": *dims.limit, "stride": *dims.stride})
        }
        Op::Pad(dims) => json!({"low": *dims.low, "high": *dims.high, "interior": *dims.interior}),
        Op::Dot(dims) => json!({
            "left_contracting": *dims.left_contracting,
            "right_contracting": *dims.right_contracting,
            "left_batch": *dims.left_batch,
            "right_batch": *dims.right_batch,
        }),
        Op::Cumulative(cumulative) => {
            json!({"reduction": cumulative.reduction.name(), "axis": cumulative.axis})
        }
        Op::DynamicSlice(slice) => json!({"sizes": *slice.sizes}),
        Op::Gather(dims) => json!({
            "offset_dims": *dims.offset_dims,
            "collapsed_slice_dims": *dims.collapsed_slice_dims,
            "operand_batching_dims": *dims.operand_batching_dims,
            "start_indices_batching_dims": *dims.start_indices_batching_dims,
            "start_index_map": *dims.start_index_map,
            "index_vector_dim": dims.index_vector_dim,
            "slice_sizes": *dims.slice_sizes,
        }),
        Op::Scatter(scatter) => {
            let mut all = scatter_dims(&scatter.dims);
            all["update"] = scatter.update.name().into();
            all
        }
        Op::ScatterBy(scatter) => {
            let mut all = scatter_dims(&scatter.dims);
            all["body"] = scatter.body.index().into();
            all
        }
        Op::Convolution(dims) => convolution(dims),
        Op::ReduceWindow(reduce) => {
            let mut all = window(&reduce.window);
            all["reduction"] = reduce.reduction.name().into();
            all
        }
        Op::ReduceWindowBy(reduce) => {
            let mut all = window(&reduce.window);
            all["body"] = reduce.body.index().into();
            all
        }
        Op::Sort(sort) => json!({"axis": sort.axis, "descending": sort.descending}),
        Op::TopK(top_k) => json!({"k": top_k.k}),
        Op::Cholesky(cholesky) => json!({"lower": cholesky.lower}),
        Op::TriangularSolve(form) => json!({
            "left_side": form.left_side,
            "lower": form.lower,
            "unit_diagonal": form.unit_diagonal,
            "transpose": form.transpose.name(),
        }),
        Op::Fft(fft) => json!({"kind": fft.kind.name(), "lengths": *fft.lengths}),
        Op::While(repeat) => json!({"cond": repeat.cond.index(), "body": repeat.body.index()}),
        Op::ReduceBy(reduce) => json!({"axes": *reduce.axes, "body": reduce.body.index()}),
        Op::SortBy(sort) => json!({"axis": sort.axis, "body": sort.body.index()}),
        Op::Case(case) => {
            let branches: Vec<_> = case.branches.iter().map(|region| region.index()).collect();
            json!({"branches": branches})
        }
        Op::Manual(manual) => json!({
            "body": manual.body.index(),
            "inputs": manual.inputs.iter().map(splits).collect::<Vec<_>>(),
            "outputs": manual.outputs.iter().map(splits).collect::<Vec<_>>(),
        }),
        Op::Collective(collective) => of_collective(collective),
        // Loops and composites are expanded.
        op => unreachable!("no template records `{}`", op.name()),
    }
}

fn scatter_dims(dims: &ScatterDims) -> Value {
    json!({
        "update_window_dims": *dims.update_window_dims,
        "inserted_window_dims": *dims.inserted_window_dims,
        "input_batching_dims": *dims.input_batching_dims,
        "scatter_indices_batching_dims": *dims.scatter_indices_batching_dims,
        "scatter_dims_to_operand_dims": *dims.scatter_dims_to_operand_dims,
        "index_vector_dim": dims.index_vector_dim,
    })
}

fn convolution(dims: &ConvDims) -> Value {
    let axes =
        |first: usize, second: usize, spatial: &[usize]| [&[first, second], spatial].concat();
    json!({
        "input": axes(
            dims.input_batch_dimension,
            dims.input_feature_dimension,
            &dims.input_spatial_dimensions,
        ),
        "kernel": axes(
            dims.kernel_input_feature_dimension,
            dims.kernel_output_feature_dimension,
            &dims.kernel_spatial_dimensions,
        ),
        "result": axes(
            dims.output_batch_dimension,
            dims.output_feature_dimension,
            &dims.output_spatial_dimensions,
        ),
        "strides": *dims.strides,
        "low": *dims.low,
        "high": *dims.high,
        "lhs_dilation": *dims.lhs_dilation,
        "rhs_dilation": *dims.rhs_dilation,
        "reversal": *dims.reversal,
        "feature_groups": dims.feature_groups,
        "batch_groups": dims.batch_groups,
    })
}

fn window(window: &WindowDims) -> Value {
    json!({
        "sizes": *window.sizes,
        "strides": *window.strides,
        "low": *window.low,
        "high": *window.high,
        "base_dilations": *window.base_dilations,
        "window_dilations": *window.window_dilations,
    })
}

fn of_collective(collective: &Collective) -> Value {
    let name = |reduction: &Reduction| reduction.name();
    match collective {
        Collective::AllReduce { reduction, over } => {
            json!({"reduction": name(reduction), "over": **over})
        }
        Collective::AllGather { axis, over } => json!({"axis": axis, "over": **over}),
        Collective::ReduceScatter { reduction, axis, over } => {
            json!({"reduction": name(reduction), "axis": axis, "over": **over})
        }
        Collective::AllToAll { split, concat, over } => {
            json!({"split": split, "concat": concat, "over": **over})
        }
        Collective::Permute { pairs, over } => json!({"pairs": pairs, "over": **over}),
        Collective::Broadcast { source, over } => json!({"source": source, "over": **over}),
        Collective::AxisIndex(over) => json!({"over": **over}),
    }
}

/// For each axis of the tensor, the mesh axes that it is split along.
fn splits(sharding: &ResolvedSharding) -> Vec<Vec<u8>> {
    (0..sharding.rank())
        .map(|axis| sharding.splits(axis).map(|split| split.mesh_axis).collect())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
