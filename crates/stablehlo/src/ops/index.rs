//! Ops whose indices are tensors.

use super::combiner;
use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering, types::Type};
use hloom_graph::{
    GatherDims, PerAxis, Reduction, ScatterDims, ScatterUpdate,
    op::{Scatter, ScatterBy},
};

pub(crate) fn dynamic_slice(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    sizes: &PerAxis<usize>,
) -> Value {
    let attributes = [("slice_sizes", Attribute::i64s(sizes))];
    l.op("stablehlo.dynamic_slice", &n.operands, n.result(), &attributes)
}

pub(crate) fn dynamic_update_slice(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.dynamic_update_slice", &n.operands, n.result(), &[])
}

pub(crate) fn gather(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &GatherDims) -> Value {
    let result = n.result();
    if result.element_count() == 0 {
        // Both may be empty, and slices of size one do not fit into an empty operand.
        let nothing = Attribute::elements(&result, &[]);
        return l.op("stablehlo.constant", &[], result, &[("value", nothing)]);
    }
    let attributes = [
        (
            "dimension_numbers",
            Attribute::text(format!(
                "#stablehlo.gather<offset_dims = {:?}, collapsed_slice_dims = {:?}, \
                 operand_batching_dims = {:?}, start_indices_batching_dims = {:?}, \
                 start_index_map = {:?}, index_vector_dim = {}>",
                dims.offset_dims,
                dims.collapsed_slice_dims,
                dims.operand_batching_dims,
                dims.start_indices_batching_dims,
                dims.start_index_map,
                dims.index_vector_dim
            )),
        ),
        ("slice_sizes", Attribute::i64s(&dims.slice_sizes)),
        ("indices_are_sorted", Attribute::Bool(dims.indices_are_sorted)),
    ];
    l.op("stablehlo.gather", &n.operands, result, &attributes)
}

pub(crate) fn scatter(l: &mut Lowering<'_>, n: &Applied<'_>, scatter: &Scatter) -> Value {
    let combine = match scatter.update {
        ScatterUpdate::Set => None,
        ScatterUpdate::Add => Some(combiner(Reduction::Sum)),
        ScatterUpdate::Mul => Some(combiner(Reduction::Prod)),
        ScatterUpdate::Max => Some(combiner(Reduction::Max)),
        ScatterUpdate::Min => Some(combiner(Reduction::Min)),
    };
    let scalar = Type::scalar(n.result().dtype());
    scattered(l, n, &scatter.dims, |l, arguments| match combine {
        None => vec![arguments[1]],
        Some(combine) => vec![l.op(combine, arguments, scalar, &[])],
    })[0]
}

pub(crate) fn scatter_by(l: &mut Lowering<'_>, n: &Applied<'_>, scatter: &ScatterBy) -> Vec<Value> {
    scattered(l, n, &scatter.dims, |l, arguments| l.body(scatter.body, arguments))
}

fn scattered(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    dims: &ScatterDims,
    body: impl FnOnce(&mut Lowering<'_>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    let updates = n.operand(types.len() + 1);
    if n.operand(0).element_count() == 0 || updates.element_count() == 0 {
        return n.operands[..types.len()].to_vec();
    }
    let scalars: Vec<_> = n.results().map(|shape| Type::scalar(shape.dtype())).collect();
    let body = l.region(&[&*scalars, &*scalars].concat(), body);
    let attributes = [
        (
            "scatter_dimension_numbers",
            Attribute::text(format!(
                "#stablehlo.scatter<update_window_dims = {:?}, inserted_window_dims = {:?}, \
                 input_batching_dims = {:?}, scatter_indices_batching_dims = {:?}, \
                 scatter_dims_to_operand_dims = {:?}, index_vector_dim = {}>",
                dims.update_window_dims,
                dims.inserted_window_dims,
                dims.input_batching_dims,
                dims.scatter_indices_batching_dims,
                dims.scatter_dims_to_operand_dims,
                dims.index_vector_dim
            )),
        ),
        ("indices_are_sorted", Attribute::Bool(dims.indices_are_sorted)),
        ("unique_indices", Attribute::Bool(dims.unique_indices)),
    ];
    l.operation("stablehlo.scatter", &n.operands, &types, &attributes, vec![body]).to_vec()
}
