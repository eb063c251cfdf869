//! Loops with a trip count known while tracing.
//!
//! They are ops of their own, so that passes see their carried, scanned and stacked values; they
//! are expanded to `while` loops before lowering.

mod batch;
mod reverse;

use super::{
    control::{TensorTree, check_carried, handles, leaves, rebuild, usable},
    scan_output::ScanOutput,
};
use crate::{
    Axis, DType, Dims, Graph, Name, RegionId, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, owner},
    trace::{Rule, called_from, emit, in_region, mark_loop_index},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// Repeats `body` on the carried operands for i = 0, 1... up to `count`, exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ForLoop {
    /// The trip count.
    pub count: usize,
    /// Maps `i`, an `i32` scalar, and the carried values to the carried values.
    pub body: RegionId,
}

/// Runs `body` over the elements of operands along an axis of each, with other operands as carried
/// values. Results: the final carried values, and the other results of the body, stacked along a
/// first axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scan {
    /// Maps carried values and elements to carried values and values to stack.
    pub body: RegionId,
    /// The number of carried operands; they come first.
    pub carried: usize,
    /// The axis of each scanned operand, of which there is at least one.
    pub axes: Vec<usize>,
}

impl Definition for ForLoop {
    fn name(&self) -> &'static str {
        "for_loop"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        if i32::try_from(self.count).is_err() {
            return Err(format!("{} steps are beyond i32", self.count).into());
        }
        let parameters = context.region_parameters(self.body);
        match parameters.split_first() {
            Some((index, carried)) if *index == Shape::scalar(DType::I32) => {
                check_carried(context.operands, carried)?
            }
            _ => return Err("the body does not take an index".into()),
        }
        check_carried(context.operands, &context.region_results(self.body))?;
        Ok(context.operands.into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " of {} steps", self.count)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.count);
    }

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands
    }
}

owner!(ForLoop { body: "do" });

impl Scan {
    /// The name and the size of the scanned axis, which is the same in all scanned operands.
    pub(crate) fn axis(&self, operands: &[Shape]) -> Rule<(Option<Name>, usize)> {
        axis_of(operands.get(self.carried..).unwrap_or_default(), &self.axes)
    }
}

/// The name and the size of an axis of each shape, which is the same in all of them.
pub(crate) fn axis_of(sources: &[Shape], axes: &[usize]) -> Rule<(Option<Name>, usize)> {
    let (Some(first), Some(&axis)) = (sources.first(), axes.first()) else {
        return Err("there is nothing to run over; use `for_loop`".into());
    };
    if sources.len() != axes.len()
        || sources.iter().zip(axes).any(|(source, &axis)| axis >= source.rank())
    {
        return Err(format!("{} are not axes of {sources:?}", list(axes)).into());
    }
    let (name, count) = (first.names()[axis], first.sizes()[axis]);
    match sources.iter().zip(axes).find(|(source, axis)| source.sizes()[**axis] != count) {
        Some((other, _)) => Err(format!(
            "axis {} has size {count} in {first} and another in {other}",
            first.label(axis)
        )
        .into()),
        None => Ok((name, count)),
    }
}

impl Definition for Scan {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let (name, count) = self.axis(context.operands)?;
        if i32::try_from(count).is_err() {
            return Err(format!("{count} steps are beyond i32").into());
        }
        let (start, sources) = context.operands.split_at(self.carried);
        let elements = sources.iter().zip(&self.axes).map(|(source, &axis)| source.without(axis));
        let taken: Vec<Shape> = start.iter().copied().chain(elements).collect();
        check_carried(&taken, &context.region_parameters(self.body))?;
        let given = context.region_results(self.body);
        let ends = given.get(..self.carried).unwrap_or_default();
        check_carried(start, ends)?;
        let stacked = given[self.carried..].iter().map(|shape| shape.stacked(name, count));
        start.iter().map(|&shape| Ok(shape)).chain(stacked).collect()
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " carrying {} along {}", self.carried, list(&self.axes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.carried);
        hash_sizes(hasher, &self.axes);
    }

    fn result_count(&self, graph: &Graph, _: usize) -> usize {
        let body = graph.regions.get(self.body.index());
        body.map_or(0, |body| body.results.len())
    }
}

owner!(Scan { body: "do" });

impl Shape {
    /// The shape of `count` values stacked along a new first axis.
    fn stacked(&self, name: Option<Name>, count: usize) -> Rule<Shape> {
        let axes = self.names().iter().copied().zip(self.sizes().iter().copied());
        Ok(self.with_dims(Dims::new(std::iter::once((name, count)).chain(axes))?))
    }
}

/// Repeats `body` for i = 0, 1... up to `count`, exclusive; `i` is an `i32` scalar.
#[track_caller]
pub fn for_loop<C: TensorTree>(count: usize, init: C, body: impl FnOnce(Tensor, C) -> C) -> C {
    let location = Location::caller();
    let start = leaves(&init);
    let Some(carried) = usable("for_loop", &start, location) else {
        return rebuild(&init, &[]);
    };
    let mut taken = vec![Shape::scalar(DType::I32)];
    taken.extend(carried);
    let (body, ()) = in_region("for_loop", &taken, location, |parameters| {
        let (i, carry) = (parameters[0], rebuild(&init, &parameters[1..]));
        mark_loop_index(i);
        (leaves(&body(i, carry)), ())
    });
    let values = body.and_then(|body| {
        emit("for_loop", &start, location, |builder, _, v| {
            builder.add_many(ForLoop { count, body }, v)
        })
    });
    rebuild(&init, &handles(values, start.len()))
}

/// Runs `body` over the elements of `xs` along an axis, with carried values, and stacks its
/// results.
///
/// `body` takes the carried values and the elements at one index, without the axis; it returns the
/// next carried values and a result. The results are stacked along a first axis of the same name
/// and size. A body without results returns `(carry, ())`:
///
/// ```
/// use hloom_graph::{Tensor, scan};
///
/// /// The value of a polynomial, by Horner's rule.
/// fn polynomial(coefficients: Tensor, x: Tensor) -> Tensor {
///     let (value, ()) = scan(x * 0.0, coefficients, "degree", |sum, c| (sum * x + c, ()));
///     value
/// }
/// ```
#[track_caller]
pub fn scan<C: TensorTree, X: TensorTree, Y: ScanOutput>(
    init: C,
    xs: X,
    axis: impl Into<Axis>,
    body: impl FnOnce(C, X) -> (C, Y),
) -> (C, Y) {
    let (axis, location) = (axis.into(), Location::caller());
    let (start, sources) = (leaves(&init), leaves(&xs));
    let found = emit("scan", &sources, location, |_, s, _| {
        let axes = s.iter().map(|s| s.position(axis)).collect::<Result<Vec<_>, _>>()?;
        let elements: Vec<Shape> = s.iter().zip(&axes).map(|(s, &axis)| s.without(axis)).collect();
        let (name, count) = axis_of(s, &axes)?;
        Ok((axes, elements, name, count))
    });
    let carried = usable("scan", &start, location);
    let (Some(carried), Some((axes, elements, name, count))) = (carried, found) else {
        let (_, y) = body(rebuild(&init, &[]), rebuild(&xs, &[]));
        return (rebuild(&init, &[]), y.with_tensors(&[]));
    };
    if count == 0 {
        // The body never runs: its effects stay in a region without an owner.
        let (_, (y, stacked)) = in_region("scan", &[], location, |_| {
            let empty: Vec<Tensor> =
                elements.iter().map(|&element| called_from(location, || zeros(element))).collect();
            let (_, y) = body(init.clone(), rebuild(&xs, &empty));
            let stacked: Vec<_> = y
                .tensors()
                .into_iter()
                .map(|y| emit("scan", &[y], location, |_, s, _| s[0].stacked(name, 0)))
                .collect();
            (Vec::new(), (y, stacked))
        });
        let stacked: Vec<Tensor> = stacked
            .into_iter()
            .map(|shape| called_from(location, || shape.map_or_else(Tensor::poisoned, zeros)))
            .collect();
        return (init, y.with_tensors(&stacked));
    }
    let mut taken = carried.clone();
    taken.extend(elements);
    let (traced, y) = in_region("scan", &taken, location, |parameters| {
        let (carry, x) = parameters.split_at(carried.len());
        let (next, y) = body(rebuild(&init, carry), rebuild(&xs, x));
        let mut results = leaves(&next);
        results.extend(y.tensors());
        (results, y)
    });
    let mut operands = start.clone();
    operands.extend(&sources);
    let values = traced.and_then(|body| {
        let carried = start.len();
        emit("scan", &operands, location, |builder, _, v| {
            builder.add_many(Scan { body, carried, axes }, v)
        })
    });
    let count = start.len() + y.tensors().len();
    let ends = handles(values, count);
    let (carry, ys) = ends.split_at(start.len());
    (rebuild(&init, carry), y.with_tensors(ys))
}

/// Runs `body` on the elements of `xs` along an axis, sequentially, and stacks its results along a
/// first axis of the same name and size, as `jax.lax.map`.
///
/// [`vmap`](crate::vmap) computes all at once, and is faster where memory allows.
#[track_caller]
pub fn map<X: TensorTree, Y: TensorTree>(
    xs: X,
    axis: impl Into<Axis>,
    body: impl FnOnce(X) -> Y,
) -> Y {
    let (_, ys) = scan(Vec::<Tensor>::new(), xs, axis, |none, x| (none, body(x)));
    ys
}

#[track_caller]
fn zeros(shape: Shape) -> Tensor {
    Tensor::zeros(shape.dtype(), shape.axes())
}
