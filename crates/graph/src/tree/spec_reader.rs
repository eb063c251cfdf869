//! The reader of a tree of specs from a source.

use super::axis_sizes::AxisSizes;
use crate::{
    DType, Dims, LeafProblem, Mismatch, Path, Segment, Shape, Spec, SpecSource, nearest_name,
};
use std::{cell::RefCell, collections::BTreeSet};

/// Reads a tree of specs from a source and collects missing or ill-shaped tensors.
pub struct SpecReader<'a> {
    source: &'a dyn SpecSource,
    problems: RefCell<Vec<(String, LeafProblem)>>,
    /// The sizes that axes must have.
    sizes: AxisSizes,
    /// Whether optional fields are present, by name; the last entry of a name applies.
    options: RefCell<Vec<(String, bool)>>,
}

impl<'a> SpecReader<'a> {
    /// A reader of `source` without problems so far.
    pub fn new(source: &'a dyn SpecSource) -> SpecReader<'a> {
        SpecReader {
            source,
            problems: RefCell::default(),
            sizes: AxisSizes::default(),
            options: RefCell::default(),
        }
    }

    /// The spec of the tensor at `path`, with the axis names `axes` if given. Records a problem if
    /// the tensor is missing or has another rank.
    pub fn leaf(&self, path: &Path<'_>, axes: Option<&[&str]>) -> Spec {
        let name = path.to_string();
        let Some(spec) = self.source.spec(&name) else {
            self.missing(path);
            return Spec::scalar(DType::F32);
        };
        let Some(axes) = axes else {
            self.check_sizes(path, &spec);
            return spec;
        };
        let shape = spec.shape();
        let named = (axes.len() == shape.rank()).then(|| {
            let names = axes.iter().map(|&axis| (axis != "_").then(|| axis.into()));
            Dims::new(names.zip(shape.sizes().iter().copied()))
        });
        match named {
            Some(Ok(dims)) => {
                let spec = Spec::of(shape.with_dims(dims));
                self.check_sizes(path, &spec);
                spec
            }
            _ => {
                let expected = format!("the axes ({})", axes.join(", "));
                let found = shape.to_string();
                self.note(path, LeafProblem::IllShaped { expected, found });
                spec
            }
        }
    }

    /// Calls `read`, which reads the field at `path`. The leaves at `path`, and those that are
    /// fields of the trees there, must have these sizes along the axes of these names, unless a
    /// nested call sets others.
    pub fn with_sizes<R>(
        &self,
        path: &Path<'_>,
        sizes: &[(&str, usize)],
        read: impl FnOnce() -> R,
    ) -> R {
        self.scoped_sizes(path, sizes, false, read)
    }

    /// As [`with_sizes`](Self::with_sizes), for all leaves at `path` or below it.
    pub fn with_all_sizes<R>(
        &self,
        path: &Path<'_>,
        sizes: &[(&str, usize)],
        read: impl FnOnce() -> R,
    ) -> R {
        self.scoped_sizes(path, sizes, true, read)
    }

    /// Calls `read`, which reads a tree in a field of another tree.
    pub fn inside<R>(&self, read: impl FnOnce() -> R) -> R {
        self.sizes.inside(read)
    }

    fn scoped_sizes<R>(
        &self,
        path: &Path<'_>,
        sizes: &[(&str, usize)],
        all: bool,
        read: impl FnOnce() -> R,
    ) -> R {
        let problems = self.problems.borrow().len();
        let (result, unused) = self.sizes.scoped(sizes, all, read);
        // Unused sizes are not reported if a tensor is missing or has another rank: the sizes may
        // be meant for it.
        if self.problems.borrow().len() == problems {
            unused.into_iter().for_each(|problem| self.note(path, problem));
        }
        result
    }

    /// Calls `read`, in which the optional fields of these names are present or not, unless a
    /// nested call sets others.
    pub fn with_options<R>(&self, options: &[(&str, bool)], read: impl FnOnce() -> R) -> R {
        scoped(&self.options, options, read)
    }

    /// Whether the optional tree at `path` is present: as set by
    /// [`with_options`](Self::with_options), otherwise if the source has it.
    pub fn option(&self, path: &Path<'_>) -> bool {
        let options = self.options.borrow();
        let set = match path.last() {
            Some(Segment::Field(field)) => options.iter().rev().find(|(name, _)| name == field),
            _ => None,
        };
        set.map_or_else(|| self.contains(path), |(_, is_there)| *is_there)
    }

    /// Records a problem if an axis has another size than it must have.
    fn check_sizes(&self, path: &Path<'_>, spec: &Spec) {
        let shape = spec.shape();
        let (expected, wrong) = self.sizes.expected(path, &shape);
        if !wrong.is_empty() {
            let dims = shape.names().iter().copied().zip(expected.iter().copied());
            let expected = match Shape::new(shape.dtype(), Dims::new(dims)) {
                Ok(shape) => shape.to_string(),
                // The shape has more elements than a tensor can have.
                Err(_) => format!("the sizes {expected:?}"),
            };
            let found = format!("{shape} ({} expects otherwise)", wrong.join(", "));
            self.note(path, LeafProblem::IllShaped { expected, found });
        }
    }

    /// Whether there is a tensor at `path` or below it.
    pub fn contains(&self, path: &Path<'_>) -> bool {
        self.source.contains(&path.to_string())
    }

    /// The path segments that follow `path` in tensor names.
    pub fn children(&self, path: &Path<'_>) -> Vec<String> {
        self.source.children(&path.to_string())
    }

    /// The elements at `path`: as many as there are consecutive indices from 0, or exactly `count`;
    /// further ones are not read. Records missing elements.
    pub fn list<A>(
        &self,
        path: &Path<'_>,
        count: Option<usize>,
        mut read: impl FnMut(&Path<'_>) -> A,
    ) -> Vec<A> {
        let segments = self.children(path);
        let indices: BTreeSet<usize> =
            segments.iter().filter_map(|segment| segment.parse().ok()).collect();
        let found =
            indices.iter().zip(0..).take_while(|(found, expected)| **found == *expected).count();
        let is_missing = match count {
            Some(count) => found < count,
            None => found == 0 || found < indices.len(),
        };
        if is_missing {
            self.missing(&path.index(found));
        }
        // Never reads more than exist: a configuration may ask for any number.
        (0..found.min(count.unwrap_or(found))).map(|i| read(&path.index(i))).collect()
    }

    /// Records that the tensor at `path` is missing.
    pub fn missing(&self, path: &Path<'_>) {
        let name = path.to_string();
        let note = nearest(self.source, &name);
        self.note(path, LeafProblem::Missing { note });
    }

    /// Records a problem of the tensor at `path`.
    pub fn note(&self, path: &Path<'_>, problem: LeafProblem) {
        let name = self.source.full_name(&path.to_string());
        self.problems.borrow_mut().push((name, problem));
    }

    /// `tree`, unless a problem was recorded.
    ///
    /// # Errors
    /// All tensors that are missing or ill-shaped.
    pub fn finish<T>(self, tree: T) -> Result<T, Mismatch> {
        let problems = self.problems.into_inner();
        if problems.is_empty() {
            Ok(tree)
        } else {
            let has = |wrong: fn(&LeafProblem) -> bool| problems.iter().any(|(_, p)| wrong(p));
            let is_shape = has(|problem| matches!(problem, LeafProblem::IllShaped { .. }));
            let missing = problems.iter().filter_map(|(name, problem)| {
                matches!(problem, LeafProblem::Missing { .. }).then_some(name.as_str())
            });
            let missing: Vec<&str> = missing.collect();
            let explained = !is_shape && !missing.is_empty();
            let reason = explained.then(|| self.source.reason(&missing)).flatten();
            Err(Mismatch { origin: self.source.origin(), problems, reason })
        }
    }
}

/// Calls `read` with `more` at the end of the list.
fn scoped<T: Copy, R>(
    list: &RefCell<Vec<(String, T)>>,
    more: &[(&str, T)],
    read: impl FnOnce() -> R,
) -> R {
    let before = list.borrow().len();
    list.borrow_mut().extend(more.iter().map(|&(name, value)| (name.to_owned(), value)));
    let result = read();
    list.borrow_mut().truncate(before);
    result
}

/// The names in the source at the point where the path diverges from them.
fn nearest(source: &dyn SpecSource, name: &str) -> String {
    let mut parent = name;
    loop {
        parent = parent.rsplit_once('.').map_or("", |(parent, _)| parent);
        let mut children = source.children(parent);
        if children.is_empty() {
            if parent.is_empty() {
                return match source.whole() {
                    Some((whole, part)) => nearest(&*whole, &format!("{part}.{name}")),
                    None => String::new(),
                };
            }
            continue;
        }
        children.sort();
        let below = name[parent.len()..].trim_start_matches('.');
        let wrong = below.split('.').next().unwrap_or(below);
        // The name that was probably meant comes first.
        let meant = nearest_name(wrong, children.iter().map(String::as_str));
        if let Some(at) = meant.and_then(|meant| children.iter().position(|c| c == meant)) {
            children[..=at].rotate_right(1);
        }
        let more = children.len().saturating_sub(6);
        children.truncate(6);
        let listed: Vec<String> =
            children.iter().map(|child| format!("`{}`", child.escape_debug())).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let place = match source.full_name(parent) {
            root if root.is_empty() => String::new(),
            place => format!(" under `{}`", place.escape_debug()),
        };
        return format!("there is {}{more}{place}", listed.join(", "));
    }
}
