//! Mismatches between a tree and a set of named tensors.

use std::fmt;

/// The problem of one tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LeafProblem {
    /// The tree has a leaf without a tensor.
    Missing {
        /// A description of similar tensors; empty if there are none.
        note: String,
    },
    /// A tensor without a leaf.
    Unused {
        /// A description of similar leaves of the tree; empty if there are none.
        note: String,
    },
    /// The tensor has another shape or element type than the leaf.
    IllShaped {
        /// A description of the expected tensor.
        expected: String,
        /// A description of the tensor found.
        found: String,
    },
}

/// All mismatches between a tree and its source, such as a checkpoint: missing, unused and
/// ill-shaped tensors, by path.
#[derive(Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The source of the tensors, such as the checkpoint's file.
    pub origin: String,
    /// Full tensor names and their problems, in the order of the tree.
    pub problems: Vec<(String, LeafProblem)>,
    /// One reason for all missing tensors, in words, which is printed instead of them.
    pub reason: Option<String>,
}

crate::debug_as_display!(Mismatch);

/// The maximum number of lines that are printed; further ones are counted.
const PRINTED: usize = 20;

impl fmt::Display for LeafProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeafProblem::Missing { note } if note.is_empty() => f.write_str("missing"),
            LeafProblem::Missing { note } => write!(f, "missing; {note}"),
            LeafProblem::Unused { note } if note.is_empty() => f.write_str("not used by the tree"),
            LeafProblem::Unused { note } => write!(f, "not used by the tree; {note}"),
            LeafProblem::IllShaped { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        let (tensors, fit) = if count == 1 { ("tensor", "does") } else { ("tensors", "do") };
        write!(f, "{count} {tensors} of {} {fit} not fit the tree", self.origin)?;
        if let Some(reason) = &self.reason {
            return write!(f, ": {reason}");
        }
        for (name, problem) in self.problems.iter().take(PRINTED) {
            write!(f, "\n  {}: {problem}", name.escape_debug())?;
        }
        if count > PRINTED {
            write!(f, "\n  and {} more", count - PRINTED)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mismatch {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_a_line() {
        let mismatch = Mismatch {
            origin: "`a.safetensors`".into(),
            problems: vec![
                ("fc1.weight".into(), LeafProblem::Missing { note: "there are `w`".into() }),
                ("fc2\u{1b}[1m".into(), LeafProblem::Unused { note: String::new() }),
                (
                    "fc3".into(),
                    LeafProblem::IllShaped { expected: "f32[2]".into(), found: "f32[3]".into() },
                ),
            ],
            reason: None,
        };
        let expected = "3 tensors of `a.safetensors` do not fit the tree\
            \n  fc1.weight: missing; there are `w`\
            \n  fc2\\u{1b}[1m: not used by the tree\
            \n  fc3: expected f32[2], found f32[3]";
        assert_eq!(mismatch.to_string(), expected);
    }

    #[test]
    fn long_lists_are_counted() {
        let problems = (0..25)
            .map(|i| (format!("w{i}"), LeafProblem::Unused { note: String::new() }))
            .collect();
        let mut mismatch = Mismatch { origin: "`a`".into(), problems, reason: None };
        let text = mismatch.to_string();
        assert_eq!(text.lines().count(), 22);
        assert!(text.ends_with("\n  w19: not used by the tree\n  and 5 more"), "{text}");
        mismatch.reason = Some("each is below `b`".into());
        assert_eq!(
            mismatch.to_string(),
            "25 tensors of `a` do not fit the tree: each is below `b`"
        );
    }
}
