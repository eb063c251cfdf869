//! Axis sizes that the fields of a tree demand, while its specs are read.

use crate::{LeafProblem, Name, Path, Shape};
use std::cell::{Cell, RefCell};

/// The sizes that apply at the current position of the reader.
#[derive(Default)]
pub(super) struct AxisSizes {
    /// For each name, the last demand that reaches the current depth applies.
    demands: RefCell<Vec<Demand>>,
    /// The number of trees around the current one.
    depth: Cell<usize>,
    /// The number of leaves read so far.
    leaves: Cell<usize>,
}

/// A size that one field demands.
struct Demand {
    axis: String,
    size: usize,
    /// The greatest depth of the leaves that it applies to; `None` for any.
    reach: Option<usize>,
    /// Whether a leaf that it applies to has the axis.
    is_used: bool,
    /// The first leaf with the axis at a depth that the demand does not reach.
    out_of_reach: Option<String>,
}

impl Demand {
    /// The attribute, as the user wrote it.
    fn attribute(&self) -> String {
        let name = if self.reach.is_some() { "sizes" } else { "all_sizes" };
        format!("`{name}({} = {})`", self.axis, self.size)
    }

    /// The problem of a demand that applies to no leaf.
    fn unused(self) -> LeafProblem {
        let expected = format!("a tensor with the axis `{}`, by {}", self.axis, self.attribute());
        let found = match self.out_of_reach {
            Some(leaf) => format!(
                "it only further inside, as in `{leaf}`: set `sizes` at the field of that tree, or \
                 `all_sizes` here"
            ),
            None => "none".to_owned(),
        };
        LeafProblem::IllShaped { expected, found }
    }
}

impl AxisSizes {
    /// Calls `read`, in which axes have these sizes: in all leaves, or in those of the current tree
    /// and of the trees in its fields. Also returns the problems of sizes that no leaf has an axis
    /// for, if there were leaves.
    pub(super) fn scoped<R>(
        &self,
        sizes: &[(&str, usize)],
        all: bool,
        read: impl FnOnce() -> R,
    ) -> (R, Vec<LeafProblem>) {
        let reach = (!all).then(|| self.depth.get() + 1);
        let before = self.demands.borrow().len();
        self.demands.borrow_mut().extend(sizes.iter().map(|&(axis, size)| Demand {
            axis: axis.to_owned(),
            size,
            reach,
            is_used: false,
            out_of_reach: None,
        }));
        let leaves = self.leaves.get();
        let result = read();
        let ended = self.demands.borrow_mut().split_off(before);
        let mut unused = Vec::new();
        if self.leaves.get() > leaves {
            unused.extend(ended.into_iter().filter(|demand| !demand.is_used).map(Demand::unused));
        }
        (result, unused)
    }

    /// Calls `read`, which reads a tree in a field of the current one.
    pub(super) fn inside<R>(&self, read: impl FnOnce() -> R) -> R {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let result = read();
        self.depth.set(depth);
        result
    }

    /// The sizes that a leaf of this shape must have, and the attributes that it does not fulfil.
    pub(super) fn expected(&self, path: &Path<'_>, shape: &Shape) -> (Vec<usize>, Vec<String>) {
        self.leaves.set(self.leaves.get() + 1);
        let mut demands = self.demands.borrow_mut();
        let mut wrong = Vec::new();
        let mut expected = |name: Option<Name>, found: usize| {
            let Some(name) = name else { return found };
            let mut size = None;
            for demand in demands.iter_mut().rev().filter(|demand| demand.axis == name.as_str()) {
                if demand.reach.is_some_and(|reach| reach < self.depth.get()) {
                    demand.out_of_reach.get_or_insert_with(|| path.to_string());
                    continue;
                }
                // A demand that a field further inside replaces counts as used as well.
                demand.is_used = true;
                if size.is_none() {
                    size = Some(demand.size);
                    if demand.size != found {
                        wrong.push(demand.attribute());
                    }
                }
            }
            size.unwrap_or(found)
        };
        let axes = shape.names().iter().copied().zip(shape.sizes().iter().copied());
        let sizes = axes.map(|(name, found)| expected(name, found)).collect();
        (sizes, wrong)
    }
}
