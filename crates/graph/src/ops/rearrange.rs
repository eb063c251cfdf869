//! Repeating, shifting and regrouping elements along axes.

use super::{BroadcastInDim, Reshape};
use crate::{
    Axis, Dims, Name, PerAxis, Tensor,
    trace::{OpError, Rule, emit, function_scope, shape_of},
};
use std::panic::Location;

/// The elements that [`Tensor::pad_mode`] pads with, shown for the elements `1 2 3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PadMode {
    /// The elements next to the edge, which is not repeated: `3 2 1 2 3 2 1`.
    Reflect,
    /// As [`Reflect`](Self::Reflect), with the edge: `2 1 1 2 3 3 2`.
    Symmetric,
    /// The first and the last element: `1 1 1 2 3 3 3`.
    Edge,
    /// The elements from the other end: `2 3 1 2 3 1 2`.
    Wrap,
}

impl PadMode {
    /// The index of the element that is at `position`, which may be outside of `0..size`.
    fn index(self, position: i128, size: i128) -> i128 {
        match self {
            PadMode::Edge => position.clamp(0, size - 1),
            PadMode::Wrap => position.rem_euclid(size),
            PadMode::Symmetric => {
                let at = position.rem_euclid(2 * size);
                at.min(2 * size - 1 - at)
            }
            PadMode::Reflect => {
                let period = (2 * size - 2).max(1);
                let at = position.rem_euclid(period);
                at.min(period - at)
            }
        }
    }
}

#[hloom_derive::tensor_methods(rearrange)]
impl Tensor {
    /// Repeats each element along an axis `count` times in place: `1 2` becomes `1 1 2 2`.
    #[track_caller]
    #[doc(alias = "repeat_interleave")]
    pub fn repeat(self, axis: impl Into<Axis>, count: usize) -> Tensor {
        self.repeated("repeat", axis.into(), count, 1)
    }

    /// Concatenates `count` copies along an axis: `1 2` becomes `1 2 1 2`.
    #[track_caller]
    pub fn tile(self, axis: impl Into<Axis>, count: usize) -> Tensor {
        self.repeated("tile", axis.into(), count, 0)
    }

    /// Repeats along a new axis before (0) or after (1) an axis, and merges both.
    #[track_caller]
    fn repeated(self, op: &'static str, axis: Axis, count: usize, place: usize) -> Tensor {
        let value = emit(op, &[self], Location::caller(), |builder, s, v| {
            let at = s[0].position(axis)?;
            let sizes = s[0].sizes().iter().copied();
            let merged = s[0].with_sizes(
                sizes
                    .clone()
                    .enumerate()
                    .map(|(i, size)| if i == at { size.saturating_mul(count) } else { size }),
            )?;
            let mut apart: Vec<_> = s[0].names().iter().copied().zip(sizes).collect();
            apart.insert(at + place, (None, count));
            let axes = PerAxis::collect((0..s[0].rank()).map(|i| i + usize::from(i >= at + place)));
            let apart = builder.add(BroadcastInDim { axes, dims: Dims::new(apart)? }, v)?;
            builder.add(Reshape { dims: merged.axes() }, &[apart])
        });
        Tensor::or_poisoned(value)
    }

    /// Moves the elements along an axis by `shift` places, backwards if it is negative; those that
    /// leave one end enter at the other.
    #[track_caller]
    #[doc(alias = "shift")]
    pub fn roll(self, axis: impl Into<Axis>, shift: isize) -> Tensor {
        let axis = axis.into();
        let split = emit("roll", &[self], Location::caller(), |_, s, _| {
            let size = s[0].sizes()[s[0].position(axis)?] as isize;
            Ok(if size == 0 { 0 } else { (-(shift % size)).rem_euclid(size) })
        });
        match split {
            None => Tensor::poisoned(),
            Some(0) => self,
            Some(split) => function_scope("roll", || {
                super::concatenate(&[self.slice(axis, split..), self.slice(axis, ..split)], axis)
            }),
        }
    }

    /// Moves an axis to a position; a negative one counts from the end.
    #[track_caller]
    pub fn moveaxis(self, axis: impl Into<Axis>, to: isize) -> Tensor {
        let axis = axis.into();
        let order = emit("moveaxis", &[self], Location::caller(), |_, s, _| {
            let rank = s[0].rank() as isize;
            let (from, at) = (s[0].position(axis)?, if to < 0 { to + rank } else { to });
            if !(0..rank).contains(&at) {
                return Err(format!("there is no position {to} among {rank} axes").into());
            }
            let mut order: Vec<usize> = (0..s[0].rank()).filter(|&i| i != from).collect();
            order.insert(at as usize, from);
            Ok(order)
        });
        order.map_or(Tensor::poisoned(), |order| self.transpose(order))
    }

    /// The parts along an axis, one for each index, without the axis. At most 65,536.
    #[track_caller]
    #[doc(alias = "unbind")]
    pub fn unstack(self, axis: impl Into<Axis>) -> Vec<Tensor> {
        let axis = axis.into();
        function_scope("unstack", || {
            let size = self.size(axis);
            self.split(axis, size.max(1)).into_iter().take(size).map(|x| x.squeeze(axis)).collect()
        })
    }

    /// Windows of `size` elements along an axis, whose first elements are `step` apart: the axis
    /// keeps one element per window, and the elements of a window are along the last axis, called
    /// `window` (`_` for none).
    #[track_caller]
    #[doc(alias = "patches")]
    pub fn unfold(self, axis: impl Into<Axis>, window: &str, size: usize, step: usize) -> Tensor {
        let axis = axis.into();
        let place = emit("unfold", &[self], Location::caller(), |_, s, _| {
            let at = s[0].position(axis)?;
            let length = s[0].sizes()[at];
            match (length.checked_sub(size), step) {
                (_, 0) => Err(OpError("a step of 0 goes nowhere".into())),
                (None, _) => Err(OpError(format!(
                    "windows of {size} elements do not fit axis {axis} of size {length}"
                ))),
                (Some(rest), step) => Ok((s[0], at, rest / step + 1)),
            }
        });
        let Some((shape, at, count)) = place else { return Tensor::poisoned() };
        function_scope("unfold", || {
            let index = |axis: usize| Tensor::iota(crate::DType::I64, [count, size], axis);
            let windows = self.take(index(0) * step + index(1), at).moveaxis(at + 1, -1);
            let mut names: Vec<_> = shape.names().to_vec();
            names.push((window != "_").then(|| Name::new(window)));
            windows.with_names(&names)
        })
    }

    /// Pads an axis with elements of its own: see [`PadMode`]. An axis without elements can only be
    /// padded by 0 elements.
    #[track_caller]
    pub fn pad_mode(self, axis: impl Into<Axis>, low: usize, high: usize, mode: PadMode) -> Tensor {
        let axis = axis.into();
        let indices = emit("pad_mode", &[self], Location::caller(), |_, s, _| {
            let at = s[0].position(axis)?;
            let size = s[0].sizes()[at];
            let width = size.saturating_add(low).saturating_add(high);
            // Checks the shape, so that the list of indices fits in memory.
            s[0].with_sizes(
                s[0].sizes().iter().enumerate().map(|(i, &n)| if i == at { width } else { n }),
            )?;
            match width {
                width if width > MAX_INDICES => {
                    Err(format!("{width} elements are more than {MAX_INDICES}").into())
                }
                _ if size == 0 && width > 0 => {
                    Err(OpError(format!("axis {axis} has no elements to pad with")))
                }
                _ => {
                    let place = |i| mode.index(i as i128 - low as i128, size as i128) as i32;
                    Ok((at, s[0].names()[at], (0..width).map(place).collect::<Vec<i32>>()))
                }
            }
        });
        let Some((at, name, indices)) = indices else { return Tensor::poisoned() };
        function_scope("pad_mode", || {
            let count = indices.len();
            let padded = self.take(Tensor::constant(&indices, [count]), at);
            padded.rename(at, name.map_or("_", |name| name.as_str()))
        })
    }

    /// Blocks of `factor` by `factor` channels as pixels: `channel` shrinks by the factor squared,
    /// `height` and `width` grow by it ([Shi et al. 2016](https://arxiv.org/abs/1609.05158)).
    #[track_caller]
    #[doc(alias = "depth_to_space")]
    pub fn pixel_shuffle(self, [channel, height, width]: [Axis; 3], factor: usize) -> Tensor {
        self.regrouped("pixel_shuffle", [channel, height, width], factor, true)
    }

    /// The inverse of [`pixel_shuffle`](Self::pixel_shuffle): blocks of `factor` by `factor` pixels
    /// as channels.
    #[track_caller]
    #[doc(alias = "space_to_depth")]
    pub fn pixel_unshuffle(self, [channel, height, width]: [Axis; 3], factor: usize) -> Tensor {
        self.regrouped("pixel_unshuffle", [channel, height, width], factor, false)
    }

    #[track_caller]
    fn regrouped(
        self,
        op: &'static str,
        axes: [Axis; 3],
        factor: usize,
        to_pixels: bool,
    ) -> Tensor {
        let place = emit(op, &[self], Location::caller(), |_, s, _| {
            let at = super::positions(&s[0], &axes)?;
            let [c, h, w] = [at[0], at[1], at[2]].map(|i| s[0].sizes()[i]);
            let square = factor.saturating_mul(factor);
            let fits = if to_pixels {
                square > 0 && c % square == 0
            } else {
                factor > 0 && h % factor == 0 && w % factor == 0
            };
            if fits {
                Ok((s[0], [at[0], at[1], at[2]]))
            } else if to_pixels {
                Err(format!("{c} channels do not split into blocks of {factor}²").into())
            } else {
                Err(format!("{h} by {w} pixels do not split into blocks of {factor}²").into())
            }
        });
        let Some((shape, [channel, height, width])) = place else { return Tensor::poisoned() };
        function_scope(op, || {
            let rank = shape.rank();
            // The other axes first, then those of the block.
            let others: Vec<usize> =
                (0..rank).filter(|i| ![channel, height, width].contains(i)).collect();
            let [c, h, w] = [channel, height, width].map(|i| shape.sizes()[i]);
            let outer: Vec<usize> = others.iter().map(|&i| shape.sizes()[i]).collect();
            let apart = if to_pixels {
                [c / (factor * factor), factor, factor, h, w]
            } else {
                [c, h / factor, factor, w / factor, factor]
            };
            let whole = if to_pixels {
                [c / (factor * factor), h * factor, w * factor]
            } else {
                [c * factor * factor, h / factor, w / factor]
            };
            // Axes: channel, row in the block, column in the block, row, column; and the inverse.
            let mixed = if to_pixels { [0, 3, 1, 4, 2] } else { [0, 2, 4, 1, 3] };
            let front: Vec<usize> =
                others.iter().copied().chain([channel, height, width]).collect();
            let first = others.len();
            let regroup: Vec<usize> = (0..first).chain(mixed.map(|i| first + i)).collect();
            let back: Vec<usize> = (0..rank)
                .map(|i| front.iter().position(|&f| f == i).expect("a permutation"))
                .collect();
            self.transpose(front)
                .reshape([&outer[..], &apart].concat())
                .transpose(regroup)
                .reshape([&outer[..], &whole].concat())
                .transpose(back)
                .with_names(shape.names())
        })
    }

    /// The tensor with these names for its axes.
    #[track_caller]
    pub(super) fn with_names(self, names: &[Option<Name>]) -> Tensor {
        match shape_of(self) {
            None => self,
            Some(shape) => {
                let dims: Rule<Dims> =
                    Dims::new(names.iter().copied().zip(shape.sizes().iter().copied()))
                        .map_err(OpError::from);
                let value = emit("rename", &[self], Location::caller(), |builder, _, v| {
                    super::rename(builder, v[0], dims?)
                });
                Tensor::or_poisoned(value)
            }
        }
    }
}

/// The maximum number of indices that are written into a program as a constant.
const MAX_INDICES: usize = 1 << 24;
