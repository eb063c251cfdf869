//! Sorting with a user-defined comparator.

use super::{
    control::{TensorTree, check_carried, check_together, handles, leaves, rebuild, usable},
    reduce_by::scalars,
};
use crate::{
    Axis, DType, Graph, RegionId, RegionKind, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, owner},
    grad::no_derivative,
    trace::{Rule, emit, in_region_of},
    vmap::spread_all,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// Sorts all operands along an axis with a body as the comparator; stable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SortBy {
    /// Maps two scalars of each operand, all of the left ones first, to whether the left ones come
    /// first.
    pub body: RegionId,
    /// The axis.
    pub axis: usize,
}

impl Definition for SortBy {
    fn name(&self) -> &'static str {
        "sort_by"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let Some(first) = context.operands.first() else {
            return Err("there is nothing to sort".into());
        };
        check_together(context.operands)?;
        if self.axis >= first.rank() {
            return Err(format!("there is no axis {} in {first}", self.axis).into());
        }
        let scalars = scalars(context.operands)?;
        check_carried(&[&*scalars, &*scalars].concat(), &context.region_parameters(self.body))?;
        match *context.region_results(self.body) {
            [order] if order == Shape::scalar(DType::Bool) => {}
            [order] => return Err(format!("the comparison returns {order}, not one bool").into()),
            _ => return Err("the comparison returns one bool".into()),
        }
        context.check_pure(self.body)?;
        Ok(context.operands.into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.axis);
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands
    }
}

owner!(SortBy { body: "by" });
no_derivative!(SortBy, "use `sort_together`");
spread_all!(SortBy, |op| SortBy { axis: op.axis + 1, ..*op });

/// Sorts a tree of tensors of the same sizes together along an axis: `is_before` takes two scalars
/// of each tensor and returns whether the first ones come before the second. The sort is stable.
///
/// `is_before` must be a strict weak order without effects, and it uses only its own parameters.
/// [`Tensor::sort`](crate::Tensor::sort) has the usual orders.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, sort_by};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("n", 4)]), false);
/// let by_magnitude = sort_by(x, "n", |a, b| a.abs().lt(b.abs()));
/// assert_eq!(by_magnitude.shape(), x.shape());
/// ```
#[track_caller]
pub fn sort_by<T: TensorTree>(
    values: T,
    axis: impl Into<Axis>,
    is_before: impl FnOnce(T, T) -> Tensor,
) -> T {
    let (axis, location) = (axis.into(), Location::caller());
    let tensors = leaves(&values);
    let Some(shapes) = usable("sort_by", &tensors, location) else {
        return rebuild(&values, &[]);
    };
    let scalars: Vec<Shape> = shapes.iter().map(|shape| Shape::scalar(shape.dtype())).collect();
    let taken = [&*scalars, &*scalars].concat();
    let (body, ()) =
        in_region_of("sort_by", RegionKind::Isolated, &taken, &[], location, |parameters| {
            let (left, right) = parameters.split_at(scalars.len());
            (vec![is_before(rebuild(&values, left), rebuild(&values, right))], ())
        });
    let results = body.and_then(|body| {
        emit("sort_by", &tensors, location, |builder, s, v| {
            let first = s.first().ok_or("there is nothing to sort")?;
            let axis = first.position(axis)?;
            builder.add_many(SortBy { body, axis }, v)
        })
    });
    rebuild(&values, &handles(results, tensors.len()))
}
