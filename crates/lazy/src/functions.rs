//! Functions of several lazy tensors, and control flow.

use crate::{Lazy, call, record::Recorder};
use hloom_graph::{self as graph, Axis, IntoAxes, Tensor, TensorTree, Tree};
use std::panic::Location;

/// As [`hloom_graph::concatenate`].
#[track_caller]
pub fn concatenate(parts: &[&Lazy], axis: impl Into<Axis>) -> Lazy {
    method(|| graph::concatenate(&tensors(parts), axis))
}

/// As [`hloom_graph::stack`].
#[track_caller]
pub fn stack(parts: &[&Lazy], name: &str) -> Lazy {
    method(|| graph::stack(&tensors(parts), name))
}

/// As [`hloom_graph::einsum`].
#[track_caller]
pub fn einsum(equation: &str, operands: &[&Lazy]) -> Lazy {
    method(|| graph::einsum(equation, &tensors(operands)))
}

/// As [`hloom_graph::sort_together`].
#[track_caller]
pub fn sort_together(operands: &[&Lazy], axis: impl Into<Axis>, ascending: bool) -> Vec<Lazy> {
    method(|| graph::sort_together(&tensors(operands), axis, !ascending))
}

/// As [`hloom_graph::reduce_by`], with a traced function as the combiner.
#[track_caller]
pub fn reduce_by<T>(
    values: T,
    init: T,
    axes: impl IntoAxes,
    body: impl FnOnce(T::With<Tensor>, T::With<Tensor>) -> T::With<Tensor>,
) -> T::With<Lazy>
where
    T: Tree<Leaf = Lazy>,
    T::With<Tensor>: TensorTree + Tree<With<Lazy> = T::With<Lazy>>,
{
    call(|(values, init)| graph::reduce_by(values, init, axes, body), (values, init))
}

/// As [`hloom_graph::cond`], with traced functions as the branches, whose arguments are the tensors
/// that they capture.
#[track_caller]
pub fn cond<R: TensorTree>(
    predicate: &Lazy,
    on_true: impl FnOnce() -> R,
    on_false: impl FnOnce() -> R,
) -> R::With<Lazy> {
    call(|predicate| graph::cond(predicate, on_true, on_false), predicate.clone())
}

/// As [`hloom_graph::case`], with traced functions as the branches, whose arguments are the tensors
/// that they capture.
#[track_caller]
pub fn case<'a, R: TensorTree>(
    index: &Lazy,
    first: impl FnOnce() -> R,
    rest: impl IntoIterator<Item = Box<dyn FnOnce() -> R + 'a>>,
) -> R::With<Lazy> {
    call(|index| graph::case(index, first, rest), index.clone())
}

/// As [`hloom_graph::while_loop`], with traced functions as the condition and the body.
#[track_caller]
pub fn while_loop<C>(
    init: C,
    condition: impl FnOnce(C::With<Tensor>) -> Tensor,
    body: impl FnOnce(C::With<Tensor>) -> C::With<Tensor>,
) -> C::With<Lazy>
where
    C: Tree<Leaf = Lazy>,
    C::With<Tensor>: TensorTree + Tree<With<Lazy> = C::With<Lazy>>,
{
    call(|init| graph::while_loop(init, condition, body), init)
}

/// As [`hloom_graph::for_loop`], with a traced function as the body.
#[track_caller]
pub fn for_loop<C>(
    count: usize,
    init: C,
    body: impl FnOnce(Tensor, C::With<Tensor>) -> C::With<Tensor>,
) -> C::With<Lazy>
where
    C: Tree<Leaf = Lazy>,
    C::With<Tensor>: TensorTree + Tree<With<Lazy> = C::With<Lazy>>,
{
    call(|init| graph::for_loop(count, init, body), init)
}

/// As [`hloom_graph::scan`], with a traced function as the body.
#[track_caller]
pub fn scan<C, X, Y>(
    init: C,
    xs: X,
    axis: impl Into<Axis>,
    body: impl FnOnce(C::With<Tensor>, X::With<Tensor>) -> (C::With<Tensor>, Y),
) -> (C::With<Lazy>, Y::With<Lazy>)
where
    C: Tree<Leaf = Lazy>,
    X: Tree<Leaf = Lazy>,
    Y: TensorTree,
    C::With<Tensor>: TensorTree + Tree<With<Lazy> = C::With<Lazy>>,
    X::With<Tensor>: TensorTree,
{
    call(|(init, xs)| graph::scan(init, xs, axis, body), (init, xs))
}

#[track_caller]
fn method<R: Tree<Leaf = Tensor>>(f: impl FnOnce() -> R) -> R::With<Lazy> {
    Recorder { place: None, location: Location::caller(), is_method: true }.record(f)
}

fn tensors(lazies: &[&Lazy]) -> Vec<Tensor> {
    lazies.iter().map(|lazy| lazy.tensor()).collect()
}
