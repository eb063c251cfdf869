//! Random choices among elements and categories.

use super::Key;
use crate::{
    Axis, DType, Dims, IntoDims, Tensor,
    trace::{OpError, emit, function_scope},
};
use std::panic::Location;

/// Options of [`Key::choice_with`].
#[derive(Clone, Copy, Debug)]
pub struct ChoiceOptions {
    /// Whether an element may be chosen several times.
    pub replace: bool,
    /// A vector with the probability of each element, of sum 1; otherwise all are equally likely.
    pub probabilities: Option<Tensor>,
}

/// With replacement, all equally likely.
impl Default for ChoiceOptions {
    fn default() -> ChoiceOptions {
        ChoiceOptions { replace: true, probabilities: None }
    }
}

#[hloom_derive::tensor_methods(choice)]
impl Key {
    /// Elements along an axis of `x`, chosen with replacement and equally likely; the axes `dims`
    /// replace the axis.
    #[track_caller]
    pub fn choice(self, x: Tensor, axis: impl Into<Axis>, dims: impl IntoDims) -> Tensor {
        self.choose("choice", x, axis.into(), dims, ChoiceOptions::default())
    }

    /// As [`choice`](Self::choice), with probabilities or without replacement.
    #[track_caller]
    pub fn choice_with(
        self,
        x: Tensor,
        axis: impl Into<Axis>,
        dims: impl IntoDims,
        options: ChoiceOptions,
    ) -> Tensor {
        self.choose("choice_with", x, axis.into(), dims, options)
    }

    #[track_caller]
    fn choose(
        self,
        op: &'static str,
        x: Tensor,
        axis: Axis,
        dims: impl IntoDims,
        options: ChoiceOptions,
    ) -> Tensor {
        function_scope(op, || {
            let operands: Vec<Tensor> = [x].into_iter().chain(options.probabilities).collect();
            let checked = emit(op, &operands, Location::caller(), |_, s, _| {
                let dims = dims.into_dims()?;
                let draws: usize = dims.sizes().iter().product();
                let size = s[0].sizes()[s[0].position(axis)?];
                if draws > 0 && size == 0 {
                    return Err(OpError(format!("axis {axis} has no elements to choose from")));
                }
                if !options.replace && draws > size {
                    return Err(OpError(format!(
                        "{draws} different elements of axis {axis} of size {size}"
                    )));
                }
                match s.get(1) {
                    Some(p) if p.sizes() != [size] || !super::key::is_drawn(p.dtype()) => {
                        Err(OpError(format!(
                            "the probabilities are a vector of {size} floats, not {p}"
                        )))
                    }
                    _ => Ok((dims, draws, size)),
                }
            });
            let Some((dims, draws, size)) = checked else { return Tensor::poisoned() };
            let indices = match (options.probabilities, options.replace) {
                (None, true) => self.randint(DType::I32, dims, 0, size),
                (None, false) => leading(self.permutation([size]), draws, dims),
                (Some(p), true) => {
                    let below = p.at_least_f32().named(["_"]).cumsum(0);
                    let total = below.slice(0, -(size.min(1) as isize)..).sum(0);
                    let place = total * (self.uniform(below.dtype(), dims) * -1 + 1);
                    below.searchsorted(place, false)
                }
                (Some(p), false) => {
                    let p = p.at_least_f32().named(["_"]);
                    let noisy = self.gumbel(p.dtype(), [size]) + p.log();
                    leading(noisy.top_k(draws, 0).1, draws, dims)
                }
            };
            x.take(indices, axis)
        })
    }

    /// An index along an axis of `logits` for each position of the other axes, as `i32`, with the
    /// softmax of the logits as probabilities. Logits below 32 bits are compared in `f32`.
    #[track_caller]
    pub fn categorical(self, logits: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("categorical", || {
            let logits = logits.at_least_f32();
            (self.gumbel(logits.dtype(), logits.shape()) + logits).argmax(axis)
        })
    }

    /// As [`categorical`](Self::categorical), for each position of the new first axes `dims` too.
    #[track_caller]
    pub fn categorical_of(
        self,
        logits: Tensor,
        axis: impl Into<Axis>,
        dims: impl IntoDims,
    ) -> Tensor {
        let axis = axis.into();
        function_scope("categorical_of", || {
            let all = emit("categorical_of", &[logits], Location::caller(), |_, s, _| {
                let first = dims.into_dims()?;
                let axes = |dims: Dims| {
                    let pairs = dims.names().iter().copied().zip(dims.sizes().iter().copied());
                    pairs.collect::<Vec<_>>()
                };
                let at = first.sizes().len() + s[0].position(axis)?;
                Ok((Dims::new(axes(first).into_iter().chain(axes(s[0].axes())))?, at))
            });
            let Some((all, at)) = all else { return Tensor::poisoned() };
            let logits = logits.at_least_f32();
            let noise = self.gumbel(logits.dtype(), all);
            (noise + logits.broadcast_to(all)).argmax(at)
        })
    }
}

/// The first indices of a vector.
#[track_caller]
fn leading(indices: Tensor, count: usize, dims: Dims) -> Tensor {
    indices.slice(0, ..count as isize).reshape(dims)
}
