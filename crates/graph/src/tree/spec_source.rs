//! Sources of specs: named tensors such as a checkpoint's.

use crate::{DType, Dims, Mismatch, Path, Problem, Spec, nearest_name};
use std::{cell::RefCell, collections::BTreeMap};

/// Named tensors whose specs can be looked up by path, such as a part of a checkpoint.
pub trait SpecSource {
    /// The spec of the tensor at `path`, or `None` when there is none.
    fn spec(&self, path: &str) -> Option<Spec>;

    /// The path segments that follow `path` in tensor names, each once, in any order; `""` is the
    /// root.
    fn children(&self, path: &str) -> Vec<String>;

    /// Whether there is a tensor at `path` or below it.
    fn contains(&self, path: &str) -> bool {
        self.spec(path).is_some() || !self.children(path).is_empty()
    }

    /// The source, for error messages: `` `mnist.safetensors` ``.
    fn origin(&self) -> String;

    /// The full name of the tensor at `path`, for error messages.
    fn full_name(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// Specs listed by name.
impl SpecSource for BTreeMap<String, Spec> {
    fn spec(&self, path: &str) -> Option<Spec> {
        self.get(path).cloned()
    }

    fn children(&self, path: &str) -> Vec<String> {
        let below = self.keys().filter_map(|name| match path {
            "" => Some(name.as_str()),
            _ => name.strip_prefix(path)?.strip_prefix('.'),
        });
        let mut children: Vec<String> =
            below.map(|rest| rest.split('.').next().unwrap_or(rest).to_owned()).collect();
        children.sort();
        children.dedup();
        children
    }

    fn origin(&self) -> String {
        "the list of specs".to_owned()
    }
}

/// Reads a tree of specs from a source and collects missing or ill-shaped tensors.
pub struct SpecReader<'a> {
    source: &'a dyn SpecSource,
    problems: RefCell<Vec<(String, Problem)>>,
}

impl<'a> SpecReader<'a> {
    /// A reader of `source` without problems so far.
    pub fn new(source: &'a dyn SpecSource) -> SpecReader<'a> {
        SpecReader { source, problems: RefCell::default() }
    }

    /// The spec of the tensor at `path`, with the axis names `axes` if given. Records a problem if
    /// the tensor is missing or has another rank.
    pub fn leaf(&self, path: &Path<'_>, axes: Option<&[&str]>) -> Spec {
        let name = path.to_string();
        let Some(spec) = self.source.spec(&name) else {
            self.missing(path);
            return Spec::scalar(DType::F32);
        };
        let Some(axes) = axes else { return spec };
        let shape = spec.shape();
        let named = (axes.len() == shape.rank()).then(|| {
            let names = axes.iter().map(|&axis| (axis != "_").then(|| axis.into()));
            Dims::new(names.zip(shape.sizes().iter().copied()))
        });
        match named {
            Some(Ok(dims)) => Spec::of(shape.with_dims(dims)),
            _ => {
                let expected = format!("the axes ({})", axes.join(", "));
                let found = shape.to_string();
                self.note(path, Problem::IllShaped { expected, found });
                spec
            }
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

    /// Records that the tensor at `path` is missing.
    pub fn missing(&self, path: &Path<'_>) {
        let name = path.to_string();
        let note = self.nearest(&name);
        self.note(path, Problem::Missing { note });
    }

    /// What the source has at the point where the path diverges.
    fn nearest(&self, name: &str) -> String {
        let mut parent = name;
        loop {
            parent = parent.rsplit_once('.').map_or("", |(parent, _)| parent);
            let mut children = self.source.children(parent);
            if children.is_empty() {
                if parent.is_empty() {
                    return String::new();
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
            let place = match self.source.full_name(parent) {
                root if root.is_empty() => String::new(),
                place => format!(" under `{}`", place.escape_debug()),
            };
            return format!("there is {}{more}{place}", listed.join(", "));
        }
    }

    /// Records a problem of the tensor at `path`.
    pub fn note(&self, path: &Path<'_>, problem: Problem) {
        let name = self.source.full_name(&path.to_string());
        self.problems.borrow_mut().push((name, problem));
    }

    /// `tree`, unless a problem was recorded.
    ///
    /// # Errors
    /// All tensors that are missing or ill-shaped.
    pub fn finish<T>(self, tree: T) -> Result<T, Mismatch> {
        let problems = self.problems.into_inner();
        match problems.is_empty() {
            true => Ok(tree),
            false => Err(Mismatch { origin: self.source.origin(), problems }),
        }
    }
}
