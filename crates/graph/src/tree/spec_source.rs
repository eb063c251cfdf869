//! Sources of specs: named tensors such as a checkpoint's.

use crate::Spec;
use std::collections::BTreeMap;

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

    /// The source that this one is a part of, and the path of the part, for error messages about a
    /// part that has no tensors.
    fn whole(&self) -> Option<(Box<dyn SpecSource + '_>, String)> {
        None
    }

    /// The full name of the tensor at `path`, for error messages.
    fn full_name(&self, path: &str) -> String {
        path.to_owned()
    }

    /// One reason why all tensors of these full names are missing, for error messages, such as a
    /// prefix of all names in the source.
    fn reason(&self, missing: &[&str]) -> Option<String> {
        let _ = missing;
        None
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
