//! The mesh, and values whose sizes are not multiples of it.

use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::Lowering,
    partitioner::{MESH, shardy_mesh},
};
use hloom_graph::{MeshShape, Shape};

/// The mesh, at the start of the module.
pub(crate) fn mesh(l: &mut Lowering<'_>, mesh: &MeshShape) {
    let attributes =
        [("mesh", Attribute::text(shardy_mesh(mesh))), ("sym_name", Attribute::string(MESH))];
    l.operation("sdy.mesh", &[], &[], &attributes, Vec::new());
}

/// The elements of an argument without its trailing padding.
pub(crate) fn without_padding(
    l: &mut Lowering<'_>,
    value: Value,
    padded: &Shape,
    shape: &Shape,
) -> Value {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let stored = shape.stored();
    let attributes = [
        ("start_indices", Attribute::i64s(&vec![0; shape.rank()])),
        ("limit_indices", Attribute::i64s(stored.sizes())),
        ("strides", Attribute::i64s(&vec![1; shape.rank()])),
    ];
    l.op("stablehlo.slice", &[value], shape, &attributes)
}

/// The elements of a result with trailing zeros.
pub(crate) fn with_padding(
    l: &mut Lowering<'_>,
    value: Value,
    shape: &Shape,
    padded: &Shape,
) -> Value {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let none = Attribute::i64s(&vec![0; shape.rank()]);
    let (all, own) = (padded.stored(), shape.stored());
    let behind: Vec<usize> =
        all.sizes().iter().zip(own.sizes()).map(|(all, own)| all - own).collect();
    let attributes = [
        ("edge_padding_low", none.clone()),
        ("edge_padding_high", Attribute::i64s(&behind)),
        ("interior_padding", none),
    ];
    let zero = l.scalar(shape.dtype(), Number::Int(0));
    l.op("stablehlo.pad", &[value, zero], padded, &attributes)
}

pub(super) fn sharding_call(
    l: &mut Lowering<'_>,
    target: &str,
    value: Value,
    shape: &Shape,
    sharding: &str,
    config: &str,
) -> Value {
    let attributes = [
        ("call_target_name", Attribute::string(target)),
        ("mhlo.sharding", Attribute::string(sharding)),
        ("backend_config", Attribute::string(config)),
        ("api_version", Attribute::i32(1)),
    ];
    l.op("stablehlo.custom_call", &[value], shape, &attributes)
}
