//! The sizes of buckets.

use super::OnePerAxis;
use hloom_graph::Name;
use std::{fmt, ops::RangeInclusive};

/// The sizes that a function is compiled for along an axis, or along two: see [`BucketedExe`].
///
/// ```
/// use hloom_runtime::Buckets;
///
/// assert_eq!(Buckets::pow2("seq", 16..=100).to_string(), "seq in 16, 32, 64, 100");
/// assert_eq!(Buckets::multiples("seq", 8, 1..=20).to_string(), "seq in 8, 16, 20");
/// let both = Buckets::sizes("batch", [1, 8]).and(Buckets::pow2("seq", 16..=32));
/// assert_eq!(both.to_string(), "batch in 1, 8; seq in 16, 32");
/// ```
///
/// Invalid sizes are reported by `compile_buckets`.
///
/// [`BucketedExe`]: crate::BucketedExe
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets<const N: usize = 1> {
    pub(super) axes: [AxisSizes; N],
}

/// The sizes along one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AxisSizes {
    pub axis: Name,
    /// In increasing order, without repetitions.
    pub sizes: Vec<usize>,
    invalid: Option<String>,
}

/// More sizes than this along an axis are refused.
const MAX_SIZES: usize = 1 << 16;
/// The largest length that the function can be passed.
const MAX_LENGTH: usize = i32::MAX as usize;

impl Buckets {
    /// The powers of two in a range, and its end, so that each length up to the end has a bucket.
    pub fn pow2(axis: &str, range: RangeInclusive<usize>) -> Buckets {
        let (start, end) = (*range.start(), *range.end());
        let powers = (0..usize::BITS).map(|power| 1 << power);
        let sizes = powers.filter(|size| range.contains(size)).chain([end]);
        Buckets::checked(axis, sizes, check_range(start, end))
    }

    /// The multiples of `step` in a range, and its end.
    pub fn multiples(axis: &str, step: usize, range: RangeInclusive<usize>) -> Buckets {
        let (start, end) = (*range.start(), *range.end());
        let mut invalid = check_range(start, end);
        if step == 0 {
            invalid = Some("the step is 0".into());
        }
        let step = step.max(1);
        // The limit is one more than allowed, so that too many sizes are noticed.
        let count = start.div_ceil(step)..=end / step;
        let sizes = count.take(MAX_SIZES + 1).map(|count| count * step).chain([end]);
        Buckets::checked(axis, sizes, invalid)
    }

    /// These sizes, in any order.
    pub fn sizes(axis: &str, sizes: impl IntoIterator<Item = usize>) -> Buckets {
        Buckets::checked(axis, sizes.into_iter().take(MAX_SIZES + 1), None)
    }

    /// Sizes along a second axis: there is a bucket for each combination.
    pub fn and(self, other: Buckets) -> Buckets<2> {
        let ([first], [mut second]) = (self.axes, other.axes);
        if first.axis == second.axis {
            second.invalid = Some("the axis has buckets twice".into());
        }
        Buckets { axes: [first, second] }
    }

    fn checked(axis: &str, sizes: impl Iterator<Item = usize>, invalid: Option<String>) -> Buckets {
        let mut sizes: Vec<usize> = sizes.collect();
        sizes.sort_unstable();
        sizes.dedup();
        let found = match sizes[..] {
            [] => Some("there are no sizes".into()),
            [0, ..] => Some("a bucket has size 0".into()),
            [.., last] if last > MAX_LENGTH => Some(format!("{last} is above {MAX_LENGTH}")),
            _ if sizes.len() > MAX_SIZES => Some(format!("there are more than {MAX_SIZES}")),
            _ if axis.is_empty() || axis == "_" => Some("the axis has no name".into()),
            _ => None,
        };
        let axis = Name::new(axis);
        Buckets { axes: [AxisSizes { axis, sizes, invalid: invalid.or(found) }] }
    }
}

impl<const N: usize> Buckets<N> {
    /// The bucket for a length, or for one length per axis; `None` for 0 and above the largest.
    ///
    /// ```
    /// let buckets = hloom_runtime::Buckets::pow2("seq", 16..=100);
    /// assert_eq!([3, 17, 70, 101].map(|length| buckets.bucket_of(length)), [
    ///     Some(16),
    ///     Some(32),
    ///     Some(100),
    ///     None
    /// ]);
    /// ```
    pub fn bucket_of<L: OnePerAxis<usize, N>>(&self, lengths: L) -> Option<L> {
        let mut lengths = lengths.into_array();
        for (length, axis) in lengths.iter_mut().zip(&self.axes) {
            *length = Some(*length).filter(|&length| length > 0)?;
            *length = axis.at_least(*length)?;
        }
        Some(L::from_array(lengths))
    }

    /// The reason why the sizes are invalid, if they are.
    pub(super) fn invalid(&self) -> Option<String> {
        let found = self.axes.iter().find_map(|axis| Some((axis.axis, axis.invalid.as_ref()?)));
        found.map(|(axis, why)| format!("the buckets of axis `{axis}`: {why}"))
    }
}

impl AxisSizes {
    /// The smallest size for this length.
    pub fn at_least(&self, length: usize) -> Option<usize> {
        self.sizes.get(self.sizes.partition_point(|&size| size < length)).copied()
    }

    pub fn has(&self, size: usize) -> bool {
        self.sizes.binary_search(&size).is_ok()
    }

    pub fn smallest(&self) -> usize {
        self.sizes[0]
    }

    pub fn largest(&self) -> usize {
        self.sizes[self.sizes.len() - 1]
    }
}

fn check_range(start: usize, end: usize) -> Option<String> {
    match (start, end) {
        (0, _) => Some(format!("the range {start}..={end} begins at 0")),
        _ if start > end => Some(format!("the range {start}..={end} is empty")),
        _ => None,
    }
}

impl fmt::Display for AxisSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        write!(f, "{} in {}", self.axis, sizes.join(", "))
    }
}

impl<const N: usize> fmt::Display for Buckets<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes.iter().map(AxisSizes::to_string).collect();
        f.write_str(&axes.join("; "))
    }
}
