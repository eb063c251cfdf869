//! The lowering of an op, and its dispatch by the table of ops.

use crate::{applied::Applied, emit::Value, lowering::Lowering};
use hloom_graph::{Op, for_each_op, op};
use smallvec::{SmallVec, smallvec};

/// The values of a node's results.
pub(crate) struct Lowered(pub SmallVec<[Value; 2]>);

impl From<Value> for Lowered {
    fn from(value: Value) -> Lowered {
        Lowered(smallvec![value])
    }
}

impl From<Vec<Value>> for Lowered {
    fn from(values: Vec<Value>) -> Lowered {
        Lowered(values.into())
    }
}

/// The lowering of an op, which is in a file of [`ops`](crate::ops): an op without one does not
/// compile.
pub(crate) trait Lower {
    /// One value, or several.
    type Results: Into<Lowered>;

    /// Emits StableHLO for a node of this op, and returns the values of its results.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Self::Results;
}

/// Implements [`Lower`] for ops that do not occur in lowered graphs, with the reason.
macro_rules! expanded_before {
    ($definition:ty, $why:literal) => {
        impl $crate::lower::Lower for $definition {
            type Results = $crate::emit::Value;

            fn lower(
                &self,
                _: &mut $crate::lowering::Lowering<'_>,
                _: &$crate::applied::Applied<'_>,
            ) -> $crate::emit::Value {
                unreachable!($why)
            }
        }
    };
}
pub(crate) use expanded_before;

/// Generates the dispatch from the table of ops.
macro_rules! dispatch {
    ($(
        $(#[$doc:meta])*
        $tag:literal $variant:ident($stored:ty) $definition:ident;
    )*) => {
        impl Lowering<'_> {
            /// Lowers a node of an op.
            pub(crate) fn lower(&mut self, op: &Op, n: &Applied<'_>) -> Lowered {
                match op {
                    $(Op::$variant(attributes) => {
                        let definition: &op::$definition = attributes;
                        definition.lower(self, n).into()
                    })*
                }
            }
        }
    };
}

for_each_op!(dispatch);
