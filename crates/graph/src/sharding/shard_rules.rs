//! Partitions a tree by pattern rules.

use crate::{PartitionSpec, Spec, Tree, path_matches};
use std::fmt;

/// Leaves that match no rule of [`shard_tree`].
#[derive(Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The paths of the leaves.
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
/// The leaves that match no rule; a last rule `("*", PartitionSpec::replicated())` matches them
/// all. An axis that a leaf does not have is reported when the tree is compiled for.
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
        match rules.iter().find(|(pattern, _)| path_matches(pattern, &path)) {
            Some((_, partition)) => spec.sharded_at(*partition, location),
            None => {
                paths.push(path);
                spec
            }
        }
    });
    if paths.is_empty() {
        Ok(specs)
    } else {
        Err(Unmatched {
            paths,
            patterns: rules.iter().map(|(pattern, _)| (*pattern).to_owned()).collect(),
        })
    }
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
