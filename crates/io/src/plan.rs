//! Load plans: the tensors of a tree to read, convert and copy.

use crate::{
    View,
    planned_tensor::{PlannedPart, PlannedTensor, expected},
    stack::StackPath,
};
use hloom_graph::{
    Dims, LeafProblem, Mismatch, Path, Shape, Spec, SpecReader, Tree, nearest_name, path_matches,
};
use std::collections::BTreeSet;

/// The tensors of a tree, each with the range of its bytes and their conversion, in the tree's
/// order.
#[derive(Debug)]
pub struct LoadPlan {
    /// The tensors, in the tree's order.
    pub tensors: Vec<PlannedTensor>,
}

/// Finds the tensors of leaves.
struct Planner<'a> {
    view: &'a View,
    reader: SpecReader<'a>,
    tensors: Vec<PlannedTensor>,
    used: BTreeSet<String>,
}

/// Whether tensors that a tree has no leaf for are an error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Unused {
    /// Unused tensors are ignored.
    Allowed,
    /// Unused tensors are an error.
    #[default]
    Refused,
    /// Unused tensors are an error, except those whose full name matches a pattern, in which `*`
    /// matches any text.
    RefusedExcept(Vec<String>),
}

impl Unused {
    /// Whether a tensor of this name without a leaf is accepted.
    fn accepts(&self, name: &str) -> bool {
        match self {
            Unused::Allowed => true,
            Unused::Refused => false,
            Unused::RefusedExcept(patterns) => {
                patterns.iter().any(|pattern| path_matches(pattern, name))
            }
        }
    }
}

/// The maximum number of unused tensors that are compared with leaves for a hint, and of missing
/// tensors of a stack that are reported: an error prints no more.
const HINTS: usize = 20;

impl LoadPlan {
    /// Finds the tensor of every leaf of `tree` in `view`. The leaf's spec defines the result: the
    /// sizes must be the file's; floats of another type are converted (to 16 bits or more).
    ///
    /// A leaf whose path has a segment `*`, such as `experts.*.w1.weight`, is a stack along its
    /// first axis of the tensors whose paths have the indices from 0 instead of the star. If the
    /// view has a tensor with exactly this path, the leaf is that tensor.
    ///
    /// # Errors
    /// All tensors that are missing, of other sizes or of a type that is not converted, and those
    /// that are unused, unless `unused` accepts them.
    pub fn new<A: Tree<Leaf = Spec>>(
        view: &View,
        tree: &A,
        unused: &Unused,
    ) -> Result<LoadPlan, Mismatch> {
        let reader = SpecReader::new(view);
        let mut planner = Planner { view, reader, tensors: Vec::new(), used: BTreeSet::new() };
        tree.visit(&mut |path, spec| planner.leaf(path, spec));
        let Planner { reader, tensors, used, .. } = planner;
        let refused = view.names().filter(|path| !used.contains(*path));
        let refused = refused.filter(|path| !unused.accepts(&view.name_of(path)));
        let leaves = tree.paths();
        for (i, path) in refused.enumerate() {
            let nearest = if i < HINTS {
                nearest_name(path, leaves.iter().map(String::as_str))
            } else {
                None
            };
            let note = nearest.map_or(String::new(), |leaf| format!("it has `{leaf}`"));
            reader.note(&Path::ROOT.field(path), LeafProblem::Unused { note });
        }
        reader.finish(LoadPlan { tensors })
    }

    /// The size of the tensors in the files, in bytes.
    pub fn byte_size(&self) -> u64 {
        self.tensors.iter().map(|tensor| tensor.file_size() as u64).sum()
    }
}

impl Planner<'_> {
    /// Plans a leaf, or records its problems.
    fn leaf(&mut self, path: &Path<'_>, spec: &Spec) {
        let text = path.to_string();
        let parts = match StackPath::of(&text).filter(|_| self.view.get(&text).is_none()) {
            Some(stack) => self.stack(path, stack, spec),
            None => self.part(path, &spec.shape(), spec).map(|part| vec![part]),
        };
        if let Some(parts) = parts {
            self.tensors.push(PlannedTensor::new(self.view.name_of(&text), parts, spec));
        }
        self.used.insert(text);
    }

    /// The tensors of a stack.
    fn stack(
        &mut self,
        path: &Path<'_>,
        stack: StackPath<'_>,
        spec: &Spec,
    ) -> Option<Vec<PlannedPart>> {
        let shape = spec.shape();
        let axes = shape.names().iter().copied().zip(shape.sizes().iter().copied());
        let dims = Dims::new(axes.skip(1)).ok().filter(|_| spec.error().is_none());
        let (Some(&count), Some(dims)) = (shape.sizes().first(), dims) else {
            let expected = expected(spec);
            let found = "a stack of tensors".to_owned();
            self.reader.note(path, LeafProblem::IllShaped { expected, found });
            return None;
        };
        let (part_shape, mut parts, mut missing) = (shape.with_dims(dims), Vec::new(), 0);
        let mut index = 0;
        // A configuration may request any number of tensors.
        while index < count && missing < HINTS {
            let part = stack.part(index);
            missing += usize::from(self.view.get(&part).is_none());
            parts.push(self.part(&Path::ROOT.field(&part), &part_shape, spec));
            self.used.insert(part);
            index += 1;
        }
        parts.into_iter().collect()
    }

    /// The tensor at a path, which must have this shape.
    fn part(&self, path: &Path<'_>, shape: &Shape, spec: &Spec) -> Option<PlannedPart> {
        let Some(source) = self.view.get(&path.to_string()) else {
            self.reader.missing(path);
            return None;
        };
        let planned = PlannedPart::new(source, shape, spec);
        planned.map_err(|problem| self.reader.note(path, problem)).ok()
    }
}
