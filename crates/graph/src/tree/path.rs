//! The path of a leaf in a tree.

use std::fmt;

/// One step from a tree to its child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Segment<'a> {
    /// A field of a struct or a key of a map.
    Field(&'a str),
    /// An element of a tuple, an array or a vector.
    Index(usize),
}

/// The path from a tree's root to a leaf, such as `layers.3.fc1.weight`. It is built on the stack
/// while a tree is visited and allocates only when printed.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    step: Option<(&'a Path<'a>, Segment<'a>)>,
}

impl<'a> Path<'a> {
    /// The root, which prints as the empty string.
    pub const ROOT: Path<'static> = Path { step: None };

    /// The path of a field of this node.
    pub fn field(&'a self, name: &'a str) -> Path<'a> {
        Path { step: Some((self, Segment::Field(name))) }
    }

    /// The path of an element of this node.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path { step: Some((self, Segment::Index(index))) }
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.step.is_none()
    }

    /// The last step, or `None` at the root.
    pub fn last(&self) -> Option<Segment<'a>> {
        self.step.map(|(_, segment)| segment)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((parent, segment)) = self.step else {
            return Ok(());
        };
        if !parent.is_root() {
            write!(f, "{parent}.")?;
        }
        match segment {
            Segment::Field(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "{index}"),
        }
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}
