//! Rows: ops as users write them.

use crate::Tolerance;
use hloom::prelude::*;

/// An op as a user writes it.
pub struct Row {
    /// The name, which the cases of the op have.
    pub name: &'static str,
    /// The allowed distance of its results.
    pub tolerance: Tolerance,
    /// The op's results for the inputs of a case; empty when it takes a different number of
    /// inputs.
    pub op: fn(&[Tensor]) -> Vec<Tensor>,
}

/// The results of an op: one tensor or several.
pub trait Outputs {
    /// The tensors, in order.
    fn outputs(self) -> Vec<Tensor>;
}

impl<T: Tree<Leaf = Tensor>> Outputs for T {
    fn outputs(self) -> Vec<Tensor> {
        let mut all = Vec::new();
        self.visit(&mut |_, &tensor| all.push(tensor));
        all
    }
}

/// A table of rows: `"name", tolerance, [operands] => the op as a user writes it;`
macro_rules! rows {
    ($($name:expr, $tolerance:expr, [$($x:ident),*] => $result:expr;)*) => {
        [$($crate::Row {
            name: $name,
            tolerance: $tolerance,
            op: |inputs: &[hloom::Tensor]| match *inputs {
                [$($x),*] => $crate::Outputs::outputs($result),
                _ => Vec::new(),
            },
        }),*]
    };
}
pub(crate) use rows;
