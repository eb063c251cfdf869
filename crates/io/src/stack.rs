//! Stacks: leaves that consist of several tensors of a checkpoint.
//!
//! Checkpoints of mixtures of experts have a tensor for each expert, `experts.0.w1.weight`,
//! `experts.1.w1.weight`, while programs take one tensor with an axis of experts. Its leaf has the
//! path `experts.*.w1.weight`.

use crate::View;
use hloom_graph::{Dims, Spec};

/// The path of a stacked leaf. One of its segments is `*`; the paths of the tensors to stack have
/// 0, 1, 2... instead.
#[derive(Clone, Copy)]
pub struct StackPath<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> StackPath<'a> {
    /// Parses the path of a stack; `None` unless exactly one segment is `*`.
    pub fn of(path: &'a str) -> Option<StackPath<'a>> {
        let mut at = 0;
        let starts = path.split('.').filter_map(|segment| {
            let start = at;
            at += segment.len() + 1;
            (segment == "*").then_some(start)
        });
        let starts: Vec<usize> = starts.collect();
        match starts[..] {
            [start] => Some(StackPath { before: &path[..start], after: &path[start + 1..] }),
            _ => None,
        }
    }

    /// The path of a tensor of the stack.
    pub fn part(self, index: usize) -> String {
        format!("{}{index}{}", self.before, self.after)
    }

    /// The paths of the tensors that `view` has for the stack: of consecutive indices from 0.
    pub fn parts(self, view: &View) -> impl Iterator<Item = String> {
        let parts = (0..).map(move |index| self.part(index));
        parts.take_while(|part| view.checkpoint().shape(&view.name_of(part)).is_some())
    }

    /// The spec of the stack of those tensors, with the sizes and the element type of the first;
    /// `None` if there are none.
    #[track_caller]
    pub fn spec(self, view: &View) -> Option<Spec> {
        let first = view.checkpoint().shape(&view.name_of(&self.part(0)))?;
        let count = self.parts(view).count();
        let axes = first.names().iter().copied().zip(first.sizes().iter().copied());
        let axes = Dims::new([(None, count)].into_iter().chain(axes));
        Some(Spec::new(first.dtype(), axes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_whole_segment_is_a_star() {
        let part = |path| StackPath::of(path).map(|stack| stack.part(12));
        assert_eq!(part("experts.*.w1.weight").as_deref(), Some("experts.12.w1.weight"));
        assert_eq!(part("*.w").as_deref(), Some("12.w"));
        assert_eq!(part("w.*").as_deref(), Some("w.12"));
        assert_eq!(part("*").as_deref(), Some("12"));
        for path in ["", "w", "w*.x", "a.*.b.*", "**"] {
            assert_eq!(part(path), None, "{path}");
        }
    }
}
