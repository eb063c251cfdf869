//! Sums of products in the notation of NumPy's `einsum`.

mod equation;
mod order;

use super::{BroadcastInDim, DotOptions};
use crate::{
    Dims, Name, PerAxis, Shape, Tensor,
    trace::{Rule, apply, emit, function_scope, shape_of},
};
use equation::{Equation, Fitted};
use order::{Labels, Order, cheapest};
use std::panic::Location;

/// A tensor whose axes have labels instead of names.
#[derive(Clone)]
struct EinsumOperand {
    tensor: Tensor,
    labels: Vec<usize>,
}

impl EinsumOperand {
    fn set(&self) -> Labels {
        self.labels.iter().fold(0, |set, label| set | 1 << label)
    }

    fn position(&self, label: usize) -> Option<usize> {
        self.labels.iter().position(|&own| own == label)
    }
}

/// Sums of products by an equation: each operand's axes have labels, equal labels are one axis,
/// and labels that the result lacks are summed over.
///
/// - `"bij,bjk->bik"`: letters are labels. The axes of the result keep the names that they have in
///   the operands, those of the first operand where they differ.
/// - `"batch row in, batch in column -> batch row column"`: where a term has spaces inside, labels
///   are words, and name the axes of the result.
/// - `...` is any number of axes, which broadcast by position.
/// - An axis of size 1 stretches to the size of its label in other operands, as in NumPy.
/// - A label twice in an operand takes the diagonal: `"ii->i"`, `"ii->"` for the trace.
/// - Without `->`, the result has the axes of `...` and the labels that appear once, in
///   alphabetical order.
///
/// Several operands are multiplied in the order with the fewest multiplications. The element types
/// are equal; [`einsum_with`] takes a precision and an accumulation type.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, einsum};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("batch", 4), ("row", 5), ("in", 6)]), false);
/// let y = trace.parameter("y", &Spec::f32([("in", 6), ("out", 7)]), false);
/// assert_eq!(einsum("bri,io->bro", &[x, y]).shape().to_string(), "f32[batch=4, row=5, out=7]");
/// let scores = einsum("batch query in, batch key in -> batch query key", &[x, x]);
/// assert_eq!(scores.shape().to_string(), "f32[batch=4, query=5, key=5]");
/// ```
#[track_caller]
pub fn einsum(equation: &str, operands: &[Tensor]) -> Tensor {
    einsum_with(equation, operands, DotOptions::default())
}

/// As [`einsum`], with the options of its dot products.
#[track_caller]
pub fn einsum_with(equation: &str, operands: &[Tensor], options: DotOptions) -> Tensor {
    let location = Location::caller();
    let fitted = emit("einsum", operands, location, |_, shapes, _| {
        let equation = Equation::parse(equation)?;
        let fitted = equation.fit(shapes)?;
        let names = names(&equation, &fitted, shapes)?;
        Ok((fitted, names))
    });
    let Some((fitted, names)) = fitted else { return Tensor::poisoned() };
    function_scope("einsum", || {
        let mut parts = Vec::new();
        for (&tensor, labels) in operands.iter().zip(&fitted.operands) {
            let tensor = tensor.with_names(&vec![None; labels.len()]);
            parts.push(prepared(EinsumOperand { tensor, labels: labels.clone() }, &fitted.sizes));
        }
        let result = fitted.result.iter().fold(0, |set, label| set | 1 << label);
        let sets: Vec<Labels> = parts.iter().map(EinsumOperand::set).collect();
        let Some(order) = cheapest(&sets, result, &fitted.sizes) else {
            return Tensor::poisoned();
        };
        let product = multiplied(&order, &parts, result, &fitted.sizes, options);
        let product = summed(product, result);
        let places: Option<Vec<usize>> =
            fitted.result.iter().map(|&label| product.position(label)).collect();
        match places {
            Some(places) => product.tensor.transpose(places).with_names(&names),
            None => Tensor::poisoned(),
        }
    })
}

/// The names of the result's axes.
fn names(equation: &Equation<'_>, fitted: &Fitted, shapes: &[Shape]) -> Rule<Vec<Option<Name>>> {
    let given = |label: usize| {
        let axes = fitted
            .operands
            .iter()
            .zip(shapes)
            .flat_map(|(labels, shape)| labels.iter().zip(shape.names()).zip(shape.sizes()));
        // The name of an axis that stretches from 1 is ignored.
        let own = axes.filter(|((own, _), size)| **own == label && **size == fitted.sizes[label]);
        own.filter_map(|((_, name), _)| *name).next()
    };
    let mut names: Vec<Option<Name>> = Vec::new();
    for &label in &fitted.result {
        let text = &fitted.texts[label];
        let name = if equation.has_words && !text.is_empty() {
            (text != "_").then(|| Name::new(text))
        } else {
            given(label)
        };
        if let Some(name) = name
            && let Some(other) = names.iter().position(|&known| known == Some(name))
        {
            let other = &fitted.texts[fitted.result[other]];
            return Err(format!(
                "axes `{other}` and `{text}` of the result are both called `{name}`; name them by \
                 words in the equation, or rename one"
            )
            .into());
        }
        names.push(name);
    }
    Ok(names)
}

/// The operand without repeated labels, and without axes of size 1 that stretch.
#[track_caller]
fn prepared(mut part: EinsumOperand, sizes: &[usize]) -> EinsumOperand {
    let repeated = |part: &EinsumOperand| {
        let labels = part.labels.iter().enumerate();
        labels.clone().find_map(|(i, label)| Some((part.position(*label)?, i)).filter(|p| p.0 < i))
    };
    while let Some((first, second)) = repeated(&part) {
        part.tensor = part.tensor.diagonal(first, second);
        let label = part.labels.remove(second);
        part.labels.remove(first);
        part.labels.push(label);
    }
    let Some(shape) = shape_of(part.tensor) else { return part };
    for axis in (0..shape.rank()).rev() {
        if shape.sizes()[axis] != sizes[part.labels[axis]] {
            part.tensor = part.tensor.squeeze(axis);
            part.labels.remove(axis);
        }
    }
    part
}

/// Sums over the labels that are not in `kept`.
#[track_caller]
fn summed(part: EinsumOperand, kept: Labels) -> EinsumOperand {
    let (rest, gone): (Vec<usize>, Vec<usize>) =
        (0..part.labels.len()).partition(|&axis| kept >> part.labels[axis] & 1 == 1);
    if gone.is_empty() {
        part
    } else {
        EinsumOperand {
            tensor: part.tensor.sum(gone),
            labels: rest.into_iter().map(|axis| part.labels[axis]).collect(),
        }
    }
}

/// The product of the operands of `order`, with at least the labels in `kept` that they have.
#[track_caller]
fn multiplied(
    order: &Order,
    parts: &[EinsumOperand],
    kept: Labels,
    sizes: &[usize],
    options: DotOptions,
) -> EinsumOperand {
    match order {
        Order::Operand(index) => parts[*index].clone(),
        Order::Product(left, right) => {
            let left_kept = kept | labels(right, parts);
            let right_kept = kept | labels(left, parts);
            let left = summed(multiplied(left, parts, left_kept, sizes, options), left_kept);
            let right = summed(multiplied(right, parts, right_kept, sizes, options), right_kept);
            pair(&left, &right, kept, sizes, options)
        }
    }
}

/// The labels of an order's operands.
fn labels(order: &Order, parts: &[EinsumOperand]) -> Labels {
    match order {
        Order::Operand(index) => parts[*index].set(),
        Order::Product(left, right) => labels(left, parts) | labels(right, parts),
    }
}

/// The product of two parts, summed over the labels that both have and `kept` lacks.
#[track_caller]
fn pair(
    left: &EinsumOperand,
    right: &EinsumOperand,
    kept: Labels,
    sizes: &[usize],
    options: DotOptions,
) -> EinsumOperand {
    let both = left.set() & right.set();
    let only = |part: &EinsumOperand| -> Vec<usize> {
        part.labels.iter().copied().filter(|label| both >> label & 1 == 0).collect()
    };
    let (contracted, batch): (Vec<usize>, Vec<usize>) = left
        .labels
        .iter()
        .copied()
        .filter(|label| both >> label & 1 == 1)
        .partition(|label| kept >> label & 1 == 0);
    let labels: Vec<usize> = batch.iter().copied().chain(only(left)).chain(only(right)).collect();
    if contracted.is_empty() {
        let tensor = stretched(left, &labels, sizes) * stretched(right, &labels, sizes);
        return EinsumOperand { tensor, labels };
    }
    let places = |labels: &[usize]| -> Vec<(usize, usize)> {
        labels.iter().filter_map(|&l| Some((left.position(l)?, right.position(l)?))).collect()
    };
    let tensor =
        left.tensor.dot_general(right.tensor, &places(&contracted), &places(&batch), options);
    EinsumOperand { tensor, labels }
}

/// The part's tensor with axes for all `labels`, in their order.
#[track_caller]
fn stretched(part: &EinsumOperand, labels: &[usize], sizes: &[usize]) -> Tensor {
    let order: Vec<usize> = labels.iter().filter_map(|&label| part.position(label)).collect();
    let axes = (0..labels.len()).filter(|&axis| part.position(labels[axis]).is_some());
    let axes: Vec<usize> = axes.collect();
    apply("einsum", &[part.tensor.transpose(order)], |_| {
        Ok(BroadcastInDim {
            axes: PerAxis::from_slice(&axes).ok_or("too many axes")?,
            dims: Dims::new(labels.iter().map(|&label| (None, sizes[label])))?,
        })
    })
}
