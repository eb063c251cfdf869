//! Partitions a tree by pattern rules.

use crate::{PartitionSpec, Spec, Tree};
use std::fmt;

/// Leaves that match no rule of [`shard_tree`].
#[derive(Clone, PartialEq, Eq)]

pub struct Unmatched {
    /// Their paths.
    pub paths: Vec<String>,
    /// The patterns of the rules.
    pub patterns: Vec<String>,
}

crate::debug_as_display!(Unmatched);

/// A tree of specs, each partitioned by the first rule whose pattern matches its path. In a pattern
/// `*` matches any text, including dots: `*.q_proj.weight` matches those of all layers, and `*`
/// matches every leaf.
///
/// # Errors
/// The leaves that match no rule; a last rule `("*", PartitionSpec::replicated())` matches them all.
/// An axis that a leaf does not have is reported when the tree is compiled for.
///
/// ```
/// use hloom_graph::{PartitionSpec, Spec, shard_tree};
///
/// let layers = vec![Spec::f32([("out", 8), ("in", 4)]); 2];
/// let (split, whole) = (PartitionSpec::shard("out", "model"), PartitionSpec::replicated());
/// let layers = shard_tree(layers, &[("0", split), ("*", whole)])?;
/// assert_eq!(layers[0].partition_spec(), split);
/// assert_eq!(layers[1].partition_spec(), whole);
/// # Ok::<(), hloom_graph::Unmatched>(())
/// ```
#[track_caller]
pub fn shard_tree<S>(specs: S, rules: &[(&str, PartitionSpec)]) -> Result<S, Unmatched>
where
    S: Tree<Leaf = Spec, With<Spec> = S>,
{
    let location = std::panic::Location::caller();
    let mut paths = Vec::new();
    let specs = specs.map(&mut |path, spec: Spec| {
        let path = path.to_string();
        match rules.iter().find(|(pattern, _)| matches(pattern, &path)) {
            Some((_, partition)) => spec.sharded_at(*partition, location),
            None => {
                paths.push(path);
                spec
            }
        }
    });
    match paths.is_empty() {
        true => Ok(specs),
        false => Err(Unmatched {
            paths,
            patterns: rules.iter().map(|(pattern, _)| (*pattern).to_owned()).collect(),
        }),
    }
}

/// Whether a text matches a pattern, in which each `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').map_or(("", rest), |(middle, last)| (middle, last));
    // The first match of each part leaves the most text for the parts after it.
    for part in middle.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, first) = (self.paths.len(), self.paths.iter().take(8));
        let named: Vec<String> = first.map(|path| format!("`{path}`")).collect();
        let patterns: Vec<String> =
            self.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
        let more = if count > 8 { format!(" and {} more", count - 8) } else { String::new() };
        write!(
            f,
            "no rule matches {}{more}; there are rules for {}",
            named.join(", "),
            patterns.join(", ")
        )
    }
}

impl std::error::Error for Unmatched {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("*", "", true),
            ("*.weight", "layers.0.q_proj.weight", true),
            ("*.q_proj.weight", "layers.0.k_proj.weight", false),
            ("layers.*.weight", "layers.weight", false),
            ("layers.*.mlp.*", "layers.10.mlp.up.weight", true),
            ("*b*b", "ab", false),
            ("*b*b", "abab", true),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn the_first_rule_wins_and_what_none_is_for_is_told() {
        let specs = vec![Spec::f32([4, 4]); 3];
        let rules = [
            ("1", PartitionSpec::shard(0, "x")),
            ("*1", PartitionSpec::shard(1, "x")),
            ("2", PartitionSpec::replicated()),
        ];
        let error = shard_tree(specs.clone(), &rules).unwrap_err();
        assert_eq!(error.to_string(), "no rule matches `0`; there are rules for `1`, `*1`, `2`");
        let specs = shard_tree(specs, &[rules[0], ("*", PartitionSpec::replicated())]).unwrap();
        assert_eq!(specs[1].partition_spec(), PartitionSpec::shard(0, "x"));
    }
}
