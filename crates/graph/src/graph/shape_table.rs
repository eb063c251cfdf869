//! Interned shapes.

use crate::Shape;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The distinct shapes of a graph: shapes are few and large, values are many.
#[derive(Clone, Default)]
pub(crate) struct ShapeTable {
    shapes: Vec<Shape>,
    ids: HashTable<ShapeId>,
    hasher: DefaultHashBuilder,
}

/// The id of a shape in a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ShapeId(u32);

impl ShapeTable {
    /// The id of a shape, which is added if it is new.
    pub fn intern(&mut self, shape: Shape) -> ShapeId {
        let ShapeTable { shapes, ids, hasher } = self;
        let hash = hasher.hash_one(shape);
        if let Some(&id) = ids.find(hash, |id| shapes[id.0 as usize] == shape) {
            return id;
        }
        let id =
            ShapeId(u32::try_from(shapes.len()).expect("fewer than 2^32 shapes fit in memory"));
        shapes.push(shape);
        ids.insert_unique(hash, id, |other| hasher.hash_one(shapes[other.0 as usize]));
        id
    }

    /// The shape of an id.
    pub fn get(&self, id: ShapeId) -> Shape {
        self.shapes[id.0 as usize]
    }
}

impl std::fmt::Debug for ShapeTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.shapes.fmt(f)
    }
}
