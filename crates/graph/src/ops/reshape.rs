//! The same elements under other axes.

use super::positions;
use crate::{
    Axis, Dims, IntoAxes, IntoDims, Name, Op, PerAxis, Shape, Tensor,
    trace::{Rule, apply},
};

/// The axes of a shape as a list that can be edited.
fn axes(shape: &Shape) -> Vec<(Option<Name>, usize)> {
    shape
        .names()
        .iter()
        .copied()
        .zip(shape.sizes().iter().copied())
        .collect()
}

fn reshaped(shape: &Shape, axes: Vec<(Option<Name>, usize)>) -> Rule<(Op, Shape)> {
    Ok((Op::Reshape, shape.with_dims(Dims::new(axes)?)))
}

/// The shape with its axes in another order.
pub(super) fn permuted(shape: &Shape, order: &[usize]) -> Shape {
    let dims = Dims::new(order.iter().map(|&i| (shape.names()[i], shape.sizes()[i])));
    shape.with_dims(dims.expect("a permutation of sound axes is sound"))
}

impl Tensor {
    /// The same elements, in row-major order, with other axes.
    #[track_caller]
    pub fn reshape(self, dims: impl IntoDims) -> Tensor {
        let dims = dims.into_dims();
        apply("reshape", &[self], |s| {
            let shape = s[0].with_dims(dims?);
            match shape.element_count() == s[0].element_count() {
                true => Ok((Op::Reshape, shape)),
                false => Err(format!(
                    "{} elements do not fill {shape}, which has {}",
                    s[0].element_count(),
                    shape.element_count()
                )
                .into()),
            }
        })
    }

    /// Splits an axis into several, the last of which runs fastest. Their sizes multiply to the axis' size.
    #[track_caller]
    pub fn split(self, axis: impl Into<Axis>, into: impl IntoDims) -> Tensor {
        let (axis, into) = (axis.into(), into.into_dims());
        apply("split", &[self], |s| {
            let (at, into) = (s[0].position(axis)?, into?);
            let size = s[0].sizes()[at];
            if into.sizes().iter().product::<usize>() != size {
                return Err(format!("axis {axis} of size {size} does not split into {:?}", into.sizes()).into());
            }
            let mut all = axes(&s[0]);
            all.splice(at..=at, into.names().iter().copied().zip(into.sizes().iter().copied()));
            reshaped(&s[0], all)
        })
    }

    /// Merges neighbouring axes, given in their order, into one called `name` (`_` for none).
    #[track_caller]
    pub fn merge(self, merged: impl IntoAxes, name: &str) -> Tensor {
        let merged = merged.into_axes(self.rank());
        apply("merge", &[self], |s| {
            let at = positions(&s[0], &merged)?;
            let Some(&first) = at.first() else {
                return Err("no axis to merge".into());
            };
            if at.iter().enumerate().any(|(i, &p)| p != first + i) {
                return Err("only axes that stand side by side, given in their order, can be merged".into());
            }
            let size = at.iter().map(|&i| s[0].sizes()[i]).product();
            let mut all = axes(&s[0]);
            all.splice(
                first..first + at.len(),
                [((name != "_").then(|| Name::new(name)), size)],
            );
            reshaped(&s[0], all)
        })
    }

    /// Adds an axis of size 1 called `name` (`_` for none), which will stand at `at`; negative positions count from the end of
    /// the result.
    #[track_caller]
    pub fn insert_axis(self, at: isize, name: &str) -> Tensor {
        apply("insert_axis", &[self], |s| {
            let rank = s[0].rank() as isize + 1;
            let position = if at < 0 { at + rank } else { at };
            if !(0..rank).contains(&position) {
                return Err(format!("there is no position {at} among {rank} axes").into());
            }
            let mut all = axes(&s[0]);
            all.insert(position as usize, ((name != "_").then(|| Name::new(name)), 1));
            reshaped(&s[0], all)
        })
    }

    /// Takes axes of size 1 away.
    #[track_caller]
    pub fn squeeze(self, squeezed: impl IntoAxes) -> Tensor {
        let squeezed = squeezed.into_axes(self.rank());
        apply("squeeze", &[self], |s| {
            let at = positions(&s[0], &squeezed)?;
            if let Some(&i) = at.iter().find(|&&i| s[0].sizes()[i] != 1) {
                return Err(format!("axis {i} has size {}, not 1", s[0].sizes()[i]).into());
            }
            let kept = axes(&s[0]).into_iter().enumerate().filter(|(i, _)| !at.contains(i));
            reshaped(&s[0], kept.map(|(_, axis)| axis).collect())
        })
    }

    /// Puts the axes in the given order, which names each once.
    #[track_caller]
    pub fn transpose(self, order: impl IntoAxes) -> Tensor {
        let order = order.into_axes(self.rank());
        apply("transpose", &[self], |s| {
            let at = positions(&s[0], &order)?;
            if at.len() != s[0].rank() {
                return Err(format!("{} of {} axes are given", at.len(), s[0].rank()).into());
            }
            let shape = permuted(&s[0], &at);
            Ok((Op::Transpose(PerAxis::collect(at)), shape))
        })
    }

    /// Exchanges two axes.
    #[track_caller]
    pub fn swap_axes(self, a: impl Into<Axis>, b: impl Into<Axis>) -> Tensor {
        let (a, b) = (a.into(), b.into());
        apply("swap_axes", &[self], |s| {
            let mut order: Vec<usize> = (0..s[0].rank()).collect();
            order.swap(s[0].position(a)?, s[0].position(b)?);
            let shape = permuted(&s[0], &order);
            Ok((Op::Transpose(PerAxis::collect(order)), shape))
        })
    }

    /// Reverses the order of the elements along axes.
    #[track_caller]
    pub fn reverse(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        apply("reverse", &[self], |s| {
            let mut at = positions(&s[0], &axes)?;
            at.sort_unstable();
            Ok((Op::Reverse(PerAxis::collect(at)), s[0]))
        })
    }
}
