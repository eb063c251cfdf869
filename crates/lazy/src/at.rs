//! Elements at selected indices.

use crate::{Lazy, record::Recorder};
use hloom_graph::{At, Axis, Operand, ScalarValue, Selection, Tensor};
use std::{
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
    panic::Location,
};

/// Elements of a lazy tensor that are selected along some of its axes, as
/// [`At`](hloom_graph::At) selects them in a traced function: to be read, or to be updated in a new
/// tensor. [`Lazy::at`] creates it.
#[derive(Clone, Debug)]
#[must_use = "nothing is read or updated before `get`, `set` or another update"]
pub struct LazyAt {
    lazy: Lazy,
    selected: Vec<(Axis, LazySelection)>,
    indices_are_sorted: bool,
    unique_indices: bool,
}

/// The selection of [`Lazy::at`] along an axis; converts from an index, a range of indices and a
/// lazy tensor of indices.
#[derive(Clone, Debug)]
pub enum LazySelection {
    /// One index or a range.
    Known(Selection),
    /// Indices, whose axes replace the axis.
    Indices(Lazy),
}

impl From<&Lazy> for LazySelection {
    fn from(indices: &Lazy) -> LazySelection {
        LazySelection::Indices(indices.clone())
    }
}

macro_rules! known {
    ($($of:ty),* $(,)?) => { $(
        impl From<$of> for LazySelection {
            fn from(known: $of) -> LazySelection {
                LazySelection::Known(known.into())
            }
        }
    )* };
}
known!(
    i32,
    isize,
    usize,
    RangeFull,
    Range<i32>,
    RangeFrom<i32>,
    RangeTo<i32>,
    RangeInclusive<i32>,
    RangeToInclusive<i32>,
    Range<isize>,
    RangeFrom<isize>,
    RangeTo<isize>,
    RangeInclusive<isize>,
    RangeToInclusive<isize>,
    Range<usize>,
    RangeFrom<usize>,
    RangeTo<usize>,
    RangeInclusive<usize>,
    RangeToInclusive<usize>,
);

impl Lazy {
    /// Selects elements along an axis, by an index, a range or a lazy tensor of indices, to be read
    /// or updated.
    pub fn at(&self, axis: impl Into<Axis>, selection: impl Into<LazySelection>) -> LazyAt {
        LazyAt {
            lazy: self.clone(),
            selected: vec![(axis.into(), selection.into())],
            indices_are_sorted: false,
            unique_indices: false,
        }
    }
}

macro_rules! forward {
    ($($(#[$doc:meta])* $method:ident($($value:ident: $bound:path)?)),* $(,)?) => {
        #[expect(clippy::should_implement_trait, reason = "these are the names of JAX")]
        impl LazyAt { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, $($value: impl $bound)?) -> Lazy {
                let recorder =
                    Recorder { place: None, location: Location::caller(), is_method: true };
                recorder.record(|| self.tensor().$method($($value)?))
            }
        )* }
    };
}
forward!(
    /// The selected elements; indices out of range are clamped.
    get(),
    /// The selected elements, with `fill` where an index is out of range.
    get_or(fill: ScalarValue),
    /// Replaces the selected elements; of several updates of one element, any one does.
    set(updates: Operand),
    /// Adds to the selected elements.
    add(updates: Operand),
    /// Multiplies the selected elements.
    mul(updates: Operand),
    /// The larger of the selected elements and the updates; NaN propagates.
    max(updates: Operand),
    /// The smaller of the selected elements and the updates; NaN propagates.
    min(updates: Operand),
);

impl LazyAt {
    /// Selects along another axis too.
    pub fn at(mut self, axis: impl Into<Axis>, selection: impl Into<LazySelection>) -> LazyAt {
        self.selected.push((axis.into(), selection.into()));
        self
    }

    /// Promises that the index vectors are in ascending order, which may be faster. If they are
    /// not, the result is unspecified.
    pub fn indices_are_sorted(mut self) -> LazyAt {
        self.indices_are_sorted = true;
        self
    }

    /// Promises that no element is selected twice, which may be faster for updates. If one is, the
    /// result is unspecified.
    pub fn unique_indices(mut self) -> LazyAt {
        self.unique_indices = true;
        self
    }

    /// The same selection in the current trace.
    fn tensor(&self) -> At {
        let selection = |selection: &LazySelection| match selection {
            LazySelection::Known(known) => *known,
            LazySelection::Indices(indices) => Selection::Indices(indices.tensor()),
        };
        let tensor: Tensor = self.lazy.tensor();
        let mut selected = self.selected.iter();
        let (axis, first) = selected.next().expect("`Lazy::at` selects along one axis");
        let mut at = tensor.at(*axis, selection(first));
        for (axis, next) in selected {
            at = at.at(*axis, selection(next));
        }
        if self.indices_are_sorted {
            at = at.indices_are_sorted();
        }
        if self.unique_indices {
            at = at.unique_indices();
        }
        at
    }
}
