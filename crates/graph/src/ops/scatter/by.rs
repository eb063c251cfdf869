//! Scatters with a body.

use super::ScatterDims;
use crate::{
    Graph, RegionId, RegionKind, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, owner},
    grad::no_derivative,
    ops::{
        control::{TensorTree, check_carried, handles, leaves, rebuild},
        reduce_by::scalars,
    },
    trace::{Rule, emit, in_region_of},
};
use std::{fmt, hash::Hasher, panic::Location};

/// Combines slices of operands, at common start indices, with updates by a body. The operands come
/// first, then the indices, then the updates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScatterBy {
    /// Maps a scalar of each operand, then one of each update, to the new scalars.
    pub body: RegionId,
    /// The dimension numbers.
    pub dims: ScatterDims,
}

impl Definition for ScatterBy {
    fn name(&self) -> &'static str {
        "scatter_by"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let count = self.result_count(context.graph, context.operands.len());
        let (operands, rest) = context.operands.split_at(count);
        let (Some(indices), updates) = (rest.first(), rest.get(1..).unwrap_or(&[])) else {
            return Err("there are no indices".into());
        };
        if updates.len() != count {
            return Err(format!("{count} operands and {} updates", updates.len()).into());
        }
        self.dims.check(operands, indices, updates)?;
        let scalars = scalars(operands)?;
        check_carried(&[&*scalars, &*scalars].concat(), &context.region_parameters(self.body))?;
        check_carried(&scalars, &context.region_results(self.body))?;
        context.check_pure(self.body)?;
        Ok(operands.into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        self.dims.write(out)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.dims.hash(hasher);
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands.saturating_sub(1) / 2
    }
}

owner!(ScatterBy { body: "by" });
no_derivative!(ScatterBy, "use `scatter`");

/// As [`Tensor::scatter`], for a tree of tensors of the same sizes with the same indices, by
/// `body`, which takes a scalar of each tensor and one of each update and returns the new ones.
///
/// The order of updates of one element is unspecified, and some may be combined first: `body` must
/// not depend on it. It has no effects and uses only its own parameters.
///
/// ```
/// use hloom_graph::{GatherDims, PerAxis, Spec, TraceScope, scatter_by};
///
/// let trace = TraceScope::begin("example");
/// let counts = trace.parameter("counts", &Spec::i32([8]), false);
/// let at = trace.parameter("at", &Spec::i32([3]), false);
/// let flags = trace.parameter("flags", &Spec::i32([3]), false);
/// let dims = GatherDims {
///     collapsed_slice_dims: PerAxis::collect([0]),
///     start_index_map: PerAxis::collect([0]),
///     index_vector_dim: 1,
///     ..GatherDims::default()
/// };
/// let either = scatter_by(counts, at, flags, dims.to_scatter(), |old, new| old | new);
/// assert_eq!(either.shape(), counts.shape());
/// ```
#[track_caller]
pub fn scatter_by<T: TensorTree>(
    operands: T,
    indices: Tensor,
    updates: T,
    dims: ScatterDims,
    body: impl FnOnce(T, T) -> T,
) -> T {
    let location = Location::caller();
    let (tensors, updates) = (leaves(&operands), leaves(&updates));
    let all = [&*tensors, &[indices], &*updates].concat();
    let shapes = emit("scatter_by", &all, location, |_, shapes, _| {
        if tensors.len() == updates.len() {
            Ok(shapes.to_vec())
        } else {
            Err(format!("{} tensors and {} updates", tensors.len(), updates.len()).into())
        }
    });
    let Some(shapes) = shapes else {
        return rebuild(&operands, &[]);
    };
    let scalar = |shape: &Shape| Shape::scalar(shape.dtype());
    let scalars: Vec<Shape> = shapes[..tensors.len()].iter().map(scalar).collect();
    let taken = [&*scalars, &*scalars].concat();
    let (body, ()) =
        in_region_of("scatter_by", RegionKind::Isolated, &taken, &[], location, |parameters| {
            let (old, new) = parameters.split_at(scalars.len());
            (leaves(&body(rebuild(&operands, old), rebuild(&operands, new))), ())
        });
    let results = body.and_then(|body| {
        emit("scatter_by", &all, location, |builder, _, v| {
            builder.add_many(ScatterBy { body, dims }, v)
        })
    });
    rebuild(&operands, &handles(results, tensors.len()))
}
