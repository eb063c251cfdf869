//! Stacks: leaves that consist of several tensors of a checkpoint.
//!
//! Checkpoints of mixtures of experts have a tensor for each expert, `experts.0.w1.weight`,
//! `experts.1.w1.weight`, while programs take one tensor with an axis of experts. Its leaf has the
//! path `experts.*.w1.weight`.

use crate::View;
use hloom_graph::{DType, Dims, Spec};

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

    /// The spec of the stack of those tensors, with the sizes of the first and the element type
    /// that all floats convert to without loss; `None` if there are none.
    #[track_caller]
    pub fn spec(self, view: &View) -> Option<Spec> {
        let first = view.checkpoint().shape(&view.name_of(&self.part(0)))?;
        let (mut count, mut dtype) = (0, first.dtype());
        for part in self.parts(view) {
            count += 1;
            let shape = view.checkpoint().shape(&view.name_of(&part));
            dtype = shape.map_or(dtype, |shape| common(dtype, shape.dtype()));
        }
        let axes = first.names().iter().copied().zip(first.sizes().iter().copied());
        let axes = Dims::new([(None, count)].into_iter().chain(axes));
        Some(Spec::new(dtype, axes))
    }
}

/// The smallest type that tensors of two float types are loaded as without loss, of 16 bits or more
/// where they differ; the first type if one of them is not a float.
fn common(first: DType, second: DType) -> DType {
    if first == second || !first.is_float() || !second.is_float() {
        return first;
    }
    let (wide, narrow) =
        if first.bits() < second.bits() { (second, first) } else { (first, second) };
    match (wide, narrow) {
        (DType::F64 | DType::F32, _) => wide,
        (DType::BF16, DType::F16)
        | (DType::F16, DType::BF16)
        // Its exponents are those of `f32`.
        | (DType::F16, DType::F8E8M0FNU) => DType::F32,
        (DType::F16, _) => DType::F16,
        _ => DType::BF16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_stack_has_all_values_of_its_tensors() {
        use DType::*;
        for (first, second, expected) in [
            (BF16, BF16, BF16),
            (F8E4M3FN, F8E4M3FN, F8E4M3FN),
            (BF16, F32, F32),
            (F16, BF16, F32),
            (F32, F64, F64),
            (F8E4M3FN, F8E5M2, BF16),
            (F4E2M1FN, F8E4M3FN, BF16),
            (F8E5M2, F16, F16),
            (F8E8M0FNU, F16, F32),
            (F8E8M0FNU, BF16, BF16),
        ] {
            assert_eq!(common(first, second), expected, "{first} and {second}");
            assert_eq!(common(second, first), expected, "{second} and {first}");
        }
        assert_eq!(common(I8, BF16), I8);
        assert_eq!(common(BF16, I8), BF16);
    }

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
