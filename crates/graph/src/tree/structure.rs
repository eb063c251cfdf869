//! The structure of a tree, kept to be compared with that of other trees.

use crate::{Path, Tree};
use std::{any::Any, fmt, slice};

/// The structure of a tree apart from the leaves: which options are `Some`, the lengths of vectors,
/// the keys of maps, the variants of enums, and the values of the fields without leaves that can be
/// compared.
#[derive(Debug, Default)]
pub struct Structure {
    parts: Box<[TreePart]>,
}

/// The first difference between a kept structure and that of a tree.
#[derive(Clone, PartialEq, Eq)]
pub struct StructureMismatch {
    /// The path in the tree; empty at its root.
    pub path: String,
    /// The kept part, in words.
    pub expected: String,
    /// The tree's part, in words.
    pub found: String,
}

crate::debug_as_display!(StructureMismatch);

/// A walk over the structure of a tree, which records it or compares it with a kept one.
/// [`Tree::structure_at`] passes each part in the order of the leaves.
pub struct StructureWalk<'a> {
    /// The parts to compare with; none while recording and after a difference.
    kept: slice::Iter<'a, TreePart>,
    outcome: Outcome,
}

enum Outcome {
    Recorded(Vec<TreePart>),
    Compared(Option<Box<StructureMismatch>>),
}

#[derive(Debug)]
enum TreePart {
    Option(bool),
    Length(usize),
    Key(Box<str>),
    Variant(usize, &'static str),
    Leaf(Box<str>),
    Value(KeptValue),
}

/// A copy of the value of a field without leaves.
struct KeptValue {
    value: Box<dyn Any + Send + Sync>,
    describe: fn(&dyn Any) -> String,
}

impl Structure {
    /// The structure of a tree.
    pub fn of(tree: &impl Tree) -> Structure {
        let outcome = Outcome::Recorded(Vec::new());
        let mut walk = StructureWalk { kept: [].iter(), outcome };
        tree.structure_at(&Path::ROOT, &mut walk);
        match walk.outcome {
            Outcome::Recorded(parts) => Structure { parts: parts.into() },
            Outcome::Compared(_) => Structure::default(),
        }
    }

    /// Compares with the structure of a tree.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, tree: &impl Tree) -> Result<(), Box<StructureMismatch>> {
        let mut walk = StructureWalk { kept: self.parts.iter(), outcome: Outcome::Compared(None) };
        tree.structure_at(&Path::ROOT, &mut walk);
        if !walk.kept.as_slice().is_empty() {
            walk.differs(&Path::ROOT, "nothing more".into());
        }
        match walk.outcome {
            Outcome::Compared(Some(mismatch)) => Err(mismatch),
            _ => Ok(()),
        }
    }
}

impl StructureWalk<'_> {
    /// An optional tree at `path`.
    #[inline]
    pub fn option(&mut self, path: &Path<'_>, is_some: bool) {
        if !self.next_is(|part| matches!(part, TreePart::Option(kept) if *kept == is_some)) {
            self.add(path, TreePart::Option(is_some));
        }
    }

    /// A vector or a map with `length` trees at `path`.
    #[inline]
    pub fn length(&mut self, path: &Path<'_>, length: usize) {
        if !self.next_is(|part| matches!(part, TreePart::Length(kept) if *kept == length)) {
            self.add(path, TreePart::Length(length));
        }
    }

    /// The next key of the map at `path`.
    #[inline]
    pub fn key(&mut self, path: &Path<'_>, key: &str) {
        if !self.next_is(|part| matches!(part, TreePart::Key(kept) if **kept == *key)) {
            self.add(path, TreePart::Key(key.into()));
        }
    }

    /// A variant of the enum at `path`, by its index and name.
    #[inline]
    pub fn variant(&mut self, path: &Path<'_>, index: usize, name: &'static str) {
        if !self.next_is(|part| matches!(part, TreePart::Variant(kept, _) if *kept == index)) {
            self.add(path, TreePart::Variant(index, name));
        }
    }

    /// A leaf whose position in the tree does not follow from other parts.
    pub fn leaf(&mut self, path: &Path<'_>) {
        let name = path.to_string();
        if !self.next_is(|part| matches!(part, TreePart::Leaf(kept) if **kept == *name)) {
            self.add(path, TreePart::Leaf(name.into()));
        }
    }

    /// The value of a field without leaves.
    pub(super) fn value<T: Clone + Send + Sync + 'static>(
        &mut self,
        path: &Path<'_>,
        value: &T,
        is_same: fn(&T, &T) -> bool,
        describe: fn(&dyn Any) -> String,
    ) {
        let is_kept = |kept: &KeptValue| {
            kept.value.downcast_ref::<T>().is_some_and(|kept| is_same(kept, value))
        };
        if !self.next_is(|part| matches!(part, TreePart::Value(kept) if is_kept(kept))) {
            self.add(path, TreePart::Value(KeptValue { value: Box::new(value.clone()), describe }));
        }
    }

    /// Advances to the next kept part if the tree has the same part.
    #[inline]
    fn next_is(&mut self, is_same: impl FnOnce(&TreePart) -> bool) -> bool {
        let is_next = self.kept.as_slice().first().is_some_and(is_same);
        if is_next {
            self.kept.next();
        }
        is_next
    }

    /// Records a part of the tree, or the difference from the next kept one.
    #[cold]
    fn add(&mut self, path: &Path<'_>, part: TreePart) {
        match &mut self.outcome {
            Outcome::Recorded(parts) => parts.push(part),
            Outcome::Compared(_) => self.differs(path, part.to_string()),
        }
    }

    #[cold]
    fn differs(&mut self, path: &Path<'_>, found: String) {
        let Outcome::Compared(mismatch @ None) = &mut self.outcome else {
            return;
        };
        let expected = self.kept.next().map_or("nothing more".into(), TreePart::to_string);
        let expected =
            if expected == found { "the value at compile time".to_owned() } else { expected };
        *mismatch = Some(Box::new(StructureMismatch { path: path.to_string(), expected, found }));
        self.kept = [].iter();
    }
}

impl fmt::Display for TreePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreePart::Option(true) => f.write_str("`Some`"),
            TreePart::Option(false) => f.write_str("`None`"),
            TreePart::Length(1) => f.write_str("1 element"),
            TreePart::Length(length) => write!(f, "{length} elements"),
            TreePart::Key(key) => write!(f, "key `{}`", key.escape_debug()),
            TreePart::Variant(_, name) => write!(f, "variant `{name}`"),
            TreePart::Leaf(path) => write!(f, "leaf `{}`", path.escape_debug()),
            TreePart::Value(value) => f.write_str(&(value.describe)(&*value.value)),
        }
    }
}

impl fmt::Display for StructureMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StructureMismatch { path, expected, found } = self;
        let path = path.escape_debug();
        write!(f, "`{path}`: {expected} expected, {found} found")
    }
}

impl std::error::Error for StructureMismatch {}

impl fmt::Debug for KeptValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&(self.describe)(&*self.value))
    }
}
