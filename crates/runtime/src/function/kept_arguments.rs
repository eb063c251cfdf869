//! Structures of the arguments that an executable was compiled for.

use super::trace::argument_name;
use crate::{Buffer, CallProblem};
use hloom_graph::{Path, Structure, StructureMismatch};
use std::collections::{BTreeMap, BTreeSet};

/// The structures of the arguments that an executable was compiled for, which a call compares
/// with those of its trees.
pub(crate) struct KeptArguments {
    pub structures: Box<[Structure]>,
    /// The names passed to the compiler; empty if none were passed.
    names: Box<[String]>,
    /// The number of inputs of each argument.
    pub widths: Box<[usize]>,
}

impl KeptArguments {
    pub fn new(
        structures: Box<[Structure]>,
        names: &[String],
        widths: Box<[usize]>,
    ) -> KeptArguments {
        KeptArguments { structures, names: names.into(), widths }
    }

    /// The problems of an argument whose structure differs: the leaves that only one side has, and
    /// the buffers that do not fit; the difference itself if there are none. `leaves` are the paths
    /// in the argument, with their buffers if there are any, `inputs` are the names
    /// of all inputs of the program, and `misfit` compares the one at a position with a buffer.
    #[cold]
    pub fn problems(
        &self,
        position: usize,
        inputs: &[&str],
        leaves: Vec<(String, Option<&Buffer>)>,
        mismatch: StructureMismatch,
        misfit: impl Fn(usize, &Buffer) -> Option<CallProblem>,
    ) -> Vec<CallProblem> {
        let start = self.widths[..position].iter().sum::<usize>();
        let expected = start..start + self.widths[position];
        let known: BTreeSet<&str> = inputs[expected.clone()].iter().copied().collect();
        let (mut found, mut surplus) = (BTreeMap::new(), Vec::new());
        for (path, buffer) in leaves {
            let in_argument = Path::ROOT.field(&path);
            let path = if path.is_empty() { &Path::ROOT } else { &in_argument };
            let name = argument_name(&self.names, position, path);
            if !known.contains(&*name) {
                surplus.push(CallProblem::Surplus(name.clone()));
            }
            found.insert(name, buffer);
        }
        let of_input = |at: usize| match found.get(inputs[at]) {
            Some(buffer) => misfit(at, (*buffer)?),
            None => Some(CallProblem::Missing(inputs[at].to_owned())),
        };
        let mut problems: Vec<CallProblem> = expected.filter_map(of_input).chain(surplus).collect();
        if problems.is_empty() {
            let StructureMismatch { path, expected, found } = mismatch;
            let root = argument_name(&self.names, position, &Path::ROOT);
            let is_prefixed = position > 0 || !self.names.is_empty();
            let name = match (path.is_empty(), is_prefixed) {
                (true, _) => root,
                (false, true) => format!("{root}.{path}"),
                (false, false) => path,
            };
            problems.push(CallProblem::Structure { name, expected, found });
        }
        problems
    }
}
