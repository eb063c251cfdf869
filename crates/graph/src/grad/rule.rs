//! The reverse rule of an op, which is in the op's home in `ops`.

use super::{
    pull::Pull,
    tape::{Tape, Tracked},
};
use crate::{Tensor, body::Recorded};
use std::rc::Rc;

/// The reverse rule of an op. It has no defaults: an op without a rule does not compile.
pub(crate) trait Vjp {
    /// Records a node that depends on the inputs of the derivative, and pushes to the tape the
    /// values that [`pull`](Self::pull) needs.
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked>;

    /// The cotangents of the operands, then of captured values, for those of the results. Missing
    /// ones, also those after the last one of a list, are zeros.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>>;
}

/// Implements [`Vjp::record`] for ops whose rule needs only operands and results.
macro_rules! keeps_operands {
    () => {
        fn record(
            &self,
            tape: &mut $crate::grad::Tape,
            node: &std::rc::Rc<$crate::body::Recorded>,
        ) -> Vec<$crate::grad::Tracked> {
            tape.plain(node)
        }
    };
}
pub(crate) use keeps_operands;

/// Implements [`Vjp`] for ops whose derivative is zero: those of constants, and of other types than
/// floats.
macro_rules! zero_derivative {
    ($($definition:ty),+ $(,)?) => { $(
        impl $crate::grad::Vjp for $definition {
            $crate::grad::keeps_operands!();
            fn pull(&self, _: &$crate::grad::Pull<'_>) -> Vec<Option<$crate::Tensor>> {
                Vec::new()
            }
        }
    )+ };
}
pub(crate) use zero_derivative;

/// Implements [`Vjp`] for an op without a derivative: the error names the alternative.
macro_rules! no_derivative {
    ($definition:ty, $instead:literal) => {
        impl $crate::grad::Vjp for $definition {
            $crate::grad::keeps_operands!();
            fn pull(&self, pull: &$crate::grad::Pull<'_>) -> Vec<Option<$crate::Tensor>> {
                pull.refuse(concat!("has no derivative; ", $instead))
            }
        }
    };
}
pub(crate) use no_derivative;
