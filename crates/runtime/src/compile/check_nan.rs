//! Checks of a program's values for NaN and infinity while it runs.
//!
//! # How it works
//! A check is added after each op that computes floats, also in loops and branches: it counts the
//! wrong elements in the program, and a callback at the op's source line fails the call if there
//! are any. Ops that only move values are not checked, nor are the insides of functions that have
//! to be pure, such as the combiner of a reduction; their results are. Callbacks with effects run in
//! order, so the first op that computes a NaN is the one in the error.
//!
//! An infinity is an error where an op computes it from finite operands: a mask of `-inf` that is
//! added to scores is not an error.

use crate::{
    CallbackError, Result,
    callback::{CallbackBuilder, NO_RESULTS},
    row_major::index,
};
use hloom_graph::{
    DType, Graph, NodeId, Op, Replay, Tensor, called_from,
    op::{Binary, Unary},
};
use hloom_pjrt::ErrorCode;
use std::{env, panic::Location};

/// The variable that turns the checks on for every program.
const VARIABLE: &str = "HLOOM_CHECK_NAN";

/// Whether the environment variable turns the checks on.
pub(super) fn is_wanted() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// The same program with the checks.
///
/// # Errors
/// The first error of recording it again.
pub(super) fn with_checks(graph: &Graph) -> Result<Graph> {
    Ok(graph.transform(&mut |replay, node| checked(replay, node))?)
}

/// The results of a node, which are checked; `None` for a node that is recorded as it is, with
/// checks in its regions.
fn checked(replay: &mut Replay<'_>, id: NodeId) -> Option<Vec<Tensor>> {
    let node = replay.from().node(id);
    if !computes(&node.op) {
        return None;
    }
    let from = replay.from();
    let operands = from.operands(id);
    let names = operands.iter().filter_map(|value| {
        let position = from.root().parameters.iter().position(|parameter| parameter == value)?;
        Some(format!("`{}`", from.parameters()[position].name))
    });
    let names: Vec<String> = names.collect();
    let operands: Vec<Tensor> = operands.iter().filter_map(|&value| replay.get(value)).collect();
    let results = replay.record(id, &mut |_, _| None);
    called_from(node.location, || {
        for &result in &results {
            check((node.op.name(), node.location), result, &operands, &names);
        }
    });
    Some(results)
}

/// Whether an op computes values, rather than moving those of its operands. Control flow does
/// neither: the ops in its regions are checked.
fn computes(op: &Op) -> bool {
    !matches!(
        op,
        Op::Parameter(_)
            | Op::Constant(_)
            | Op::Splat(_)
            | Op::Iota(_)
            | Op::BitcastConvert(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::BroadcastInDim(_)
            | Op::Reshape(_)
            | Op::Transpose(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concatenate(_)
            | Op::Reverse(_)
            | Op::DynamicSlice(_)
            | Op::DynamicUpdateSlice(_)
            | Op::Gather(_)
            | Op::Sort(_)
            | Op::OptimizationBarrier(_)
            | Op::Constrain(_)
            | Op::While(_)
            | Op::ForLoop(_)
            | Op::Scan(_)
            | Op::Case(_)
            | Op::Unary(Unary::Neg | Unary::Real | Unary::Imag)
            | Op::Binary(Binary::Maximum | Binary::Minimum)
    )
}

/// The real tensors by which the elements of a tensor of floats are classified; none for others.
fn parts(tensor: Tensor) -> Vec<Tensor> {
    let dtype = tensor.dtype();
    match dtype {
        _ if dtype.is_complex() => vec![tensor.real(), tensor.imag()],
        _ if !dtype.is_float() => Vec::new(),
        _ if dtype.bits() < 16 => vec![tensor.convert(DType::F32)],
        _ => vec![tensor],
    }
}

/// Whether any element has the property; a scalar.
fn any(tensors: &[Tensor], property: fn(Tensor) -> Tensor) -> Tensor {
    let parts = tensors.iter().flat_map(|&tensor| parts(tensor));
    let each = parts.map(|part| property(part).convert(DType::I64).sum(..).gt(0));
    each.reduce(|a, b| a | b).unwrap_or_else(|| Tensor::scalar(false, DType::Bool))
}

/// Fails the call if `result` has a NaN, or an infinity while all operands are finite.
fn check(
    (op, location): (&'static str, &'static Location<'static>),
    result: Tensor,
    operands: &[Tensor],
    names: &[String],
) {
    let shape = result.shape();
    let is_empty = |tensor: &Tensor| tensor.shape().element_count() == 0;
    // A reduction of no elements may be infinite.
    if parts(result).is_empty() || is_empty(&result) || operands.iter().any(is_empty) {
        return;
    }
    let each = |property: fn(Tensor) -> Tensor| {
        let parts = parts(result).into_iter().map(property);
        parts.reduce(|a, b| a | b).expect("a tensor of floats has parts")
    };
    let (nan, infinite) = (each(Tensor::is_nan), each(Tensor::is_inf));
    let infinite = infinite & !any(operands, |part| !part.is_finite());
    let wrong = (nan | infinite).reshape([shape.element_count()]);
    let count = |flags: Tensor| flags.convert(DType::I64).sum(..);
    let found = [
        count(nan),
        count(infinite),
        wrong.convert(DType::I32).argmax(0).convert(DType::I64),
        any(operands, Tensor::is_nan).convert(DType::I64),
    ];
    let names = names.join(", ");
    let [] = CallbackBuilder::new("check_nan", found, NO_RESULTS).at(location).on_host().run(
        move |_, [nan, infinite, first, operand], _| {
            let (nan, infinite) = (nan.item::<i64>()?, infinite.item::<i64>()?);
            if nan + infinite == 0 {
                return Ok(());
            }
            // The index of an element is not negative.
            let first = index(&shape, usize::try_from(first.item::<i64>()?).unwrap_or(0));
            let count = match (nan, infinite) {
                (nan, 0) => format!("{nan} NaN"),
                (0, infinite) => format!("{infinite} infinite"),
                (nan, infinite) => format!("{nan} NaN and {infinite} infinite"),
            };
            let cause = match (operand.item::<i64>()?, names.is_empty()) {
                (0, _) => "its operands have no NaN".to_owned(),
                (_, true) => "an operand has NaN, which no op before it computed".to_owned(),
                (_, false) => format!("an operand has NaN: it may be the argument {names}"),
            };
            let message = format!(
                "`{op}` has {count} among the {} elements of its result {shape}, the first at \
                 {first:?}; {cause}",
                shape.element_count()
            );
            Err(CallbackError::with_code(ErrorCode::FailedPrecondition, message))
        },
    );
}
