//! Elementwise ops, each rounded once to the type of its result.

use super::{binary as of_two, compared, unary as of_one};
use crate::{
    array::Array,
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::{Number, converted, reduced},
};
use hloom_graph::{
    Binary, Direction, NodeId, Shape, Unary,
    op::{BitcastConvert, Clamp, Convert, ReducePrecision, Select},
};
use std::cmp::Ordering;

/// A tensor of the numbers that `function` returns for those of the operands, which have the same
/// sizes.
fn each<const N: usize>(
    result: Shape,
    operands: [&Array; N],
    function: impl Fn([Number; N]) -> Number,
) -> Array {
    let element = |i: usize| {
        let numbers = operands.map(|x| Number::decode(x.dtype(), x.elements()[i]));
        function(numbers).encode(result.dtype())
    };
    Array::of(result, (0..result.element_count()).map(element).collect())
}

fn unary(result: Shape, function: Unary, x: &Array) -> Array {
    each(result, [x], |[number]| of_one::apply(function, x.dtype(), number))
}

fn binary(result: Shape, function: Binary, left: &Array, right: &Array) -> Array {
    let dtype = left.dtype();
    each(result, [left, right], |[x, y]| of_two::apply(function, dtype, x, y))
}

fn convert(result: Shape, x: &Array) -> Array {
    let elements = x.elements().iter();
    let elements = elements.map(|&bits| converted(x.dtype(), result.dtype(), bits));
    Array::of(result, elements.collect())
}

/// Keeps the bits: both types have the same width, or one has blocks whose bytes the other has.
fn bitcast(result: Shape, x: &Array) -> Array {
    x.reshaped(result)
}

fn reduce_precision(result: Shape, format: &ReducePrecision, x: &Array) -> Array {
    let ReducePrecision { exponent_bits, mantissa_bits } = *format;
    each(result, [x], |[number]| {
        Number::Float(reduced(x.dtype(), number.real(), exponent_bits, mantissa_bits))
    })
}

/// With NaN every comparison but `Ne` is false.
fn compare(result: Shape, direction: Direction, left: &Array, right: &Array) -> Array {
    each(result, [left, right], |[x, y]| {
        let order = compared(x, y);
        Number::truth(match direction {
            Direction::Eq => order == Some(Ordering::Equal),
            Direction::Ne => order != Some(Ordering::Equal),
            Direction::Lt => order == Some(Ordering::Less),
            Direction::Le => order.is_some_and(Ordering::is_le),
            Direction::Gt => order == Some(Ordering::Greater),
            Direction::Ge => order.is_some_and(Ordering::is_ge),
        })
    })
}

/// The elements of `on_true` and `on_false` with their bits.
fn select(result: Shape, condition: &Array, on_true: &Array, on_false: &Array) -> Array {
    let element = |i: usize| {
        if condition.elements()[i] != 0 { on_true.elements()[i] } else { on_false.elements()[i] }
    };
    Array::of(result, (0..result.element_count()).map(element).collect())
}

/// The smaller of the upper bound and the larger of `x` and the lower bound; NaN if any is.
fn clamp(result: Shape, low: &Array, x: &Array, high: &Array) -> Array {
    let dtype = x.dtype();
    each(result, [low, x, high], |[low, x, high]| {
        let raised = of_two::apply(Binary::Maximum, dtype, low, x);
        of_two::apply(Binary::Minimum, dtype, raised, high)
    })
}

impl Evaluate for Convert {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| convert(shape, x[0]))
    }
}

impl Evaluate for BitcastConvert {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| bitcast(shape, x[0]))
    }
}

impl Evaluate for ReducePrecision {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| reduce_precision(shape, self, x[0]))
    }
}

impl Evaluate for Unary {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| unary(shape, *self, x[0]))
    }
}

impl Evaluate for Binary {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| binary(shape, *self, x[0], x[1]))
    }
}

impl Evaluate for Direction {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| compare(shape, *self, x[0], x[1]))
    }
}

impl Evaluate for Select {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| select(shape, x[0], x[1], x[2]))
    }
}

impl Evaluate for Clamp {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| clamp(shape, x[0], x[1], x[2]))
    }
}
