//! The dimension numbers that gathers and scatters have in common.

use crate::{
    Shape,
    definition::list,
    trace::{OpError, Rule},
};

/// The dimension numbers of a gather or a scatter, by their roles.
pub(super) struct Windows<'a> {
    /// The names of the lists below, in their order, and that of the tensor with the windows.
    pub names: [&'static str; 6],
    /// Axes of the tensor with the windows that run over a window.
    pub window: &'a [usize],
    /// Operand axes that windows do not have.
    pub dropped: &'a [usize],
    /// Operand axes that are batch axes.
    pub operand_batching: &'a [usize],
    /// Index axes that are batch axes.
    pub indices_batching: &'a [usize],
    /// The operand axis of each element of an index vector.
    pub map: &'a [usize],
    /// The index axis that holds the index vectors.
    pub index_vector_dim: usize,
}

impl Windows<'_> {
    /// Whether windows run over an operand axis.
    pub(super) fn has(&self, axis: usize) -> bool {
        !self.dropped.contains(&axis) && !self.operand_batching.contains(&axis)
    }

    /// The axes of the indices other than that of the index vectors.
    pub(super) fn batch<'i>(
        &'i self,
        indices: &'i Shape,
    ) -> impl Iterator<Item = usize> + Clone + 'i {
        (0..indices.rank()).filter(move |&axis| axis != self.index_vector_dim)
    }

    /// Checks every rule that does not depend on the sizes of windows; `rank` is that of the tensor
    /// with the windows, if it is given.
    pub(super) fn check(&self, operand: &Shape, indices: &Shape, rank: Option<usize>) -> Rule<()> {
        let [window, dropped, operand_batching, indices_batching, map, windowed] = self.names;
        check_indices(indices)?;
        if self.index_vector_dim > indices.rank() {
            return Err(OpError(format!(
                "index_vector_dim is {}, and the indices {indices} have {} axes",
                self.index_vector_dim,
                indices.rank()
            )));
        }
        let vector = indices.sizes().get(self.index_vector_dim).copied().unwrap_or(1);
        if self.map.len() != vector {
            return Err(OpError(format!(
                "{map} {} lists {} axes for index vectors of {vector} elements",
                list(self.map),
                self.map.len()
            )));
        }
        let batch = self.batch(indices).count();
        let own = rank.unwrap_or(batch + self.window.len());
        check_axes(map, self.map, "operand", operand.rank())?;
        check_axes(indices_batching, self.indices_batching, "indices", indices.rank())?;
        for (name, axes, of, rank) in [
            (window, self.window, windowed, own),
            (dropped, self.dropped, "operand", operand.rank()),
            (operand_batching, self.operand_batching, "operand", operand.rank()),
        ] {
            check_axes(name, axes, of, rank)?;
            if !axes.is_sorted() {
                return Err(OpError(format!("{name} {} are not in ascending order", list(axes))));
            }
        }
        for (name, axes) in [(dropped, self.dropped), (map, self.map)] {
            if let Some(axis) = axes.iter().find(|axis| self.operand_batching.contains(axis)) {
                return Err(OpError(format!("axis {axis} is in {name} and in {operand_batching}")));
            }
        }
        if self.indices_batching.contains(&self.index_vector_dim) {
            return Err(OpError(format!(
                "axis {} holds the index vectors and is in {indices_batching}",
                self.index_vector_dim
            )));
        }
        let all = self.window.len() + self.dropped.len() + self.operand_batching.len();
        if all != operand.rank() {
            return Err(OpError(format!(
                "{window}, {dropped} and {operand_batching} list {all} axes for the {} axes of \
                 the operand",
                operand.rank()
            )));
        }
        if own != batch + self.window.len() {
            return Err(OpError(format!(
                "the {windowed} have {own} axes, not the {batch} batch axes of the indices and \
                 the {} of {window}",
                self.window.len()
            )));
        }
        self.check_batches(operand, indices)
    }

    fn check_batches(&self, operand: &Shape, indices: &Shape) -> Rule<()> {
        let [_, _, operand_batching, indices_batching, ..] = self.names;
        if self.operand_batching.len() != self.indices_batching.len() {
            return Err(OpError(format!(
                "{operand_batching} {} and {indices_batching} {} are not pairs",
                list(self.operand_batching),
                list(self.indices_batching)
            )));
        }
        for (&left, &right) in self.operand_batching.iter().zip(self.indices_batching) {
            let (all, found) = (operand.sizes()[left], indices.sizes()[right]);
            if all != found {
                return Err(OpError(format!(
                    "batch axis {} has size {all} in the operand and {found} in the indices",
                    operand.label(left)
                )));
            }
        }
        Ok(())
    }
}

/// Checks that axes exist and are listed once.
fn check_axes(name: &str, axes: &[usize], of: &str, rank: usize) -> Rule<()> {
    for (i, axis) in axes.iter().enumerate() {
        if *axis >= rank {
            return Err(OpError(format!(
                "{name} {}: there is no axis {axis} among the {rank} of the {of}",
                list(axes)
            )));
        }
        if axes[..i].contains(axis) {
            return Err(OpError(format!("{name} {} list axis {axis} twice", list(axes))));
        }
    }
    Ok(())
}

/// Checks the element type of indices.
pub(super) fn check_indices(indices: &Shape) -> Rule<()> {
    if indices.dtype().is_int() {
        Ok(())
    } else {
        Err(OpError(format!("indices are integers, not {}", indices.dtype())))
    }
}
