//! References to axes, by name or by index.

use crate::Name;
use std::fmt;

/// An axis, by name or by index; negative indices count from the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// The axis of this name.
    Name(Name),
    /// The axis at this index; negative indices count from the end.
    Index(isize),
}

/// Argument of an op that takes several axes: one axis, an array, slice or vector of them, or `..`
/// for all.
pub trait IntoAxes: private::Sealed {
    /// The selected axes of a tensor of `rank`, in order.
    fn into_axes(self, rank: usize) -> Vec<Axis>;
}

mod private {
    pub trait Sealed {}
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Axis::Name(name) => write!(f, "`{name}`"),
            Axis::Index(index) => write!(f, "{index}"),
        }
    }
}

macro_rules! axis_from {
    ($($from:ty: $value:ident => $axis:expr),*) => { $(
        impl From<$from> for Axis {
            fn from($value: $from) -> Axis {
                $axis
            }
        }
        impl private::Sealed for $from {}
        impl IntoAxes for $from {
            fn into_axes(self, _: usize) -> Vec<Axis> {
                vec![self.into()]
            }
        }
    )* };
}
axis_from!(
    &str: name => Axis::Name(Name::new(name)),
    Name: name => Axis::Name(name),
    isize: index => Axis::Index(index),
    i32: index => Axis::Index(index as isize),
    usize: index => Axis::Index(index.min(isize::MAX as usize) as isize)
);

impl private::Sealed for Axis {}
impl IntoAxes for Axis {
    fn into_axes(self, _: usize) -> Vec<Axis> {
        vec![self]
    }
}

impl<A: Into<Axis> + Copy> private::Sealed for &[A] {}
impl<A: Into<Axis> + Copy> IntoAxes for &[A] {
    fn into_axes(self, _: usize) -> Vec<Axis> {
        self.iter().map(|&a| a.into()).collect()
    }
}

impl<A: Into<Axis> + Copy, const N: usize> private::Sealed for [A; N] {}
impl<A: Into<Axis> + Copy, const N: usize> IntoAxes for [A; N] {
    fn into_axes(self, rank: usize) -> Vec<Axis> {
        self.as_slice().into_axes(rank)
    }
}

impl<A: Into<Axis> + Copy> private::Sealed for Vec<A> {}
impl<A: Into<Axis> + Copy> IntoAxes for Vec<A> {
    fn into_axes(self, rank: usize) -> Vec<Axis> {
        self.as_slice().into_axes(rank)
    }
}

impl private::Sealed for std::ops::RangeFull {}
impl IntoAxes for std::ops::RangeFull {
    fn into_axes(self, rank: usize) -> Vec<Axis> {
        (0..rank).map(Axis::from).collect()
    }
}
