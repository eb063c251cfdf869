//! Restrictions of programs over several devices.

use super::{OpError, Rule};
use crate::{DType, Graph, MeshShape, ValueId};

/// Rejects nodes from index `from` on whose results a program over the trace's mesh cannot have.
pub(super) fn check(graph: &Graph, from: usize) -> Rule<()> {
    if graph.mesh.is_none() {
        return Ok(());
    }
    let results = graph.nodes[from..].iter().flat_map(|node| node.results.clone());
    let message = |value| refused(graph.mesh, graph.shape(ValueId(value)).dtype());
    match results.into_iter().find_map(message) {
        Some(message) => Err(OpError(message)),
        None => Ok(()),
    }
}

/// The reason why a program over a mesh cannot have elements of a type; `None` if it can. With
/// two-bit types on several devices XLA computes wrong values, also where only an inner op is
/// partitioned, and sometimes writes past the end of a buffer.
pub(super) fn refused(mesh: Option<MeshShape>, dtype: DType) -> Option<String> {
    let mesh = mesh.filter(|mesh| mesh.device_count() > 1 && dtype.bits() == 2)?;
    Some(format!(
        "type {dtype} is not supported in a program over several devices, {mesh}; use a type of 4 \
         bits or more"
    ))
}
