//! Prefix reductions with an associative function, in parallel.

use super::{
    control::{TensorTree, leaves, rebuild},
    stack,
};
use crate::{
    Axis, Tensor,
    trace::{OpError, emit, function_scope},
};
use std::panic::Location;

/// The inclusive prefix reduction of a tree of tensors along an axis by `combine`, in a number of
/// steps that grows with the logarithm of the axis' size.
///
/// `combine` is associative. It takes two trees of the same sizes, which hold any number of
/// elements along the axis, and combines them elementwise; the left elements come before the right
/// ones. It is called again for every step, and its result has the types and sizes of its
/// arguments.
/// [`cumsum`](Tensor::cumsum) and its relatives are faster where they apply.
///
/// The recursion over odd elements is that of [Blelloch
/// 1990](https://www.cs.cmu.edu/~guyb/papers/Ble93.pdf).
///
/// ```
/// use hloom_graph::{Spec, TraceScope, associative_scan};
///
/// // The states h of the recurrence h[t] = a[t] * h[t - 1] + b[t].
/// let trace = TraceScope::begin("example");
/// let a = trace.parameter("a", &Spec::f32([("time", 100)]), false);
/// let b = trace.parameter("b", &Spec::f32([("time", 100)]), false);
/// let (_, h) = associative_scan((a, b), "time", |(a, b), (c, d)| (c * a, c * b + d));
/// assert_eq!(h.shape().to_string(), "f32[time=100]");
/// ```
#[track_caller]
pub fn associative_scan<T: TensorTree>(
    values: T,
    axis: impl Into<Axis>,
    combine: impl Fn(T, T) -> T,
) -> T {
    let (axis, location) = (axis.into(), Location::caller());
    let tensors = leaves(&values);
    let axes = emit("associative_scan", &tensors, location, |_, s, _| {
        let axes = s.iter().map(|s| s.position(axis)).collect::<Result<Vec<usize>, _>>()?;
        let Some((first, &at)) = s.first().zip(axes.first()) else { return Ok((axes, 0)) };
        let size = first.sizes()[at];
        match s.iter().zip(&axes).find(|(s, at)| s.sizes()[**at] != size) {
            Some((other, _)) => {
                Err(OpError(format!("{first} and {other} differ in size along axis {axis}")))
            }
            None => Ok((axes, size)),
        }
    });
    match axes {
        Some((axes, size)) => {
            let scan = Scan { values: &values, axes: &axes, combine: &combine, location };
            rebuild(&values, &scan.prefixes(&tensors, size))
        }
        None => rebuild(&values, &[]),
    }
}

struct Scan<'a, T, F> {
    values: &'a T,
    axes: &'a [usize],
    combine: &'a F,
    location: &'static Location<'static>,
}

impl<T: TensorTree, F: Fn(T, T) -> T> Scan<'_, T, F> {
    fn prefixes(&self, tensors: &[Tensor], size: usize) -> Vec<Tensor> {
        if size < 2 {
            return tensors.to_vec();
        }
        let (count, odd_count) = (size.div_ceil(2), size / 2);
        let even = self.each(tensors, |x, axis| x.slice_step(axis, .., 2));
        let odd = self.each(tensors, |x, axis| x.slice_step(axis, 1.., 2));
        let pairs = self.each(&even, |x, axis| x.slice(axis, ..odd_count as isize));
        // The prefixes that end at odd elements, and from them those that end at even ones.
        let odd = self.prefixes(&self.combined(&pairs, &odd), odd_count);
        let before = self.each(&odd, |x, axis| x.slice(axis, ..count as isize - 1));
        let later = self.each(&even, |x, axis| x.slice(axis, 1..));
        let rest = if count > 1 { self.combined(&before, &later) } else { later };
        let first = self.each(&even, |x, axis| x.slice(axis, ..1));
        let all = first.iter().zip(&rest).zip(&odd).zip(self.axes);
        crate::trace::called_from(self.location, || {
            all.map(|(((&first, &rest), &odd), &axis)| interleaved(first, rest, odd, axis, size))
                .collect()
        })
    }

    /// `change` of each tensor and its axis.
    fn each(&self, tensors: &[Tensor], change: impl Fn(Tensor, usize) -> Tensor) -> Vec<Tensor> {
        crate::trace::called_from(self.location, || {
            tensors.iter().zip(self.axes).map(|(&tensor, &axis)| change(tensor, axis)).collect()
        })
    }

    /// The tensors of the combined trees, which have the shapes of both.
    fn combined(&self, left: &[Tensor], right: &[Tensor]) -> Vec<Tensor> {
        let result = (self.combine)(rebuild(self.values, left), rebuild(self.values, right));
        let results = leaves(&result);
        let operands: Vec<Tensor> = left.iter().chain(&results).copied().collect();
        let fits = emit("associative_scan", &operands, self.location, |_, s, _| {
            let (given, found) = s.split_at(left.len());
            super::control::check_carried(given, found)
        });
        match fits {
            Some(()) => results,
            None => vec![Tensor::poisoned(); left.len()],
        }
    }
}

/// `first`, followed by the elements of `odd` and `rest` interleaved.
#[track_caller]
fn interleaved(first: Tensor, rest: Tensor, odd: Tensor, axis: usize, size: usize) -> Tensor {
    function_scope("associative_scan", || {
        let even = super::concatenate(&[first, rest], axis);
        // For an odd size, one element too many, which the last slice drops.
        let odd = match size % 2 {
            0 => odd,
            _ => super::concatenate(&[odd, even.slice(axis, -1..)], axis),
        };
        let name = even.shape().names().get(axis).copied().flatten();
        let pairs = stack(&[even, odd], "_").moveaxis(0, axis as isize + 1);
        let merged = pairs.merge([axis, axis + 1], name.map_or("_", |name| name.as_str()));
        merged.slice(axis, ..size as isize)
    })
}
