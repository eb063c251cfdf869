//! Loops and branches, whose bodies are traced closures. A body may use every tensor of the
//! enclosing regions.

mod batch;
mod reverse;

use super::Convert;
use crate::{
    DType, Effect, Graph, RegionId, Shape, Tensor, Tree, ValueId,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes, owner},
    trace::{Rule, emit, in_region, shape_of},
};
use std::{borrow::Cow, fmt, hash::Hasher, panic::Location};

/// Repeats `body` on the carried operands while `cond` is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct While {
    /// Maps the carried values to one `bool`.
    pub cond: RegionId,
    /// Maps the carried values to the carried values.
    pub body: RegionId,
}

/// Runs the branch selected by the index operand, an `i32` scalar; the last branch if it is out of
/// range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// The branches, at least one; they have no parameters and return the same shapes.
    pub branches: Vec<RegionId>,
}

impl Definition for While {
    fn name(&self) -> &'static str {
        "while"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let decides = context.region_results(self.cond);
        if decides != [Shape::scalar(DType::Bool)] {
            let given = decides.first().map_or_else(|| "nothing".into(), Shape::to_string);
            return Err(format!("the condition returns {given}, not one bool").into());
        }
        check_carried(context.operands, &context.region_parameters(self.cond))?;
        check_carried(context.operands, &context.region_results(self.body))?;
        check_carried(context.operands, &context.region_parameters(self.body))?;
        Ok(context.operands.into())
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, _: &mut dyn Hasher) {}

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands
    }
}

owner!(While { cond: "cond", body: "do" });

impl Definition for Case {
    fn name(&self) -> &'static str {
        "case"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let index = context.operand()?;
        if *index != Shape::scalar(DType::I32) {
            return Err(format!("the index is {index}, not one i32").into());
        }
        let Some((&first, rest)) = self.branches.split_first() else {
            return Err("`case` needs at least one branch".into());
        };
        let first = context.region_results(first);
        for &branch in rest {
            let given = context.region_results(branch);
            let differs = given.iter().zip(&first).find(|(found, expected)| !found.fits(expected));
            if given.len() != first.len() || differs.is_some() {
                let hint = differs.map(|(found, expected)| found.order_hint(expected).to_string());
                let hint = hint.unwrap_or_default();
                return Err(format!("one branch returns {first:?}, another {given:?}{hint}").into());
            }
        }
        Ok(first.into())
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.branches.len());
    }

    fn result_count(&self, graph: &Graph, _: usize) -> usize {
        let first = self.branches.first().and_then(|branch| graph.regions.get(branch.index()));
        first.map_or(0, |region| region.results.len())
    }
}

impl Behavior for Case {
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)> {
        let labelled =
            |(position, &branch): (usize, &RegionId)| (format!("{position}:").into(), branch);
        self.branches.iter().enumerate().map(labelled).collect()
    }

    fn map_regions(&mut self, map: &mut dyn FnMut(RegionId) -> RegionId) {
        self.branches.iter_mut().for_each(|branch| *branch = map(*branch));
    }

    fn effect(&self) -> Effect {
        Effect::Pure
    }

    fn is_mergeable(&self) -> bool {
        false
    }
}

type Caller = &'static Location<'static>;

/// A tree of tensors that a loop can carry and a branch can return; every tree of tensors that is
/// `Clone` is one.
pub trait TensorTree: Tree<Leaf = Tensor, With<Tensor> = Self> + Clone {}

impl<T: Tree<Leaf = Tensor, With<Tensor> = T> + Clone> TensorTree for T {}

pub(crate) fn leaves(tree: &impl Tree<Leaf = Tensor>) -> Vec<Tensor> {
    let mut all = Vec::new();
    tree.visit(&mut |_, &tensor| all.push(tensor));
    all
}

/// The same tree with other tensors, in order; missing ones are poisoned.
pub(crate) fn rebuild<C: TensorTree>(tree: &C, tensors: &[Tensor]) -> C {
    let mut next = tensors.iter().copied();
    tree.clone().map(&mut |_, _| next.next().unwrap_or_else(Tensor::poisoned))
}

pub(super) fn shapes(tensors: &[Tensor]) -> Option<Vec<Shape>> {
    tensors.iter().map(|&tensor| shape_of(tensor)).collect()
}

/// The shapes of an op's operands; an unusable tensor is an error of the op.
pub(super) fn usable(op: &'static str, tensors: &[Tensor], location: Caller) -> Option<Vec<Shape>> {
    emit(op, tensors, location, |_, shapes, _| Ok(shapes.to_vec()))
}

/// Checks that the results of a body have the types of its parameters.
pub(super) fn check_carried(expected: &[Shape], found: &[Shape]) -> Rule<()> {
    if expected.len() != found.len() {
        return Err(format!(
            "the body carries {} tensors and returns {}",
            expected.len(),
            found.len()
        )
        .into());
    }
    match expected.iter().zip(found).position(|(expected, found)| !found.fits(expected)) {
        Some(i) => {
            let (expected, found) = (&expected[i], &found[i]);
            let hint = found.order_hint(expected);
            Err(format!("the body is given {expected} as tensor {i} and returns {found}{hint}")
                .into())
        }
        None => Ok(()),
    }
}

/// Checks that tensors that an op takes together, of any types, have the same axes.
pub(super) fn check_together(tensors: &[Shape]) -> Rule<()> {
    let Some((first, rest)) = tensors.split_first() else {
        return Ok(());
    };
    for other in rest {
        if other.sizes() != first.sizes() {
            return Err(format!("{first} and {other} differ in size").into());
        }
        let expected = first.with_dtype(other.dtype());
        if !other.fits(&expected) {
            let hint = other.order_hint(&expected);
            return Err(format!("{first} and {other} are taken together{hint}").into());
        }
    }
    Ok(())
}

/// A traced body, if it is valid.
type Body = Option<RegionId>;

/// Adds the loop's node from traced `cond` and `body`.
fn loop_node(
    op: &'static str,
    location: Caller,
    init: &[Tensor],
    cond: Body,
    body: Body,
) -> Vec<Tensor> {
    let values = cond.zip(body).and_then(|(cond, body)| {
        emit(op, init, location, |builder, _, values| {
            builder.add_many(While { cond, body }, values)
        })
    });
    handles(values, init.len())
}

pub(crate) fn handles(values: Option<Vec<ValueId>>, count: usize) -> Vec<Tensor> {
    match values {
        Some(values) => values.into_iter().map(|v| Tensor::or_poisoned(Some(v))).collect(),
        None => vec![Tensor::poisoned(); count],
    }
}

/// Repeats `body` on the carried values while `cond` is true; returns their final values.
///
/// The carried tensors keep their element types and sizes. The trip count may depend on data.
#[track_caller]
pub fn while_loop<C: TensorTree>(
    init: C,
    cond: impl FnOnce(C) -> Tensor,
    body: impl FnOnce(C) -> C,
) -> C {
    let location = Location::caller();
    let start = leaves(&init);
    let Some(carried) = usable("while_loop", &start, location) else {
        return rebuild(&init, &[]);
    };
    let (cond, ()) = in_region("while_loop", &carried, location, |carry| {
        (vec![cond(rebuild(&init, carry))], ())
    });
    let (body, ()) = in_region("while_loop", &carried, location, |carry| {
        (leaves(&body(rebuild(&init, carry))), ())
    });
    rebuild(&init, &loop_node("while_loop", location, &start, cond, body))
}

/// The results of `on_true` if the `bool` scalar `predicate` is true, else those of `on_false`;
/// only one of them runs.
#[track_caller]
pub fn cond<R: TensorTree>(
    predicate: Tensor,
    on_true: impl FnOnce() -> R,
    on_false: impl FnOnce() -> R,
) -> R {
    let location = Location::caller();
    let index = emit("cond", &[predicate], location, |builder, s, v| {
        if s[0] == Shape::scalar(DType::Bool) {
            builder.add(Convert { dtype: DType::I32 }, v)
        } else {
            Err(format!("the predicate is {}, not one bool", s[0]).into())
        }
    });
    let (first, structure) = traced("cond", location, on_false);
    let (second, _) = traced("cond", location, on_true);
    branches("cond", location, Tensor::or_poisoned(index), vec![first, second], structure)
}

/// The results of the branch selected by the `i32` scalar `index`, the last one if it is out of
/// range. Only that branch runs. There is at least one branch: `first`.
#[track_caller]
pub fn case<'a, R: TensorTree>(
    index: Tensor,
    first: impl FnOnce() -> R,
    rest: impl IntoIterator<Item = Box<dyn FnOnce() -> R + 'a>>,
) -> R {
    let location = Location::caller();
    let (body, structure) = traced("case", location, first);
    let mut bodies = vec![body];
    for branch in rest {
        bodies.push(traced("case", location, branch).0);
    }
    branches("case", location, index, bodies, structure)
}

fn traced<R: TensorTree>(
    op: &'static str,
    location: Caller,
    branch: impl FnOnce() -> R,
) -> (Body, R) {
    in_region(op, &[], location, |_| {
        let result = branch();
        (leaves(&result), result)
    })
}

fn branches<R: TensorTree>(
    op: &'static str,
    location: Caller,
    index: Tensor,
    bodies: Vec<Body>,
    structure: R,
) -> R {
    let values = bodies.into_iter().collect::<Option<Vec<_>>>().and_then(|branches| {
        emit(op, &[index], location, |builder, _, v| builder.add_many(Case { branches }, v))
    });
    rebuild(&structure, &handles(values, 0))
}
