//! The interface of the emitters, which build a module op by op.

mod literal;
mod locations;
#[cfg(feature = "mlir")]
pub(crate) mod mlir;
mod syntax;
pub(crate) mod text;

use crate::{attribute::Attribute, types::Type};
use std::panic;

/// Builds a module. Regions are filled before the op that owns them is added.
pub(crate) trait Emitter {
    /// Adds an op at the end of the open region.
    fn operation(&mut self, operation: Operation<'_, '_>) -> Values;

    /// Opens a region with arguments of these types; the ops that follow are added to it.
    fn begin_region(&mut self, arguments: &[(Type, Location<'_>)]) -> Values;

    /// Ends the innermost open region.
    fn end_region(&mut self) -> Region;
}

/// An op to be added.
pub(crate) struct Operation<'o, 'a> {
    pub name: &'static str,
    pub operands: &'o [Value],
    pub results: &'o [Type],
    pub attributes: &'o [(&'static str, Attribute<'a>)],
    pub regions: Vec<Region>,
    pub location: Location<'o>,
}

/// A value of the module: the result of an op or the argument of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value(u32);

impl Value {
    /// The index in the order in which values are created.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Values that were created together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    first: u32,
    count: u32,
}

impl Values {
    /// `count` values, after `known` earlier ones.
    pub fn after(known: usize, count: usize) -> Values {
        let index = |value| u32::try_from(value).expect("fewer than 2^32 values fit in memory");
        Values { first: index(known), count: index(count) }
    }

    /// The value at an index.
    pub fn at(self, position: usize) -> Value {
        debug_assert!(position < self.count as usize, "no value {position} of {}", self.count);
        Value(self.first + position as u32)
    }

    /// All values, in order.
    pub fn iter(self) -> impl Iterator<Item = Value> + Clone {
        (self.first..self.first + self.count).map(Value)
    }

    /// All values, in order.
    pub fn to_vec(self) -> Vec<Value> {
        self.iter().collect()
    }
}

/// A region that has ended and is not yet owned by an op.
#[derive(Debug)]
pub(crate) struct Region(u32);

impl Region {
    /// The region after `known` earlier ones.
    pub fn after(known: usize) -> Region {
        Region(u32::try_from(known).expect("fewer than 2^32 regions fit in memory"))
    }

    /// The index in the order in which regions end.
    pub fn index(&self) -> usize {
        self.0 as usize
    }
}

/// The location of an op or a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location<'a> {
    /// The user's name of a value; empty for none.
    pub name: &'a str,
    /// The line of the user's source.
    pub line: Option<&'static panic::Location<'static>>,
}

impl Location<'_> {
    /// The unknown location.
    pub const UNKNOWN: Location<'static> = Location { name: "", line: None };
}
