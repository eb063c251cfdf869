//! A part of a checkpoint.

use crate::{Checkpoint, Result, TensorView, stack::StackPath, wrapped_names};
use hloom_graph::{Leaf, Path, Spec, SpecReader, SpecSource, Tree};
use std::{collections::BTreeSet, fmt};

/// A part of a checkpoint: the tensors whose names begin with a path. Trees of specs are read and
/// loaded from it.
///
/// A leaf whose path has a segment `*` is read and loaded as a stack: all tensors whose paths have
/// the indices from 0 instead of the star, along a new first axis. Where these are floats of several
/// types, the leaf has one that they convert to without loss. So a mixture of experts is one leaf,
/// although the checkpoint has a tensor for each expert:
///
/// ```no_run
/// use hloom_graph::{Spec, Tensor, Tree};
/// use hloom_io::Checkpoint;
///
/// #[derive(Tree)]
/// struct Experts<T = Tensor> {
///     /// Of `experts.0.w1.weight`, `experts.1.w1.weight` and so on.
///     #[axes(expert, out, in)]
///     #[tree(rename = "experts.*.w1.weight")]
///     w1: T,
/// }
///
/// let weights = Checkpoint::open("model.safetensors")?;
/// let spec: Experts<Spec> = Experts::spec(&weights.at("model.layers.0.block_sparse_moe"))?;
/// # Ok::<(), hloom_io::Error>(())
/// ```
#[derive(Clone)]
pub struct View {
    checkpoint: Checkpoint,
    prefix: String,
}

impl View {
    pub(crate) fn new(checkpoint: Checkpoint, prefix: &str) -> View {
        View { checkpoint, prefix: prefix.to_owned() }
    }

    /// The part below a path of this part.
    pub fn at(&self, path: &str) -> View {
        View::new(self.checkpoint.clone(), &self.name_of(path))
    }

    /// The checkpoint that this is a part of.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The tensor at a path of this part.
    ///
    /// # Errors
    /// There is no such tensor; the error lists similar names.
    pub fn tensor(&self, path: &str) -> Result<TensorView> {
        match self.get(path) {
            Some(tensor) => Ok(tensor),
            None => {
                let reader = SpecReader::new(self);
                reader.missing(&Path::ROOT.field(path));
                Err(reader.finish(()).expect_err("what is missing was just noted").into())
            }
        }
    }

    /// The paths of the tensors in this part, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let start = match self.prefix.as_str() {
            "" => String::new(),
            prefix => format!("{prefix}."),
        };
        let names = self.checkpoint.names_from(&start);
        names.map_while(move |name| name.strip_prefix(&start))
    }

    /// The full names of the tensors in this part that `tree` has no leaf for. The leaf of a stack
    /// covers all tensors of the stack.
    pub fn unused<A: Tree>(&self, tree: &A) -> Vec<String>
    where
        A::Leaf: Leaf,
    {
        let mut used: BTreeSet<String> = tree.paths().into_iter().collect();
        let stacks = used.iter().filter_map(|path| StackPath::of(path));
        let parts: Vec<String> = stacks.flat_map(|stack| stack.parts(self)).collect();
        used.extend(parts);
        let unused = self.names().filter(|name| !used.contains(*name));
        unused.map(|name| self.name_of(name)).collect()
    }

    /// The tensor at a path of this part, if there is one.
    pub(crate) fn get(&self, path: &str) -> Option<TensorView> {
        self.checkpoint.get(&self.name_of(path))
    }

    /// The full name of the tensor at a path of this part.
    pub(crate) fn name_of(&self, path: &str) -> String {
        match (self.prefix.as_str(), path) {
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        }
    }
}

impl SpecSource for View {
    fn spec(&self, path: &str) -> Option<Spec> {
        match self.checkpoint.shape(&self.name_of(path)) {
            Some(shape) => Some(Spec::of(shape)),
            None => StackPath::of(path)?.spec(self),
        }
    }

    fn children(&self, path: &str) -> Vec<String> {
        let below = self.at(path);
        let mut children: Vec<String> = Vec::new();
        for name in below.names() {
            let child = name.split('.').next().unwrap_or(name);
            if children.last().is_none_or(|last| last != child) {
                children.push(child.to_owned());
            }
        }
        // Names such as `a-b` sort between `a` and `a.c`.
        children.sort();
        children.dedup();
        children
    }

    fn contains(&self, path: &str) -> bool {
        self.spec(path).is_some() || self.at(path).names().next().is_some()
    }

    fn origin(&self) -> String {
        format!("`{}`", self.checkpoint.path().display())
    }

    fn whole(&self) -> Option<(Box<dyn SpecSource + '_>, String)> {
        if self.prefix.is_empty() {
            return None;
        }
        Some((Box::new(self.checkpoint.root()), self.prefix.clone()))
    }

    fn full_name(&self, path: &str) -> String {
        self.name_of(path)
    }

    fn reason(&self, missing: &[&str]) -> Option<String> {
        let start = self.name_of("");
        let path = |name: &&'_ str| match start.as_str() {
            "" => Some((*name).to_owned()),
            start => Some(name.strip_prefix(start)?.strip_prefix('.')?.to_owned()),
        };
        let paths: Vec<String> = missing.iter().map(path).collect::<Option<_>>()?;
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        wrapped_names::hint(self.names(), &paths)
    }
}

/// The whole checkpoint, as its [root](Checkpoint::root).
impl SpecSource for Checkpoint {
    fn spec(&self, path: &str) -> Option<Spec> {
        self.root().spec(path)
    }

    fn children(&self, path: &str) -> Vec<String> {
        self.root().children(path)
    }

    fn contains(&self, path: &str) -> bool {
        self.root().contains(path)
    }

    fn origin(&self) -> String {
        self.root().origin()
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({:?} of {:?})", self.prefix, self.checkpoint)
    }
}
