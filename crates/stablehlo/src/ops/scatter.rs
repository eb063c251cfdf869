//! Scatters.

use super::reduce::combiner;
use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{
    Reduction, ScatterDims, ScatterUpdate,
    op::{Scatter, ScatterBy},
};

impl Lower for Scatter {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let combine = match self.update {
            ScatterUpdate::Set => None,
            ScatterUpdate::Add => Some(combiner(Reduction::Sum)),
            ScatterUpdate::Mul => Some(combiner(Reduction::Prod)),
            ScatterUpdate::Max => Some(combiner(Reduction::Max)),
            ScatterUpdate::Min => Some(combiner(Reduction::Min)),
        };
        let scalar = Type::scalar(n.result().dtype());
        scattered(l, n, &self.dims, |l, arguments| match combine {
            None => vec![arguments[1]],
            Some(combine) => vec![l.op(combine, arguments, scalar, &[])],
        })[0]
    }
}

impl Lower for ScatterBy {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        scattered(l, n, &self.dims, |l, arguments| l.body(self.body, arguments))
    }
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
