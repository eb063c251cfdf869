//! Lists of axes and of numbers for each axis, with the mapped axis first.

use crate::PerAxis;

/// The axes, each increased by 1.
pub(crate) fn shifted(axes: &PerAxis<usize>) -> PerAxis<usize> {
    PerAxis::collect(axes.iter().map(|axis| axis + 1))
}

/// Prepends a value. A value that exceeds the capacity is dropped: the op then reports that a list
/// is too short.
pub(crate) fn with_first(values: &PerAxis<usize>, first: usize) -> PerAxis<usize> {
    let all = std::iter::once(first).chain(values.iter().copied());
    PerAxis::collect(all.take(crate::MAX_RANK))
}

/// The edges after an edge of 0 for the mapped axis.
pub(crate) fn without_edge(edges: &PerAxis<isize>) -> PerAxis<isize> {
    let all = std::iter::once(0).chain(edges.iter().copied());
    PerAxis::collect(all.take(crate::MAX_RANK))
}
