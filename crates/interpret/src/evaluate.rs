//! The evaluation of an op, and its dispatch by the table of ops.

use crate::machine::{Evaluated, Machine};
use hloom_graph::{NodeId, Op, for_each_op, op};

/// The evaluation of an op, which is in a file of [`ops`](crate::ops): an op without one does not
/// compile.
pub(crate) trait Evaluate {
    /// Sets the results of a node of this op on each device of the current region.
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()>;
}

/// Generates the dispatch from the table of ops.
macro_rules! dispatch {
    ($(
        $(#[$doc:meta])*
        $tag:literal $variant:ident($stored:ty) $definition:ident;
    )*) => {
        impl Machine<'_, '_> {
            /// Evaluates a node of an op.
            pub(crate) fn evaluate(&mut self, op: &Op, n: NodeId) -> Evaluated<()> {
                match op {
                    $(Op::$variant(attributes) => {
                        let definition: &op::$definition = attributes;
                        definition.evaluate(self, n)
                    })*
                }
            }
        }
    };
}

for_each_op!(dispatch);
