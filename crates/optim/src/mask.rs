//! Sets of leaves, by their paths.

use hloom_graph::path_matches;

/// A set of leaves by patterns of their paths, in which `*` matches any text, including dots. If
/// several patterns match a path, the last one decides.
///
/// ```
/// use hloom_optim::Mask;
///
/// let decayed = Mask::all().without("*bias").without("*norm*").with("output_norm.scale");
/// assert!(decayed.contains("layers.0.fc1.weight"));
/// assert!(!decayed.contains("layers.0.fc1.bias"));
/// assert!(!decayed.contains("layers.0.norm.scale"));
/// assert!(decayed.contains("output_norm.scale"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    otherwise: bool,
    rules: Vec<(String, bool)>,
}

impl Mask {
    /// All leaves.
    pub fn all() -> Mask {
        Mask { otherwise: true, rules: Vec::new() }
    }

    /// No leaves.
    pub fn none() -> Mask {
        Mask { otherwise: false, rules: Vec::new() }
    }

    /// Adds the leaves whose paths match a pattern.
    pub fn with(mut self, pattern: impl Into<String>) -> Mask {
        self.rules.push((pattern.into(), true));
        self
    }

    /// Removes the leaves whose paths match a pattern.
    pub fn without(mut self, pattern: impl Into<String>) -> Mask {
        self.rules.push((pattern.into(), false));
        self
    }

    /// Whether the leaf with this path is in the set.
    pub fn contains(&self, path: &str) -> bool {
        let last = self.rules.iter().rev().find(|(pattern, _)| path_matches(pattern, path));
        last.map_or(self.otherwise, |&(_, is_in)| is_in)
    }
}
