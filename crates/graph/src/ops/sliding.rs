//! Windows that slide along axes: their sizes, steps and padding.

use crate::{
    Axis, PerAxis,
    trace::{OpError, Rule},
};

/// The largest size, stride, dilation or padding of a window.
const MAX_LENGTH: u64 = i32::MAX as u64;

/// One number for each axis of a window, or one for all of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EachAxis(Vec<usize>);

impl From<usize> for EachAxis {
    fn from(number: usize) -> EachAxis {
        EachAxis(vec![number])
    }
}

impl<const N: usize> From<[usize; N]> for EachAxis {
    fn from(numbers: [usize; N]) -> EachAxis {
        EachAxis(numbers.into())
    }
}

impl From<&[usize]> for EachAxis {
    fn from(numbers: &[usize]) -> EachAxis {
        EachAxis(numbers.into())
    }
}

impl From<Vec<usize>> for EachAxis {
    fn from(numbers: Vec<usize>) -> EachAxis {
        EachAxis(numbers)
    }
}

impl EachAxis {
    /// The number of each of `rank` axes.
    pub(super) fn of(&self, what: &str, rank: usize) -> Rule<PerAxis<usize>> {
        let numbers: PerAxis<usize> = match &self.0[..] {
            [one] => PerAxis::collect((0..rank).map(|_| *one)),
            all if all.len() == rank => PerAxis::collect(all.iter().copied()),
            all => return Err(differs(what, all.len(), rank)),
        };
        Ok(numbers)
    }
}

fn differs(what: &str, found: usize, rank: usize) -> OpError {
    OpError(format!("{found} {what} for {rank} axes: one for each is needed, or one for all"))
}

/// The elements before the first and after the last one along each axis of a window.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Padding {
    /// No padding: windows lie within the elements.
    #[default]
    Valid,
    /// As many elements as give one window per stride, half of them on each side; of an odd number,
    /// the larger half is after the last element.
    Same,
    /// As [`Same`](Self::Same), with the larger half before the first element.
    SameLower,
    /// All padding is before the first element, so that a window ends at its own element.
    Causal,
    /// The numbers before the first and after the last element of each axis, or one pair for all
    /// of them; negative ones cut elements off.
    Explicit(Vec<(isize, isize)>),
}

/// The same number on all edges.
impl From<usize> for Padding {
    fn from(edges: usize) -> Padding {
        Padding::Explicit(vec![pair(edges)])
    }
}

/// For each axis, the same number on both edges.
impl<const N: usize> From<[usize; N]> for Padding {
    fn from(edges: [usize; N]) -> Padding {
        Padding::Explicit(edges.into_iter().map(pair).collect())
    }
}

impl<const N: usize> From<[(isize, isize); N]> for Padding {
    fn from(edges: [(isize, isize); N]) -> Padding {
        Padding::Explicit(edges.into())
    }
}

fn pair(edge: usize) -> (isize, isize) {
    let edge = isize::try_from(edge).unwrap_or(isize::MAX);
    (edge, edge)
}

impl Padding {
    /// The pairs of edges, if they do not depend on sizes.
    pub(super) fn explicit(&self, rank: usize) -> Rule<Option<Vec<(isize, isize)>>> {
        match self {
            Padding::Valid => Ok(Some(vec![(0, 0); rank])),
            Padding::Explicit(edges) => match &edges[..] {
                [one] => Ok(Some(vec![*one; rank])),
                all if all.len() == rank => Ok(Some(all.to_vec())),
                all => Err(differs("pairs of edges", all.len(), rank)),
            },
            Padding::Same | Padding::SameLower | Padding::Causal => Ok(None),
        }
    }

    /// The edges of each axis, given its size and the window along it.
    pub(super) fn edges(&self, axes: &[(usize, Sliding)]) -> Rule<Vec<(isize, isize)>> {
        if let Some(edges) = self.explicit(axes.len())? {
            return Ok(edges);
        }
        let edges = |&(size, window): &(usize, Sliding)| {
            let span = extent(window.size, window.dilation);
            if *self == Padding::Causal {
                return ((span - 1).max(0), 0);
            }
            let last = (size.div_ceil(window.stride.max(1)) as i128 - 1) * window.stride as i128;
            let total = if size == 0 { 0 } else { (last + span - size as i128).max(0) };
            if *self == Padding::SameLower {
                (total - total / 2, total / 2)
            } else {
                (total / 2, total - total / 2)
            }
        };
        let narrow = |edge: i128| isize::try_from(edge).unwrap_or(isize::MAX);
        Ok(axes.iter().map(edges).map(|(low, high)| (narrow(low), narrow(high))).collect())
    }
}

/// A window along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    pub size: usize,
    pub stride: usize,
    /// The distance of adjacent elements of the operand; there are no elements between them.
    pub base_dilation: usize,
    /// The distance of adjacent elements of the window.
    pub dilation: usize,
    pub low: isize,
    pub high: isize,
}

/// The number of elements from the first to the last of `size` ones at this distance.
pub(super) fn extent(size: usize, dilation: usize) -> i128 {
    if size == 0 { 0 } else { (size as i128 - 1) * dilation as i128 + 1 }
}

impl Sliding {
    /// The number of windows along an axis of `size` elements, called `axis` in messages.
    pub(super) fn count(&self, size: usize, axis: Axis) -> Rule<usize> {
        let parts = [
            ("size", self.size),
            ("stride", self.stride),
            ("dilation", self.base_dilation),
            ("dilation", self.dilation),
        ];
        for (what, number) in parts {
            if number == 0 || number as u64 > MAX_LENGTH {
                return Err(OpError(format!(
                    "the {what} of a window is between 1 and {MAX_LENGTH}, not {number} as along \
                     axis {axis}"
                )));
            }
        }
        let (low, high) = (self.low, self.high);
        if low.unsigned_abs() as u64 > MAX_LENGTH || high.unsigned_abs() as u64 > MAX_LENGTH {
            return Err(OpError(format!("axis {axis} is padded by {low} and {high}, too many")));
        }
        let padded = extent(size, self.base_dilation) + low as i128 + high as i128;
        if padded < 0 {
            return Err(OpError(format!(
                "padding axis {axis} of size {size} by {low} and {high} leaves less than nothing"
            )));
        }
        if padded > i128::from(i64::MAX / 16) {
            return Err(OpError(format!("axis {axis} has {padded} elements with its padding")));
        }
        let rest = padded - extent(self.size, self.dilation);
        Ok(if rest < 0 { 0 } else { (rest / self.stride as i128 + 1) as usize })
    }
}
