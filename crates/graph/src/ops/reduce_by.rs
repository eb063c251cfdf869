//! Reductions with a user-defined combiner.

use super::{
    control::{TensorTree, check_carried, check_together, handles, leaves, rebuild, usable},
    positions,
    reshape::check_ascending,
};
use crate::{
    DType, Graph, IntoAxes, PerAxis, RegionId, RegionKind, Shape,
    body::Recorded,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, owner},
    grad::no_derivative,
    trace::{Rule, emit, in_region_of},
    vmap::{Batch, Lane, Lanes, batched_if_any, shifted},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// Reduces the first half of the operands along axes, which are removed; the second half are the
/// initial scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReduceBy {
    /// Maps two scalars of each operand, all of the left ones first, to the combined scalars.
    pub body: RegionId,
    /// The axes, in ascending order.
    pub axes: PerAxis<usize>,
}

impl Definition for ReduceBy {
    fn name(&self) -> &'static str {
        "reduce_by"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let values = combined(context, self.body)?;
        check_ascending(&values[0], &self.axes)?;
        let kept =
            |value: &Shape| self.axes.iter().rev().fold(*value, |shape, &axis| shape.without(axis));
        Ok(values.iter().map(kept).collect())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", list(&self.axes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.axes);
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands / 2
    }
}

owner!(ReduceBy { body: "by" });
no_derivative!(ReduceBy, "use `sum`, `max` or `scan`");

impl Batch for ReduceBy {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        lanes.reduced_by(node, ReduceBy { axes: shifted(&self.axes), ..*self })
    }

    batched_if_any!();
}

/// The tensors that a body combines: at least one, all of the same sizes, followed by as many
/// initial scalars.
pub(super) fn combined<'a>(context: &InferContext<'a>, body: RegionId) -> Rule<&'a [Shape]> {
    let (values, init) = context.operands.split_at(context.operands.len() / 2);
    if values.is_empty() {
        return Err("there is nothing to combine".into());
    }
    check_together(values)?;
    let scalars = scalars(values)?;
    if let Some((init, scalar)) = init.iter().zip(&scalars).find(|(init, scalar)| init != scalar) {
        return Err(format!("the initial value is {init}, not {scalar}").into());
    }
    check_carried(&scalars, init)?;
    check_carried(&[&*scalars, &*scalars].concat(), &context.region_parameters(body))?;
    check_carried(&scalars, &context.region_results(body))?;
    context.check_pure(body)?;
    Ok(values)
}

/// Scalars of the tensors' types; compilers cannot compile bodies over elements of less than a
/// byte.
pub(super) fn scalars(values: &[Shape]) -> Rule<Vec<Shape>> {
    match values.iter().find(|value| value.dtype().bits() < 8 && value.dtype() != DType::Bool) {
        Some(narrow) => {
            Err(format!("takes elements of at least a byte, not {}", narrow.dtype()).into())
        }
        None => Ok(values.iter().map(|value| Shape::scalar(value.dtype())).collect()),
    }
}

/// Reduces a tree of tensors of the same sizes along axes, which are removed, by `body`, which
/// takes two scalars of each tensor and returns the combined ones. `init` are identity elements of
/// the reduction, such as 0 for a sum.
///
/// The order of reduction is unspecified: `body` must be associative and commutative, without
/// effects, and it uses only its own parameters. [`Tensor::sum`](crate::Tensor::sum) and its
/// relatives are faster where they apply.
///
/// ```
/// use hloom_graph::{DType, Spec, Tensor, TraceScope, reduce_by};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("row", 4), ("column", 3)]), false);
/// let zero = Tensor::scalar(0.0, DType::F32);
/// let largest = reduce_by(x.abs(), zero, "column", |a, b| a.maximum(b));
/// assert_eq!(largest.shape().to_string(), "f32[row=4]");
/// ```
#[track_caller]
pub fn reduce_by<T: TensorTree>(
    values: T,
    init: T,
    axes: impl IntoAxes,
    body: impl FnOnce(T, T) -> T,
) -> T {
    let location = Location::caller();
    let (tensors, start) = (leaves(&values), leaves(&init));
    let rank = tensors.first().map_or(0, |tensor| tensor.rank());
    let axes = axes.into_axes(rank);
    let Some(shapes) = usable("reduce_by", &tensors, location) else {
        return rebuild(&values, &[]);
    };
    let scalars: Vec<Shape> = shapes.iter().map(|shape| Shape::scalar(shape.dtype())).collect();
    let taken = [&*scalars, &*scalars].concat();
    let (body, ()) =
        in_region_of("reduce_by", RegionKind::Isolated, &taken, &[], location, |parameters| {
            let (left, right) = parameters.split_at(scalars.len());
            (leaves(&body(rebuild(&values, left), rebuild(&values, right))), ())
        });
    let operands = [&*tensors, &*start].concat();
    let results = body.and_then(|body| {
        emit("reduce_by", &operands, location, |builder, s, v| {
            let first = s.first().ok_or("there is nothing to combine")?;
            let mut axes = positions(first, &axes)?;
            axes.sort_unstable();
            let axes = PerAxis::collect(axes);
            builder.add_many(ReduceBy { body, axes }, v)
        })
    });
    rebuild(&values, &handles(results, tensors.len()))
}
